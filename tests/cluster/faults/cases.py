"""Every fault and what must hold under it: one table for the tests and for the soak."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from tests.cluster.faults import archives, editions, gateways, kills, noise
from tests.cluster.faults.form import Form
from tests.cluster.faults.report import Report
from tests.cluster.faults.trial import DOUBLE, PLAIN, WATCHED, Trial


class Case(NamedTuple):
    """One fault.

    Attributes:
        fault: What is done, for people.
        kind: Of the cluster that it needs.
        run: Does it and tells what came of it.
        long_only: Whether the short form leaves it out, because another case shows the same.
    """

    fault: str
    kind: str
    run: Callable[[Trial, Form], Awaitable[Report]]
    long_only: bool = False

    @property
    def id(self) -> str:
        """Its name in lists of tests."""
        return f"{self.run.__name__}-{self.kind}"


async def undisturbed(trial: Trial, form: Form) -> Report:
    """Nothing happens."""
    async with trial.under_load() as agents:
        await agents.pause(form.calm)

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    report.demand(not report.blamed, f"{report.blamed} named")
    return report


CASES = [
    Case("none", PLAIN, undisturbed),
    Case("kill -9 of a worker every second", PLAIN, kills.killed_workers),
    Case("kill -9 of a keeper every 5 s", PLAIN, kills.killed_keepers),
    Case("both, with two replicas", DOUBLE, kills.killed_with_replicas),
    Case("kill -9 of workers at random, one question repeated", PLAIN, kills.killed_at_random),
    Case("SIGSTOP of a worker", PLAIN, kills.stopped_worker),
    Case("a page over which libzim hangs, watchdog at 1 s", WATCHED, archives.endless_page),
    Case("truncation of an open archive", WATCHED, archives.cut_off),
    Case("random corruption of an index", WATCHED, archives.scribbled_over),
    Case("rolling restart of shards, then of two gateways", PLAIN, gateways.restarted_in_turn),
    Case("archives replaced by newer snapshots", WATCHED, editions.replaced, long_only=True),
    Case("the same, with two replicas", DOUBLE, editions.replaced),
    Case("kill -9 of one of two gateways", PLAIN, gateways.one_of_two_killed),
    Case("garbage, large frames, half-open connections", PLAIN, noise.noisy_peers),
    Case("SIGTERM to the gateway", PLAIN, gateways.told_to_end),
]
"""In the order of the table; each leaves its cluster whole for the next."""
