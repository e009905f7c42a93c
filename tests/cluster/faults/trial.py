"""A cluster of eight libraries, and one fault after another under the load of eight agents."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from mcp import Client

from tests.cluster.agent import call
from tests.cluster.faults import corpus
from tests.cluster.faults.agents import Agents, Outcome
from tests.cluster.faults.asks import ASKS, Ask
from tests.cluster.faults.report import Report, Undisturbed, judge, refs_of_degraded
from tests.cluster.running import RunningCluster, wait_until

SEARCH_DEADLINE = 8.0
"""The setting's default, which trials leave as it is."""

DRAIN = 2
"""Seconds for which the gateways of a trial serve on after SIGTERM."""

RECOVERY = 30.0
"""Seconds after which a cluster that is not whole again never will be."""

WATCHDOG = 1
"""Seconds of the watchdog where a worker is meant to hang."""

PLAIN = "plain"
DOUBLE = "double"
WATCHED = "watched"

KINDS: Mapping[str, tuple[int, dict[str, str]]] = {
    PLAIN: (1, {}),
    DOUBLE: (2, {}),
    WATCHED: (1, {"SHARD_WATCHDOG": str(WATCHDOG)}),
}
"""By the kind of a cluster: replicas of each library, and its settings."""

SETTINGS = {
    # Kept answers would hide what happens behind the gateway.
    "SEARCH_CACHE_MB": "0",
    "GATEWAY_DRAIN": str(DRAIN),
}

ENDLESS = corpus.Page("Nocturlabe", "A nocturlabe tells the hours of night.", "It needs stars.")
"""A page of `ENDLESS_IN` that nothing else resembles, to be made endless."""

ENDLESS_IN = "Observatory"


class Trial:
    """A running cluster, and what it answers while nothing is wrong.

    Attributes:
        archives: By library name, files of this trial's own.
        undisturbed: The answer of each call.
        outcomes: What the agents of the last fault saw.
        began: When that fault began, on the monotonic clock.
        blow: Held by whoever kills something, so that one sees what the other has done.
    """

    def __init__(self, kind: str, folder: Path) -> None:
        replicas, settings = KINDS[kind]
        archives = folder / "archives"
        archives.mkdir()
        extra = {ENDLESS_IN: ENDLESS} if kind == WATCHED else {}
        self.archives = corpus.write(archives, extra=extra)
        self.cluster = RunningCluster(
            self.archives,
            folder / "run",
            # Choosing would read pages, also those that are not to be read.
            adapters={name: family.adapter for name, (family, _) in corpus.LIBRARIES.items()},
            replicas=replicas,
            environment={**SETTINGS, **settings},
        )
        self.undisturbed: Undisturbed = {}
        self.outcomes: list[Outcome] = []
        self.began = 0.0
        self.blow = asyncio.Lock()

    def __enter__(self) -> Self:
        self.cluster.__enter__()
        try:
            self.undisturbed = asyncio.run(self.learn())
        except BaseException:
            self.cluster.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self.cluster.__exit__(*exc)

    @contextlib.asynccontextmanager
    async def under_load(
        self,
        *more_urls: str,
        instead: str = "",
        whole: bool = True,
        asks: Callable[[int], Sequence[Ask]] = lambda number: ASKS,
    ) -> AsyncIterator[Agents]:
        """Keep eight agents calling while the body runs.

        They call this cluster's gateway and those at ``more_urls``, or the one ``instead``.
        Afterwards the cluster is ``whole``, or this fails.
        """
        agents = Agents([instead or self.cluster.url, *more_urls], asks)
        async with agents.calling():
            self.began = time.monotonic()
            self.blow = asyncio.Lock()
            yield agents
        self.outcomes = agents.outcomes
        if whole:
            await self.whole()

    async def report(self, *later: Undisturbed, victim: str = "") -> Report:
        """Judge what the agents saw; answers may also be those of ``later``."""
        lost = await self._lost(refs_of_degraded(self.outcomes))
        lost = [ref for ref in lost if not victim or not ref.startswith(corpus.ref_start(victim))]
        return judge(self.outcomes, self.undisturbed, *later, victim=victim, lost_refs=lost)

    async def whole(self) -> None:
        """Wait until every replica is ready and a search lacks nothing.

        Raises:
            AssertionError: That does not come about.
        """
        await asyncio.to_thread(wait_until, self._all_ready, RECOVERY)
        async with asyncio.timeout(RECOVERY), Client(self.cluster.url) as client:
            while "degraded" in (await call(client, "search", query="river")).content:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def learn(self) -> Undisturbed:
        """Ask everything twice; what is not answered in the same way is no use."""
        await self.whole()
        learnt = {}
        async with Client(self.cluster.url) as client:
            for ask in ASKS:
                first, second = [await self._answer(client, ask) for _ in range(2)]
                assert first == second, f"{ask} is answered in two ways: {first} {second}"
                learnt[ask] = first
        return learnt

    async def status(self) -> dict[str, Any]:
        """Return the gateway's account."""
        return await asyncio.to_thread(self.cluster.status)

    async def replicas(self, library: str) -> list[dict[str, Any]]:
        """Return what the gateway knows of a library's replicas."""
        row = await asyncio.to_thread(self.cluster.library, library)
        return list(row["replicas"])

    def shard_sockets(self) -> list[Path]:
        """Return the sockets of all replicas."""
        return [path for path in self.cluster.sockets() if path.name != "supervisor.sock"]

    def _all_ready(self) -> bool:
        with contextlib.suppress(OSError):
            return all(self.cluster.ready(library) for library in self.archives)
        return False

    async def _answer(self, client: Client, ask: Ask) -> dict[str, Any]:
        for _ in range(10):
            answer = await call(client, ask.tool, **ask.arguments)
            assert not answer.is_error, answer.content
            if "degraded" not in answer.content:
                return answer.content
        raise AssertionError(f"{ask} always lacks a library: {answer.content}")

    async def _lost(self, refs: set[str]) -> list[str]:
        async with Client(self.cluster.url) as client:
            return [ref for ref in sorted(refs) if (await call(client, "fetch", ref=ref)).is_error]
