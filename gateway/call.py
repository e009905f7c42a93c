"""One request to one library, carried through drops, overloads, drains and restarts."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, NamedTuple

from common.deadline import Clock, Deadline
from common.errors import (
    CorpusError,
    Draining,
    Overloaded,
    RequestError,
    ShardUnavailable,
    WrongArchive,
)
from common.frames import DescribeReply
from gateway.membership import State
from gateway.metrics import Metrics
from gateway.replica import Replica, Result, Work
from gateway.shard import Shard

MAX_RESENDS = 2
"""Searches and fetches change nothing, so sending one again is safe; a third time helps nobody."""

_RESENDABLE = (ShardUnavailable, Overloaded, Draining, WrongArchive)

Place = AbstractAsyncContextManager[Any]


class Patience(NamedTuple):
    """How long to wait while no replica of a library is ready.

    Attributes:
        seconds: In all, per call.
        after_loss: A library that has been away for longer is not waited for.
        for_suspects: Whether a library that has stopped answering in time is.
    """

    seconds: float
    after_loss: float
    for_suspects: bool


class Answer(NamedTuple):
    """A reply, and what the replica that gave it said about itself."""

    reply: Result
    described: DescribeReply


class Call:
    """Asks the best replica, and after a drop the next best or the same library's next worker.

    Attributes:
        library: Whom it asks.
        started: When the first request left; None before.
    """

    def __init__(
        self,
        shard: Shard,
        request: Work,
        metrics: Metrics,
        patience: Patience,
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        """Prepare a call; a ``request`` with ``archive`` set is for that archive alone."""
        self.library = shard.name
        self.started: float | None = None
        self._shard = shard
        self._request = request
        self._metrics = metrics
        self._patience = patience
        self._waited = 0.0
        self._clock = clock
        self._kind = type(request).__name__.removesuffix("Request").lower()
        self._asked: list[Replica] = []

    async def run(self, deadline: Deadline, place: Place | None = None) -> Answer:
        """Return the answer; ``place`` is held only while a request is in flight.

        Raises:
            CorpusError: What the last attempt ended with.
        """
        try:
            return await self._run(deadline, place or nullcontext())
        except CorpusError as exc:
            if not isinstance(exc, RequestError):
                self._metrics.shard_failures.labels(self.library, exc.code).inc()
                self._shard.warn(exc)
            raise

    def usual(self) -> float | None:
        """Return the library's recent 95th percentile for such a request, in seconds."""
        return self._shard.latencies[self._kind].p95()

    def cut_off(self) -> None:
        """Tell the replicas that are being asked that they are too slow.

        The time that passed counts as a latency, or a library whose slow answers nobody awaits
        would never be known to be slow.
        """
        if self._asked and self.started is not None:
            self._shard.latencies[self._kind].add(self._clock() - self.started)
        for replica in self._asked:
            replica.cut_off()

    async def _run(self, deadline: Deadline, place: Place) -> Answer:
        refused: list[Replica] = []
        for resends in range(MAX_RESENDS + 1):
            replica = await self._replica(deadline, refused)
            try:
                async with place:
                    return await self._ask(replica, deadline)
            except _RESENDABLE as exc:
                if resends == MAX_RESENDS or self._pinned_elsewhere(exc):
                    raise
                if isinstance(exc, Overloaded):
                    refused.append(replica)
                    if self._shard.choose(self._request.archive, refused) is None:
                        raise
                self._metrics.resends.labels(self.library, exc.code).inc()
        raise AssertionError("unreachable")

    def _pinned_elsewhere(self, exc: CorpusError) -> bool:
        return isinstance(exc, WrongArchive) and bool(self._request.archive)

    async def _replica(self, deadline: Deadline, refused: Sequence[Replica]) -> Replica:
        while True:
            if replica := self._shard.choose(self._request.archive, refused):
                return replica
            left = min(self._patience.seconds - self._waited, deadline.remaining())
            if left <= 0 or not self._worth_waiting():
                raise self._shard.why_not()
            began = self._clock()
            await self._shard.wait_changed(Deadline.after(left, clock=self._clock))
            self._waited += self._clock() - began

    def _worth_waiting(self) -> bool:
        if self._shard.state is State.SUSPECT:
            return self._patience.for_suspects
        return self._shard.lost_for() <= self._patience.after_loss

    async def _ask(self, replica: Replica, deadline: Deadline) -> Answer:
        began = self._clock()
        self.started = began if self.started is None else self.started
        self._shard.hedges.earn()
        try:
            answer = await self._ask_hedged(replica, deadline)
        finally:
            self._asked.clear()
        seconds = self._clock() - began
        self._shard.latencies[self._kind].add(seconds)
        self._metrics.shard_seconds.labels(self.library, self._kind).observe(seconds)
        return answer

    async def _ask_hedged(self, replica: Replica, deadline: Deadline) -> Answer:
        delay = self.usual()
        if delay is None or self._shard.choose(self._request.archive, [replica]) is None:
            return await self._ask_one(replica, deadline)
        tasks = [asyncio.create_task(self._ask_one(replica, deadline))]
        try:
            await asyncio.wait(tasks, timeout=delay)
            other = self._shard.choose(self._request.archive, [replica])
            if not tasks[0].done() and other is not None and self._shard.hedges.spend():
                self._metrics.hedges.labels(self.library).inc()
                tasks.append(asyncio.create_task(self._ask_one(other, deadline)))
            return await _first_answer(tasks, replica)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_one(self, replica: Replica, deadline: Deadline) -> Answer:
        described = replica.membership.described
        if described is None:
            raise ShardUnavailable("the replica is not known yet")
        self._asked.append(replica)
        return Answer(await replica.ask(self._request, deadline), described)


async def _first_answer(tasks: Sequence["asyncio.Task[Answer]"], first: Replica) -> Answer:
    pending = set(tasks)
    while True:
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        good = [task for task in done if task.exception() is None]
        if good and len(tasks) > 1 and tasks[0] in pending:
            first.cut_off()
        if good or not pending:
            return (good or list(done))[0].result()
