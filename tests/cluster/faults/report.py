"""What a trial is judged by: pure functions of what the agents saw."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from tests.cluster.faults.agents import Outcome
from tests.cluster.faults.asks import Ask

Undisturbed = Mapping[Ask, Mapping[str, Any]]
"""What each call is answered while nothing is wrong."""

_SHOWN = 5


@dataclass
class Report:
    """One trial in figures.

    Attributes:
        seconds: Of each call that ended.
        failed: Tool errors and transport errors.
        wrong: Answers that are not what they claim to be.
        suffered: Calls that failed or lack hits because of the library that was hurt for good.
        degraded: Answers by what was missing from them.
        degraded_answers: Answers that named any library.
        whole: Seconds after each blow until searches were whole again.
        notes: Other figures of the case.
        broken: What had to hold and did not.
    """

    seconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    suffered: int = 0
    degraded: Counter[tuple[str, str]] = field(default_factory=Counter)
    degraded_answers: int = 0
    whole: list[float] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    @property
    def calls(self) -> int:
        """Calls that ended."""
        return len(self.seconds)

    @property
    def longest(self) -> float:
        """Seconds of the longest call."""
        return max(self.seconds, default=0.0)

    @property
    def p50(self) -> float:
        """Median of all calls, in seconds."""
        return median(self.seconds) if self.seconds else 0.0

    def demand(self, holds: bool, otherwise: str) -> None:
        """Note what does not hold."""
        if not holds:
            self.broken.append(otherwise)

    def demand_none_failed_or_wrong(self) -> None:
        """What must hold under almost every fault."""
        self.demand(self.calls > 0, "no call was made")
        self.demand(not self.failed, f"{len(self.failed)} failed: {self.failed[:_SHOWN]}")
        self.demand(not self.wrong, f"{len(self.wrong)} wrong: {self.wrong[:_SHOWN]}")

    @property
    def degraded_share(self) -> float:
        """Part of all calls whose answers named a library."""
        return self.degraded_answers / max(1, self.calls)

    @property
    def blamed(self) -> set[str]:
        """The libraries that answers named for another reason than being slower than the others."""
        return {library for library, reason in self.degraded if reason != "timeout"}


def judge(
    outcomes: Sequence[Outcome],
    *undisturbed: Undisturbed,
    victim: str = "",
    lost_refs: Collection[str] = (),
) -> Report:
    """Return what the outcomes amount to.

    Args:
        undisturbed: Before the fault; and after it, where answers may have changed meanwhile.
        victim: A library that is hurt for good: its own pages may be missing.
        lost_refs: Refs of degraded answers that could not be fetched afterwards.
    """
    report = Report(seconds=[outcome.seconds for outcome in outcomes])
    for outcome in outcomes:
        _count(outcome, [each[outcome.ask] for each in undisturbed], victim, report)
    report.wrong += [f"{ref} was given and cannot be fetched" for ref in lost_refs]
    return report


def joined(reports: Sequence[Report]) -> Report:
    """Return several reports as one."""
    whole = Report()
    for report in reports:
        whole.seconds += report.seconds
        whole.failed += report.failed
        whole.wrong += report.wrong
        whole.suffered += report.suffered
        whole.degraded += report.degraded
        whole.degraded_answers += report.degraded_answers
        whole.whole += report.whole
        whole.notes |= report.notes
        whole.broken += report.broken
    return whole


def refs_of_degraded(outcomes: Iterable[Outcome]) -> set[str]:
    """Return every ref that an answer gave which lacked a library."""
    return {
        row["ref"]
        for outcome in outcomes
        if outcome.missing
        for row in outcome.content.get("results", [])
    }


def whole_again(
    outcomes: Iterable[Outcome], library: str, since: float, until: float
) -> float | None:
    """Return the seconds from a blow at ``since`` until searches lack ``library`` no longer.

    Looks at the searches from the blow to ``until``, the next blow, and takes the end of the first
    whole one that began after the last that could not reach it; None if there is no such. To be
    slower than the others once, later, is another matter.
    """
    searches = sorted(
        (
            outcome
            for outcome in outcomes
            if outcome.ask.tool == "search" and since <= outcome.began and outcome.ended < until
        ),
        key=lambda outcome: outcome.began,
    )
    without = (None, "timeout")
    last = max(
        (one.began for one in searches if one.missing.get(library) not in without), default=since
    )
    whole = [one for one in searches if one.began >= last and library not in one.missing]
    return min(one.ended for one in whole) - since if whole else None


def _count(
    outcome: Outcome, expected: Sequence[Mapping[str, Any]], victim: str, report: Report
) -> None:
    if outcome.missing:
        report.degraded_answers += 1
        report.degraded.update(outcome.missing.items())
    if outcome.problem:
        if victim and outcome.ask.library == victim:
            report.suffered += 1
        else:
            report.failed.append(f"{_named(outcome.ask)}: {outcome.problem}")
    elif outcome.missing:
        report.wrong += _silently_missing(outcome, expected[0])
    elif outcome.content not in expected:
        if victim and _same_but_for(victim, outcome, expected[0]):
            report.suffered += 1
        else:
            report.wrong.append(f"{_named(outcome.ask)}: {outcome.content}")


def _silently_missing(outcome: Outcome, expected: Mapping[str, Any]) -> list[str]:
    there = {row["library"] for row in outcome.content["results"]}
    lacking = {row["library"] for row in expected["results"]} - there - set(outcome.missing)
    named = _named(outcome.ask)
    return [f"{named}: {library} is missing and not named" for library in sorted(lacking)]


def _same_but_for(victim: str, outcome: Outcome, expected: Mapping[str, Any]) -> bool:
    """Tell whether no other library suffers; what is lost of the victim may change their order."""
    if outcome.ask.tool == "fetch":
        return outcome.ask.library == victim
    there = {row["library"] for row in outcome.content["results"]}
    return {row["library"] for row in expected["results"]} - there <= {victim}


def _named(ask: Ask) -> str:
    return f"{ask.tool} {ask.text!r}"
