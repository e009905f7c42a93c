"""Processes of a shard that are killed or stopped from outside."""

import asyncio
import contextlib
import itertools
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Sequence
from statistics import median

from tests.cluster.faults.agents import Outcome
from tests.cluster.faults.asks import ASKS, Ask, without_fetches_from
from tests.cluster.faults.corpus import LIBRARIES
from tests.cluster.faults.form import Form
from tests.cluster.faults.report import Report, whole_again
from tests.cluster.faults.trial import RECOVERY, SEARCH_DEADLINE, Trial
from tests.cluster.running import wait_until

WORKER = "pid"
KEEPER = "keeper_pid"

SEEN_BY = 2.0
"""Seconds after which a stopped worker is known to the gateway: heartbeats take 1.7."""

NOISE = 0.5
"""Seconds by which a search may end after its deadline: the way back, on a busy machine."""

Blow = tuple[str, float]
"""Whom it met, and when on the monotonic clock."""


async def killed_workers(trial: Trial, form: Form) -> Report:
    """A worker is killed every second, of one library after the other."""
    async with trial.under_load():
        blows = await _kill_in_turn(trial, WORKER, form.worker_seconds, form.worker_interval)

    report = await _after(trial, blows)
    report.demand_none_failed_or_wrong()
    most = 0.01 if form.exact else 0.25
    share = report.degraded_share
    report.demand(share <= most, f"{share:.1%} degraded, expected at most {most:.0%}")
    _demand_whole_median(report, 0.3 if form.exact else 2.0)
    await _demand_nobody_convicted(trial, report)
    return report


async def killed_keepers(trial: Trial, form: Form) -> Report:
    """A keeper is killed every few seconds; its worker goes along."""
    seconds = form.keeper_kills * form.keeper_interval
    async with trial.under_load():
        blows = await _kill_in_turn(trial, KEEPER, seconds, form.keeper_interval)

    report = await _after(trial, blows)
    report.demand_none_failed_or_wrong()
    most = 3.5 if form.exact else 10.0
    report.demand(
        len(report.whole) == len(blows) and max(report.whole) < most,
        f"whole again after {report.whole}, expected less than {most} after each of {len(blows)}",
    )
    await _demand_nobody_convicted(trial, report)
    return report


async def killed_with_replicas(trial: Trial, form: Form) -> Report:
    """Workers and keepers are killed, never both replicas of a library at a time."""
    async with trial.under_load():
        keepers = _kill_in_turn(
            trial, KEEPER, form.keeper_kills * form.keeper_interval, form.keeper_interval
        )
        workers = _kill_in_turn(
            trial,
            WORKER,
            form.worker_seconds,
            form.worker_interval,
            libraries=list(LIBRARIES)[::-1],
        )
        blows = [blow for each in await asyncio.gather(keepers, workers) for blow in each]

    report = await _after(trial, blows)
    report.demand_none_failed_or_wrong()
    blamed = dict(report.degraded) if form.exact else report.blamed
    report.demand(not blamed, f"degraded: {blamed}, expected none with two replicas")
    await _demand_nobody_convicted(trial, report)
    return report


async def stopped_worker(trial: Trial, form: Form) -> Report:
    """A worker is stopped, so that it neither answers nor goes away."""
    victim = "Trades"
    (replica,) = await trial.replicas(victim)

    def asks(number: int) -> Sequence[Ask]:
        # One agent reads from the library and so waits for it; the others are to be measured.
        return ASKS if number == 0 else without_fetches_from(victim)

    async with trial.under_load(asks=asks):
        await asyncio.sleep(form.calm)
        stopped = time.monotonic()
        async with _stopped(replica[WORKER]):
            await asyncio.sleep(form.stopped)
        resumed = time.monotonic()

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    report.demand(report.blamed <= {victim}, f"{report.blamed} named, expected only {victim}")
    searches = [one.seconds for one in trial.outcomes if one.ask.tool == "search"]
    most = SEARCH_DEADLINE + NOISE
    report.demand(max(searches) < most, f"a search took {max(searches):.1f} s")
    before = _p50(trial.outcomes, victim, trial.began, stopped)
    after = _p50(trial.outcomes, victim, stopped + SEEN_BY, resumed)
    factor = after / before
    report.notes["p50 beside it"] = f"{factor:.2f} of undisturbed"
    most = 1.3 if form.exact else 5.0
    report.demand(factor <= most, f"p50 of the others {factor:.2f} times the undisturbed one")
    return report


async def killed_at_random(trial: Trial, form: Form) -> Report:
    """Workers are killed at random moments while all agents repeat one question."""
    chance = random.Random(7)
    victims = ["Rivers", "Parish"]
    until = time.monotonic() + form.worker_seconds
    async with trial.under_load(asks=lambda number: ASKS[:2]):
        for victim in itertools.cycle(victims):
            await asyncio.sleep(chance.uniform(0.05, 0.4))
            await _kill(trial, victim, WORKER)
            if time.monotonic() > until:
                break

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    await _demand_nobody_convicted(trial, report)
    return report


async def _kill_in_turn(
    trial: Trial,
    process: str,
    seconds: float,
    interval: float,
    *,
    libraries: Sequence[str] = tuple(LIBRARIES),
) -> list[Blow]:
    blows = []
    turns = max(1, round(seconds / interval))
    for turn, library in enumerate(itertools.islice(itertools.cycle(libraries), turns), start=1):
        blows.append((library, await _kill(trial, library, process)))
        await asyncio.sleep(max(interval / 2, trial.began + turn * interval - time.monotonic()))
    return blows


async def _kill(trial: Trial, library: str, process: str) -> float:
    """Kill a process of one of the library's replicas once all are ready; return when."""
    async with trial.blow:
        await asyncio.to_thread(wait_until, lambda: trial.cluster.ready(library), RECOVERY)
        (victim, *_) = await trial.replicas(library)
        at = time.monotonic()
        os.kill(victim[process], signal.SIGKILL)
        # Nobody else is to take this library for whole meanwhile.
        await asyncio.to_thread(
            wait_until,
            lambda: (
                not trial.cluster.ready(library)
                or trial.cluster.replica(library)["pid"] != victim["pid"]
            ),
            RECOVERY,
        )
    return at


async def _after(trial: Trial, blows: Sequence[Blow]) -> Report:
    report = await trial.report()
    for library, at in blows:
        later = [then for other, then in blows if other == library and then > at]
        seconds = whole_again(trial.outcomes, library, at, min(later, default=float("inf")))
        if seconds is not None:
            report.whole.append(seconds)
    return report


def _demand_whole_median(report: Report, most: float) -> None:
    middle = median(report.whole) if report.whole else float("inf")
    report.demand(middle < most, f"whole again in {middle:.2f} s (median), expected {most}")


async def _demand_nobody_convicted(trial: Trial, report: Report) -> None:
    status = await trial.status()
    convicted = [
        library["name"]
        for library in status["libraries"]
        for replica in library["replicas"]
        if replica["quarantined"]
    ]
    report.demand(not convicted, f"quarantine in {convicted}, though nothing was to blame")
    reasons = {reason for _, reason in report.degraded}
    report.demand("quarantined" not in reasons, "an answer said that a request is quarantined")


def _p50(outcomes: Sequence[Outcome], victim: str, since: float, until: float) -> float:
    return median(
        one.seconds
        for one in outcomes
        if since <= one.began and one.ended < until and one.ask.library != victim
    )


@contextlib.asynccontextmanager
async def _stopped(pid: int) -> AsyncIterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)
