"""One replica of a library as the gateway sees it: its connection, its membership, its pace."""

import asyncio
import time
from collections.abc import Callable
from functools import partial

import msgspec

from common.codec import to_error
from common.deadline import Clock, Deadline
from common.errors import (
    CorpusError,
    DeadlineExceeded,
    Draining,
    ProtocolError,
    ShardUnavailable,
    WrongArchive,
)
from common.frames import (
    DescribeReply,
    DescribeRequest,
    DocumentReply,
    DocumentRequest,
    ErrorReply,
    PreviewReply,
    PreviewRequest,
    QueryReply,
    QueryRequest,
    Reply,
    SpellReply,
    SpellRequest,
)
from gateway.breaker import Attempt, Breaker
from gateway.client import Wire
from gateway.membership import SUSPECT_AFTER, Membership

Work = QueryRequest | SpellRequest | PreviewRequest | DocumentRequest
"""What is asked of a replica once it is known."""

Result = QueryReply | SpellReply | PreviewReply | DocumentReply

DESCRIBE_DEADLINE = 10.0
"""Seconds for a describe. It is asked of a busy single-threaded worker, too, and its answer is
what brings a suspect back, so it is patient."""

_PACE_WEIGHT = 0.2
"""Share of the newest latency in the moving average that breaks ties between replicas."""

_REPLY_TO: dict[type[Work], type[Result]] = {
    QueryRequest: QueryReply,
    SpellRequest: SpellReply,
    PreviewRequest: PreviewReply,
    DocumentRequest: DocumentReply,
}


class Replica:
    """A connection that knows what is at its other end.

    Attributes:
        membership: What is believed about it.
        breaker: Whether searches may ask it, and how often they were kept from it.
        pace: Moving average of its latencies, in seconds.
    """

    def __init__(
        self,
        endpoint: str,
        library: str,
        wire: Wire,
        changed: Callable[[], None],
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self.membership = Membership(library, clock=clock)
        self.breaker = Breaker(clock=clock)
        self.pace = 0.0
        self._library = library
        self._changed = changed
        self._clock = clock
        self._heard = clock()
        self._describing: asyncio.Task[None] | None = None
        self._connection = wire.connect(endpoint, self, clock=clock)

    @property
    def archive(self) -> str:
        """UUID of its archive; empty while unknown."""
        described = self.membership.described
        return described.archive if described else ""

    @property
    def alive(self) -> bool:
        """Whether a peer is connected."""
        return self._connection.alive

    @property
    def outstanding(self) -> int:
        """Requests it has not answered, whether or not somebody waits for them."""
        return self._connection.outstanding

    @property
    def garbage(self) -> int:
        """Undecodable replies dropped so far."""
        return self._connection.garbage

    async def ask(self, request: Work, deadline: Deadline) -> Result:
        """Return the reply to ``request``, addressed to the archive that this replica serves.

        Raises:
            CorpusError: What the connection raises, or what the replica answered.
        """
        if deadline.expired():
            # Sent with nothing left, it would be a missed deadline of the replica.
            raise DeadlineExceeded("no time was left to ask")
        addressed = msgspec.structs.replace(request, archive=request.archive or self.archive)
        heeded = not isinstance(request, DocumentRequest)
        attempt = Attempt(self.breaker if heeded else None, self._clock())
        try:
            reply = await self._connection.ask(addressed, deadline, partial(self._late, attempt))
        except ShardUnavailable:
            attempt.ended_badly()
            self._changed()
            raise
        except DeadlineExceeded:
            self._missed(attempt)
            raise
        except asyncio.CancelledError:
            self._left(attempt, deadline)
            raise
        except Exception:
            attempt.withdrawn()
            raise
        self._note(attempt, reply)
        return self._checked(request, reply)

    def describe(self) -> None:
        """Ask the replica who it is, unless that is under way."""
        if self.alive and self._describing is None:
            self._describing = asyncio.create_task(self._describe())
            self._describing.add_done_callback(self._described)

    async def close(self) -> None:
        """Close the connection and end what runs."""
        self._connection.close()
        if self._describing is not None:
            self._describing.cancel()
            # Not awaited by itself: its cancellation would look like that of whoever waits.
            await asyncio.wait([self._describing])

    def connected(self) -> None:
        """See `gateway.client.Watcher`."""
        self.breaker.reconnected()
        self.membership.connected()
        self.describe()
        self._changed()

    def disconnected(self) -> None:
        """See `gateway.client.Watcher`."""
        self.membership.disconnected()
        if self._describing is not None:
            # The next connection asks anew, also if it comes before this task has ended.
            self._describing.cancel()
            self._describing = None
        self._changed()

    def not_admitted(self, reason: str) -> None:
        """See `gateway.client.Watcher`."""
        self.membership.not_admitted(reason)
        self._changed()

    def spoke_foreign(self, tag: bytes) -> None:
        """See `gateway.client.Watcher`."""
        self.membership.refuse(f"speaks protocol {tag.decode('ascii', 'replace')}")
        self._changed()

    def _note(self, attempt: Attempt, reply: Reply) -> None:
        self._heard = self._clock()
        self.membership.answered()
        if isinstance(reply, ErrorReply) and reply.code == DeadlineExceeded.code:
            # It only noticed before we did.
            attempt.ended_badly()
        else:
            attempt.answered()
        self.pace += (self._heard - attempt.began - self.pace) * _PACE_WEIGHT

    def _late(self, attempt: Attempt, reply: Reply) -> None:
        self._note(attempt, reply)
        if isinstance(reply, ErrorReply):
            self._heed(to_error(reply))
        self._changed()

    def _left(self, attempt: Attempt, deadline: Deadline) -> None:
        """Nobody waits any longer for an answer that is due: the replica is slow, or stuck."""
        if deadline.expired():
            self._missed(attempt)
            return
        now = self._clock()
        due_since = self._connection.oldest
        silent_for = now - max(self._heard, attempt.began if due_since is None else due_since)
        if silent_for >= SUSPECT_AFTER:
            self._missed(attempt)
        else:
            attempt.given_up()
            self._suspect(attempt)

    def _missed(self, attempt: Attempt) -> None:
        attempt.ended_badly()
        self.membership.missed()
        self._suspect(attempt)

    def _suspect(self, attempt: Attempt) -> None:
        # What took so long without an answer is at least so slow.
        slow = self.pace + (self._clock() - attempt.began - self.pace) * _PACE_WEIGHT
        self.pace = max(self.pace, slow)
        self.describe()
        self._changed()

    def _checked(self, request: Work, reply: Reply) -> Result:
        if isinstance(reply, ErrorReply):
            error = to_error(reply)
            self._heed(error)
            raise error
        if not isinstance(reply, _REPLY_TO[type(request)]):
            raise ProtocolError(f"a {type(reply).__name__} came for a {type(request).__name__}")
        return reply

    def _heed(self, error: CorpusError) -> None:
        if isinstance(error, Draining):
            self.membership.draining()
            self._changed()
        elif isinstance(error, WrongArchive):
            self.membership.renamed()
            self.describe()
            self._changed()

    async def _describe(self) -> None:
        request = DescribeRequest(request_id=0, library=self._library)
        deadline = Deadline.after(DESCRIBE_DEADLINE, clock=self._clock)
        try:
            reply = await self._connection.ask(request, deadline)
        except DeadlineExceeded:
            self.membership.missed()
        except CorpusError as exc:
            self.membership.error = str(exc)
        else:
            self._identify(reply)
        self._changed()

    def _identify(self, reply: Reply) -> None:
        if isinstance(reply, DescribeReply):
            self.membership.described_as(reply)
        elif isinstance(reply, ErrorReply) and reply.code == Draining.code:
            self.membership.draining()
        elif isinstance(reply, ErrorReply) and reply.code == ShardUnavailable.code:
            self.membership.cannot_serve(f"{reply.code}: {reply.message}")
        elif isinstance(reply, ErrorReply):
            self.membership.refuse(f"{reply.code}: {reply.message}")

    def _described(self, task: asyncio.Task[None]) -> None:
        if self._describing is task:
            self._describing = None
