"""Every library's shard, kept up to date by discovery."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common import logs
from common.deadline import Clock, Deadline
from common.manifest import Manifest
from gateway.client import Wire
from gateway.discovery import Discovery
from gateway.readiness import Phase, Readiness
from gateway.shard import Shard

DISCOVERY_INTERVAL = 2.0
"""Seconds between two looks for replicas."""

STARTING_INTERVAL = 0.1
"""The same while the gateway is starting: it would idle beside shards that are long ready."""

logger = logs.get_logger()


class Pool:
    """The shards of a manifest."""

    def __init__(
        self, manifest: Manifest, discovery: Discovery, *, clock: Clock = time.monotonic
    ) -> None:
        """Make the shards; nothing is connected before `running`. Needs no event loop."""
        self._wire = Wire()
        self.shards = {
            library.name: Shard(library, self._wire, clock=clock) for library in manifest.libraries
        }
        self._discovery = discovery
        self._clock = clock
        self._readiness = Readiness(clock=clock)

    @property
    def phase(self) -> Phase:
        """Whether the gateway is starting, ready, degraded or draining."""
        return self._readiness.phase(self.ready(), len(self.shards))

    def ready(self) -> list[str]:
        """Return the libraries that answer, in the order of the manifest."""
        return [name for name, shard in self.shards.items() if shard.ready]

    def missing(self) -> list[str]:
        """Return the libraries that do not."""
        return [name for name, shard in self.shards.items() if not shard.ready]

    def editions(self) -> dict[str, str]:
        """Return the UUID of the archive that each ready library would answer from, by name."""
        return {
            name: shard.identity.archive
            for name, shard in self.shards.items()
            if shard.ready and shard.identity is not None
        }

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
            for shard in self.shards.values():
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

    async def _discover(self) -> None:
        while True:
            try:
                await self._look()
            except Exception:
                # The one loop that brings libraries back must not end by a surprise.
                logger.exception("discovery failed")
            starting = self.phase == "starting"
            await asyncio.sleep(STARTING_INTERVAL if starting else DISCOVERY_INTERVAL)

    async def _look(self) -> None:
        libraries = [shard.library for shard in self.shards.values()]
        found = await self._discovery.find(libraries)
        for name, shard in self.shards.items():
            await shard.update(found.get(name, ()))
            if self.phase != "starting":
                shard.refresh()
