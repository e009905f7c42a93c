"""One shard as the gateway sees it: the replicas of one library, and which of them to ask."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection, Sequence

from common import logs
from common.deadline import Clock, Deadline
from common.errors import (
    CorpusError,
    DeadlineExceeded,
    Overloaded,
    ShardUnavailable,
    Starting,
    WrongArchive,
)
from common.frames import DescribeReply
from common.manifest import Library
from gateway.breaker import Breaker
from gateway.client import Wire
from gateway.hedging import HedgeBudget, Latencies
from gateway.membership import Membership, State
from gateway.replica import Replica

WARNING_INTERVAL = 5.0
"""Seconds between two warnings about the same failure of the same library."""

UNABLE_FOR = 6.0
"""Seconds after which a library is not waited for whose replicas all say that they cannot serve: by
then the archive has been tried again, at least once after the longest pause."""

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
        self._openings = 0
        self._told_openings: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The library's name."""
        return self.library.name

    @property
    def ready(self) -> bool:
        """Whether it can be asked now."""
        return bool(self._ready())

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
                self._told_openings.pop(endpoint, None)
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

    def choose(
        self, archive: str, avoid: Collection[Replica] = (), *, for_search: bool = False
    ) -> Replica | None:
        """Return the replica to ask: fewest outstanding requests, then the quickest.

        Args:
            archive: UUID of the archive that must answer; empty means the newest ready snapshot,
                so that a rolling change never mixes editions.
            avoid: Replicas that have just refused.
            for_search: Heed the breakers of the replicas.
        """
        fit = [
            replica
            for replica in self._serving(archive)
            if replica not in avoid and (replica.breaker.lets_through or not for_search)
        ]
        return min(fit, key=lambda one: (one.outstanding, one.pace, one.endpoint), default=None)

    def obstacle(self, archive: str, *, for_search: bool) -> CorpusError | None:
        """Return why `choose` finds nothing, if no waiting would help; None if it may."""
        serving = self._serving(archive)
        concerned = serving or list(self.replicas.values())
        if archive and not serving and self.ready:
            return WrongArchive("another edition of the library is served now")
        if for_search and concerned and not any(one.breaker.lets_through for one in concerned):
            return ShardUnavailable("the library has not answered the last searches")
        if serving:
            return Overloaded("every replica of the library is overloaded")
        return None

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

    def may_return(self, within: float, *, suspects: bool) -> bool:
        """Tell whether a replica may be ready soon.

        Args:
            within: What has been away for more seconds is not hoped for.
            suspects: Hope for replicas that have stopped answering in time.
        """
        away = [
            replica.membership
            for replica in self.replicas.values()
            if replica.membership.state is not State.SUSPECT
        ]
        if len(away) < len(self.replicas):
            # Suspects have just been ready, too: only that of the others counts.
            return suspects or any(self._clock() - one.since <= within for one in away)
        if away and all(one.unable for one in away):
            within = min(within, UNABLE_FOR)
        return self.lost_for() <= within

    def take_openings(self) -> int:
        """Return how often breakers of its replicas have opened since this was last asked."""
        for endpoint, replica in self.replicas.items():
            self._count_openings(endpoint, replica.breaker)
        taken, self._openings = self._openings, 0
        return taken

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

    def _ready(self) -> list[Replica]:
        return [replica for replica in self.replicas.values() if replica.membership.ready]

    def _serving(self, archive: str) -> list[Replica]:
        """Return the ready replicas of an archive, or of the newest snapshot that is ready."""
        ready = self._ready()
        if not archive and ready:
            archive = max(map(_edition, ready))[1]
        return [replica for replica in ready if replica.archive == archive]

    def _notice(self) -> None:
        ready = self._ready()
        if ready:
            self.identity = max(ready, key=_edition).membership.described
            self._lost = None
        elif self._lost is None and self.identity is not None:
            self._lost = self._clock()
        for endpoint, replica in self.replicas.items():
            self._log_state(endpoint, replica.membership)
            self._count_openings(endpoint, replica.breaker)
        self._changed.set()
        self._changed = asyncio.Event()

    def _log_state(self, endpoint: str, membership: Membership) -> None:
        if self._logged.get(endpoint, State.DOWN) is not membership.state:
            self._logged[endpoint] = membership.state
            logger.info(
                "replica changed",
                library=self.name,
                endpoint=endpoint,
                state=str(membership.state),
                error=membership.error,
            )

    def _count_openings(self, endpoint: str, breaker: Breaker) -> None:
        new = breaker.openings - self._told_openings.get(endpoint, 0)
        if new:
            self._told_openings[endpoint] = breaker.openings
            self._openings += new
            logger.warning(
                "breaker opened", library=self.name, endpoint=endpoint, seconds=breaker.pause
            )


def _edition(replica: Replica) -> tuple[str, str]:
    described = replica.membership.described
    return (described.snapshot, described.archive) if described else ("", "")
