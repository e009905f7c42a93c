"""Archives that hang, are cut off, or are overwritten while they are served."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp import Client

from tests.cluster.agent import Answer, call
from tests.cluster.faults import damage
from tests.cluster.faults.asks import ASKS, Ask, without_fetches_from
from tests.cluster.faults.corpus import LARGE, path_of, ref_of
from tests.cluster.faults.form import Form
from tests.cluster.faults.report import Report
from tests.cluster.faults.trial import ENDLESS, ENDLESS_IN, RECOVERY, WATCHDOG, Trial
from tests.cluster.running import pids, wait_until

MOST_FORKS = 6
"""Processes a second that a keeper which backs off may start: a stand-in between two attempts."""


async def endless_page(trial: Trial, form: Form) -> Report:
    """A search finds a page over which libzim hangs; so does a fetch, later."""
    archive = trial.archives[ENDLESS_IN]
    sound = archive.read_bytes()
    damage.make_endless(archive, path_of(ENDLESS_IN, ENDLESS))
    before = await _reopened(trial, ENDLESS_IN)
    async with trial.under_load() as agents:
        async with Client(trial.cluster.url) as client:
            first = await call(client, "search", query=ENDLESS.title)
            await _until(lambda: _quarantined(trial) == 1)
            again = await call(client, "search", query=ENDLESS.title)
            read = await call(client, "fetch", ref=ref_of(ENDLESS_IN, ENDLESS))
        await agents.pause(form.calm)

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    report.demand(report.blamed <= {ENDLESS_IN}, f"{report.blamed} named")
    report.demand(not first.is_error, f"the search that hung: {first.content}")
    _demand_quick(report, "the search in quarantine", again)
    _demand_quick(report, "the fetch in quarantine", read)
    report.demand(
        read.content.get("error") == "library_unavailable" and "retryable" not in read.content,
        f"the fetch in quarantine: {read.content}",
    )
    report.demand(
        {"library": ENDLESS_IN, "reason": "quarantined"} in again.content.get("degraded", []),
        f"the search in quarantine: {again.content}",
    )
    (replica,) = await trial.replicas(ENDLESS_IN)
    ended = replica["restarts"] - before
    damage.replace(archive, sound)
    await _reopened(trial, ENDLESS_IN)
    report.demand(ended == 2, f"{ended} workers were ended, expected two")
    report.notes["quarantined after"] = f"{first.seconds:.1f} s"
    return report


async def cut_off(trial: Trial, form: Form) -> Report:
    """An archive that is being served is cut off in the middle."""
    return await _damaged(trial, form, "Rivers", damage.cut_in_place)


async def scribbled_over(trial: Trial, form: Form) -> Report:
    """The index of an archive that is being served is overwritten at random.

    Some queries fail then, some find less, and nobody can tell; only when the worker is killed as
    well is it plain, because no other worker can open the index.
    """
    return await _damaged(trial, form, LARGE, damage.scribble_over_index, kill=True)


async def _damaged(
    trial: Trial, form: Form, victim: str, hurt: Callable[[Path], None], *, kill: bool = False
) -> Report:
    archive = trial.archives[victim]
    sound = archive.read_bytes()
    (before,) = await trial.replicas(victim)
    async with trial.under_load(asks=_mostly_others(victim)) as agents:
        await agents.pause(form.calm / 2)
        hurt(archive)
        if kill:
            await agents.pause(form.calm)
            await _kill(trial, victim)
        await _until(lambda: _ails(trial.cluster.library(victim)))
        await agents.pause(form.calm)
        forks = await _forks_per_second(before["keeper_pid"], form.calm)
        row = await asyncio.to_thread(trial.cluster.library, victim)
        # Whoever waits for a page of it has it when the archive is whole again.
        damage.replace(archive, sound)
        if row["state"] == "ready":
            # It serves what it can read, and looks again only when it is started again.
            await _kill(trial, victim)
        await _until(
            lambda: trial.cluster.ready(victim) and not _ails(trial.cluster.library(victim))
        )

    report = await trial.report(victim=victim)
    report.demand_none_failed_or_wrong()
    report.demand(forks <= MOST_FORKS, f"{forks:.1f} processes a second from one keeper")
    told = _told(row)
    report.demand(_ails(row) and told, f"status does not tell: {row}")
    report.notes["status says"] = told
    await _demand_others_untouched(trial, report, victim)
    return report


def _ails(library: Mapping[str, Any]) -> bool:
    """Tell whether a library is away, or is there without its full-text index."""
    return library["state"] != "ready" or library["index"] == "titles"


def _told(library: Mapping[str, Any]) -> str:
    if library["state"] == "ready":
        return str(library["index_reason"])
    return "; ".join(one["error"] for one in library["replicas"] if "unavailable" in one["error"])


def _mostly_others(victim: str) -> Callable[[int], Sequence[Ask]]:
    """One agent reads from the victim; the others would only wait for it, too."""
    return lambda number: without_fetches_from(victim) if number else ASKS


async def _reopened(trial: Trial, library: str) -> int:
    """Have the archive opened anew; return how many workers its keeper has started again."""
    killed = await _kill(trial, library)
    await _until(lambda: trial.cluster.ready(library, other_than=killed))
    (replica,) = await trial.replicas(library)
    return int(replica["restarts"])


async def _kill(trial: Trial, library: str) -> int:
    """Kill the worker, so that the archive is opened anew; return its pid."""
    (replica,) = await trial.replicas(library)
    # The damage may have ended it already.
    with contextlib.suppress(ProcessLookupError):
        os.kill(replica["pid"], signal.SIGKILL)
    return int(replica["pid"])


async def _demand_others_untouched(trial: Trial, report: Report, victim: str) -> None:
    report.demand(report.blamed <= {victim}, f"{report.blamed} named, expected only {victim}")
    for library in trial.archives:
        (replica,) = await trial.replicas(library)
        if library not in {victim, ENDLESS_IN}:
            report.demand(
                not replica["quarantined"] and replica["state"] == "ready",
                f"{library} was drawn into it: {replica}",
            )


def _demand_quick(report: Report, what: str, answer: Answer) -> None:
    report.demand(answer.seconds < WATCHDOG, f"{what} took {answer.seconds:.1f} s")


def _quarantined(trial: Trial) -> int:
    return int(trial.cluster.replica(ENDLESS_IN)["quarantined"])


async def _forks_per_second(keeper: int, seconds: float) -> float:
    """Return how many processes a keeper starts."""
    seen: set[int] = set()
    ticks = round(seconds / 0.02)
    for _ in range(ticks):
        seen |= await asyncio.to_thread(_children, keeper)
        await asyncio.sleep(0.01)
    return len(seen) / seconds


def _children(parent: int) -> set[int]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
        return {int(word) for word in text.split()}
    return {pid for pid in pids() if _parent(pid) == parent}


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


async def _until(condition: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_until, condition, RECOVERY)
