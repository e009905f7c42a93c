"""Gateways that are killed, restarted and told to end; and shards that are restarted in turn."""

import asyncio
import os
import signal
import time
from collections.abc import Callable

from mcp import Client

from tests.cluster.agent import Answer, call
from tests.cluster.faults.asks import without_fetches_from
from tests.cluster.faults.corpus import LIBRARIES, ref_of
from tests.cluster.faults.form import Form
from tests.cluster.faults.report import Report, joined
from tests.cluster.faults.second import beside, readiness
from tests.cluster.faults.trial import DRAIN, RECOVERY, Trial
from tests.cluster.running import alive, wait_until

SETTLE = 0.5
"""Seconds of ordinary service between two blows."""


async def restarted_in_turn(trial: Trial, form: Form) -> Report:
    """The operator restarts one library after the other, then each of two gateways ends in turn."""
    async with beside(trial.cluster) as other, trial.under_load(other.url) as agents:
        for library in list(LIBRARIES)[: form.restarts]:
            result = await asyncio.to_thread(trial.cluster.command, "restart", library)
            assert result.returncode == 0, result.stderr
        await agents.pause(SETTLE)
        status = await asyncio.to_thread(other.end, signal.SIGTERM)
        await asyncio.to_thread(other.start)
        await agents.pause(SETTLE)
        await _restart_first(trial)

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    report.demand(status == 0, f"the gateway ended with {status}")
    return report


async def one_of_two_killed(trial: Trial, form: Form) -> Report:
    """One of two gateways is killed, and comes back."""
    async with beside(trial.cluster) as other, trial.under_load(other.url) as agents:
        for _ in range(form.rounds):
            await agents.pause(SETTLE)
            await asyncio.to_thread(other.end, signal.SIGKILL)
            await agents.pause(SETTLE)
            await asyncio.to_thread(other.start)
        await agents.pause(SETTLE)

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    report.demand(not report.blamed, f"{report.blamed} named")
    return report


async def told_to_end(trial: Trial, form: Form) -> Report:
    """The only gateway of the agents gets SIGTERM while they call, and one call is slow."""
    return joined([await _told_to_end_once(trial) for _ in range(form.rounds)])


async def _told_to_end_once(trial: Trial) -> Report:
    victim = "Parish"
    (replica,) = await trial.replicas(victim)
    others = without_fetches_from(victim)
    # A search waits a moment for the stopped worker; a fetch from elsewhere does not.
    fetches = [ask for ask in others if ask.tool == "fetch"]
    async with beside(trial.cluster) as other:
        assert other.process is not None
        async with trial.under_load(
            instead=other.url, asks=lambda number: fetches if number % 2 else others
        ) as agents:
            os.kill(replica["pid"], signal.SIGSTOP)
            try:
                waiting = asyncio.create_task(_fetch(other.url, victim))
                await agents.pause(0.2)
                other.process.send_signal(signal.SIGTERM)
                told = time.monotonic()
                await _until(lambda: readiness(other.port) == (503, "draining"))
                first_served = len(agents.outcomes)
                # The door is open for DRAIN seconds; a proxy has gone elsewhere by then.
                await agents.pause(DRAIN / 2)
                served = len(agents.outcomes) - first_served
                agents.hold()
            finally:
                os.kill(replica["pid"], signal.SIGCONT)
            answer = await waiting
            status = await asyncio.to_thread(other.process.wait, RECOVERY)
            took = time.monotonic() - told

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    report.demand(served > 0, "nothing was served between SIGTERM and the end")
    report.demand(not answer.is_error, f"the slow call in flight: {answer.content}")
    report.demand(status == 0, f"exit status {status}")
    report.notes["ended"] = f"{took:.1f} s after SIGTERM"
    return report


async def _fetch(url: str, library: str) -> Answer:
    async with Client(url) as client:
        return await call(client, "fetch", ref=ref_of(library, LIBRARIES[library][1][0]))


async def _restart_first(trial: Trial) -> None:
    """End the cluster's own gateway with SIGTERM, and wait until its supervisor has a new one."""
    before = (await trial.status())["pid"]
    os.kill(before, signal.SIGTERM)
    await _until(lambda: not alive(before))
    await _until(lambda: readiness(trial.cluster.port) == (200, "ready"))


async def _until(condition: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_until, condition, RECOVERY)
