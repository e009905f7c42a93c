"""One shard as the gateway sees it: the replicas of one library, and which of them to ask."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Sequence

from common import logs
from common.deadline import Clock, Deadline
from common.errors import CorpusError, DeadlineExceeded, ShardUnavailable, Starting
from common.frames import DescribeReply
from common.manifest import Library
from gateway.client import Wire
from gateway.hedging import HedgeBudget, Latencies
from gateway.membership import State
from gateway.replica import Replica

WARNING_INTERVAL = 5.0
"""Seconds between two warnings about the same failure of the same library."""

STARTING_FOR = 60.0
"""Seconds after which a library that has never been ready is no longer called starting."""

logger = logs.get_logger()

_BEST_FIRST = (State.READY, State.SUSPECT, State.DRAINING, State.STARTING, State.DOWN)


class Shard:
    """The replicas of one library.

    Attributes:
        library: As the manifest names it.
        replicas: By endpoint.
        latencies: By the name of the request's type.
        identity: What the replica that would be asked says about itself; the last known one while
            there is none.
    """

    def __init__(self, library: Library, wire: Wire, *, clock: Clock = time.monotonic) -> None:
        self.library = library
        self.replicas: dict[str, Replica] = {}
        self.latencies: defaultdict[str, Latencies] = defaultdict(Latencies)
        self.hedges = HedgeBudget()
        self.identity: DescribeReply | None = None
        self._wire = wire
        self._clock = clock
        self._changed = asyncio.Event()
        self._made = clock()
        self._lost: float | None = None
        self._warned: dict[str, float] = {}
        self._logged: dict[str, State] = {}

    @property
    def name(self) -> str:
        """The library's name."""
        return self.library.name

    @property
    def ready(self) -> bool:
        """Whether it can be asked now."""
        return any(replica.membership.ready for replica in self.replicas.values())

    @property
    def state(self) -> State:
        """The best state of any replica."""
        states = {replica.membership.state for replica in self.replicas.values()}
        return next((state for state in _BEST_FIRST if state in states), State.DOWN)

    async def update(self, endpoints: Sequence[str]) -> None:
        """Connect to new endpoints, and let go of vanished ones that do not answer any more."""
        for endpoint in endpoints:
            if endpoint not in self.replicas:
                self.replicas[endpoint] = Replica(
                    endpoint, self.name, self._wire, self._notice, clock=self._clock
                )
        for endpoint in set(self.replicas) - set(endpoints):
            replica = self.replicas[endpoint]
            if not replica.alive and not replica.outstanding:
                del self.replicas[endpoint]
                self._logged.pop(endpoint, None)
                await replica.close()

    def refresh(self) -> None:
        """Ask every connected replica again who it is: counters for status, and a sign of life."""
        for replica in self.replicas.values():
            replica.describe()

    async def close(self) -> None:
        """Close every connection."""
        for replica in self.replicas.values():
            await replica.close()
        self.replicas.clear()

    def choose(self, archive: str, avoid: Collection[Replica] = ()) -> Replica | None:
        """Return the replica to ask: fewest outstanding requests, then the quickest.

        Args:
            archive: UUID of the archive that must answer; empty means the newest ready snapshot,
                so that a rolling change never mixes editions.
            avoid: Replicas that have just refused.
        """
        ready = [replica for replica in self.replicas.values() if replica.membership.ready]
        if not archive and ready:
            archive = max(map(_edition, ready))[1]
        fit = [replica for replica in ready if replica.archive == archive and replica not in avoid]
        return min(fit, key=lambda one: (one.outstanding, one.pace, one.endpoint), default=None)

    async def wait_changed(self, deadline: Deadline) -> None:
        """Return when some replica's state has changed, or at the deadline."""
        event = self._changed
        try:
            async with asyncio.timeout(deadline.remaining()):
                await event.wait()
        except TimeoutError:
            return

    def lost_for(self) -> float:
        """Return for how many seconds no replica has been ready; since it was made, if never."""
        if self.ready:
            return 0.0
        return self._clock() - (self._made if self._lost is None else self._lost)

    def warn(self, error: CorpusError) -> None:
        """Log that a request failed for good, once in a while per kind of failure."""
        now = self._clock()
        if now - self._warned.get(error.code, -WARNING_INTERVAL) >= WARNING_INTERVAL:
            self._warned[error.code] = now
            logger.warning("shard failed", library=self.name, code=error.code, error=str(error))

    def why_not(self) -> CorpusError:
        """Return the error that says why no replica can be asked."""
        if self.state is State.SUSPECT:
            return DeadlineExceeded("the library has stopped answering in time")
        if self.identity is None and self._clock() - self._made < STARTING_FOR:
            return Starting("the library has not been ready yet")
        return ShardUnavailable("no replica of the library can be reached")

    def _notice(self) -> None:
        ready = [replica for replica in self.replicas.values() if replica.membership.ready]
        if ready:
            self.identity = max(ready, key=_edition).membership.described
            self._lost = None
        elif self._lost is None and self.identity is not None:
            self._lost = self._clock()
        self._log_changes()
        self._changed.set()
        self._changed = asyncio.Event()

    def _log_changes(self) -> None:
        for endpoint, replica in self.replicas.items():
            membership = replica.membership
            if self._logged.get(endpoint, State.DOWN) is not membership.state:
                self._logged[endpoint] = membership.state
                logger.info(
                    "replica changed",
                    library=self.name,
                    endpoint=endpoint,
                    state=str(membership.state),
                    error=membership.error,
                )


def _edition(replica: Replica) -> tuple[str, str]:
    described = replica.membership.described
    return (described.snapshot, described.archive) if described else ("", "")
