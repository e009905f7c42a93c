"""One request to one library, carried through drops, overloads, drains and restarts."""

import time
from collections import defaultdict
from collections.abc import Coroutine
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
from common.frames import DescribeReply, DocumentRequest
from gateway.breaker import BreakerState
from gateway.membership import State
from gateway.metrics import Metrics
from gateway.race import hedged
from gateway.replica import Replica, Result, Work
from gateway.shard import Shard

MAX_RESENDS = 2
"""Searches and fetches change nothing, so sending one again is safe; a third time helps nobody."""

_RESENDABLE = (ShardUnavailable, Overloaded, Draining, WrongArchive)

Place = AbstractAsyncContextManager[Any]


class Patience(NamedTuple):
    """How long to wait while no replica of a library is ready.

    Attributes:
        seconds: In all, per call; the same again for replicas that are draining, whose successors
            are still to come.
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
        self._waited: defaultdict[bool, float] = defaultdict(float)
        self._clock = clock
        self._kind = type(request).__name__.removesuffix("Request").lower()
        self._for_search = not isinstance(request, DocumentRequest)
        self._refused: list[Replica] = []
        self._asking: Replica | None = None
        self._began = 0.0

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
        """Note that the library was too slow; cancelling `run` tells its replica.

        The time that passed counts as a latency, or a library whose slow answers nobody awaits
        would never be known to be slow. That of a probe does not: nobody should get used to it.
        """
        if self._asking is not None and self._asking.breaker.state is BreakerState.CLOSED:
            self._shard.latencies[self._kind].add(self._clock() - self._began)

    async def _run(self, deadline: Deadline, place: Place) -> Answer:
        resends = 0
        while True:
            await self._available(deadline)
            async with place:
                replica = self._choose()
                if replica is None:
                    # It went away while others held every place.
                    continue
                try:
                    return await self._ask(replica, deadline)
                except _RESENDABLE as exc:
                    if resends == MAX_RESENDS or not self._helps_to_resend(exc, replica):
                        raise
                    resends += 1
                    self._metrics.resends.labels(self.library, exc.code).inc()

    def _helps_to_resend(self, exc: CorpusError, replica: Replica) -> bool:
        if isinstance(exc, Overloaded):
            self._refused.append(replica)
            return self._choose() is not None
        return not (isinstance(exc, WrongArchive) and self._request.archive)

    def _choose(self, *avoid: Replica) -> Replica | None:
        refused = [*self._refused, *avoid]
        return self._shard.choose(self._request.archive, refused, for_search=self._for_search)

    async def _available(self, deadline: Deadline) -> None:
        """Return when there is a replica to ask."""
        while self._choose() is None:
            obstacle = self._shard.obstacle(self._request.archive, for_search=self._for_search)
            if obstacle is not None:
                raise obstacle
            draining = self._shard.state is State.DRAINING
            left = min(self._patience.seconds - self._waited[draining], deadline.remaining())
            if left <= 0 or not self._shard.may_return(
                self._patience.after_loss, suspects=self._patience.for_suspects
            ):
                raise self._shard.why_not()
            began = self._clock()
            await self._shard.wait_changed(Deadline.after(left, clock=self._clock))
            self._waited[draining] += self._clock() - began

    async def _ask(self, replica: Replica, deadline: Deadline) -> Answer:
        self._asking, self._began = replica, self._clock()
        self.started = self._began if self.started is None else self.started
        self._shard.hedges.earn()
        try:
            answer = await self._ask_hedged(replica, deadline)
        finally:
            self._asking = None
        seconds = self._clock() - self._began
        self._shard.latencies[self._kind].add(seconds)
        self._metrics.shard_seconds.labels(self.library, self._kind).observe(seconds)
        return answer

    async def _ask_hedged(self, replica: Replica, deadline: Deadline) -> Answer:
        delay = self.usual()
        if delay is None or len(self._shard.replicas) < 2:
            return await self._ask_one(replica, deadline)

        def another() -> Coroutine[Any, Any, Answer] | None:
            other = self._choose(replica)
            if other is None or not self._shard.hedges.spend():
                return None
            self._metrics.hedges.labels(self.library).inc()
            return self._ask_one(other, deadline)

        return await hedged(self._ask_one(replica, deadline), another, delay)

    async def _ask_one(self, replica: Replica, deadline: Deadline) -> Answer:
        described = replica.membership.described
        if described is None:
            raise ShardUnavailable("the replica is not known yet")
        return Answer(await replica.ask(self._request, deadline), described)
