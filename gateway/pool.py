"""Every library's shard, kept up to date by discovery and by the manifest."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractContextManager, asynccontextmanager

from common import logs
from common import manifest as manifests
from common.deadline import Clock, Deadline
from common.frames import DescribeReply
from common.manifest import Library, Manifest
from gateway.client import Wire
from gateway.discovery import Discovery
from gateway.libraries import Libraries, View
from gateway.readiness import Phase, Readiness
from gateway.shard import Shard

DISCOVERY_INTERVAL = 2.0
"""Seconds between two looks for replicas, and at the manifest."""

STARTING_INTERVAL = 0.1
"""The same while the gateway is starting: it would idle beside shards that are long ready. Between
two looks at the states of new libraries, too."""

logger = logs.get_logger()


class Pool:
    """The shards of a manifest.

    Attributes:
        digest: Tells this manifest from another, see `common.manifest.digest`.
    """

    def __init__(
        self,
        manifest: Manifest,
        discovery: Discovery,
        *,
        reread: Callable[[], Manifest | None] = lambda: None,
        wire: Wire | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        """Make the shards; nothing is connected before `running`. Needs no event loop.

        Args:
            manifest: The libraries to begin with.
            discovery: Where their replicas are.
            reread: Returns the manifest if it has changed, see `gateway.manifest_file`.
            wire: Connects to them; closed with the pool.
            clock: Of everything that is decided by time.
        """
        self.digest = manifests.digest(manifest)
        self._wire = wire or Wire()
        self._clock = clock
        self._libraries = Libraries(manifest, self._shard, clock=clock)
        self._discovery = discovery
        self._reread = reread
        self._readiness = Readiness(clock=clock)

    @property
    def shards(self) -> Mapping[str, Shard]:
        """The shards that searches ask now, by name, in the order of the manifest."""
        return self._libraries.view.joined

    @property
    def named(self) -> Mapping[str, Shard]:
        """All that the manifest names: those, and new ones that have not been ready yet."""
        return self._libraries.view.named

    @property
    def removed(self) -> Collection[str]:
        """The libraries that a manifest before this one named."""
        return self._libraries.removed

    @property
    def phase(self) -> Phase:
        """Whether the gateway is starting, ready, degraded or draining."""
        return self._readiness.phase(self.ready(), len(self.shards))

    def held(self) -> AbstractContextManager[View]:
        """Lend the shards of the moment to a call: they stay connected until the block ends."""
        return self._libraries.held()

    def all(self) -> list[Shard]:
        """Return every shard, also those that have been removed and still answer calls."""
        return self._libraries.all()

    def ready(self) -> list[str]:
        """Return the libraries that answer, in the order of the manifest."""
        return [name for name, shard in self.shards.items() if shard.ready]

    def missing(self) -> list[str]:
        """Return the libraries that do not."""
        return [name for name, shard in self.shards.items() if not shard.ready]

    def editions(self) -> dict[str, str]:
        """Return of what each library would answer, see `edition`; empty if it cannot now."""
        return {
            name: edition(shard.identity) if shard.ready and shard.identity is not None else ""
            for name, shard in self.shards.items()
        }

    def why_none(self, shard: Shard) -> str:
        """Return why no replica of a library is known, for the operator; empty if one is."""
        return "" if shard.replicas else self._discovery.why_none(shard.library)

    def drain(self) -> None:
        """Turn `phase` to draining; everything keeps working."""
        self._readiness.drain()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the shards connected while the block runs."""
        task = asyncio.create_task(self._discover())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            for shard in self.all():
                await shard.close()
            self._wire.close()

    async def opened(self, *, within: float) -> bool:
        """Tell whether the gateway serves, waiting for it at most ``within`` seconds."""
        deadline = Deadline.after(within, clock=self._clock)
        while self.phase == "starting":
            if deadline.expired():
                return False
            await self._any_change(Deadline.after(STARTING_INTERVAL, clock=self._clock))
        return True

    async def _any_change(self, deadline: Deadline) -> None:
        waits = [
            asyncio.create_task(shard.wait_changed(deadline))
            for shard in self.shards.values()
            if not shard.ready
        ]
        if not waits:
            return
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _shard(self, library: Library) -> Shard:
        return Shard(library, self._wire, clock=self._clock)

    async def _discover(self) -> None:
        while True:
            for step in (self._take_up, self._look, self._let_go):
                try:
                    await step()
                except Exception:
                    # The one loop that brings libraries back must not end by a surprise.
                    logger.exception("discovery failed")
            starting = self.phase == "starting"
            await self._pause(STARTING_INTERVAL if starting else DISCOVERY_INTERVAL)

    async def _take_up(self) -> None:
        manifest = self._reread()
        if manifest is not None:
            self.digest = manifests.digest(manifest)
            self._libraries.change(manifest)

    async def _look(self) -> None:
        named = self.named
        found = await self._discovery.find([shard.library for shard in named.values()])
        for name, shard in named.items():
            try:
                await shard.update(found.get(name, ()))
            except Exception:
                logger.exception("discovery failed", library=name)
            if self.phase != "starting":
                shard.refresh()

    async def _let_go(self) -> None:
        for shard in self._libraries.gone():
            await shard.close()

    async def _pause(self, seconds: float) -> None:
        deadline = Deadline.after(seconds)
        while not deadline.expired():
            left = deadline.remaining()
            await asyncio.sleep(left if self._libraries.settled else min(left, STARTING_INTERVAL))
            self._libraries.settle()


def edition(identity: DescribeReply) -> str:
    """Return what answers depend on besides the question: the archive, and how it is read."""
    return f"{identity.archive} {identity.adapter} {identity.index}"
