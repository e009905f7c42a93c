"""One replica of a library as the gateway sees it: its connection, its membership, its pace."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import msgspec

from common.codec import to_error
from common.deadline import Clock, Deadline
from common.errors import CorpusError, DeadlineExceeded, Draining, ProtocolError, WrongArchive
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
from gateway.client import Wire
from gateway.membership import Membership

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
        outstanding: Requests it has not answered.
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
        self.outstanding = 0
        self.pace = 0.0
        self._library = library
        self._changed = changed
        self._clock = clock
        self._heard = clock()
        self._describing: asyncio.Task[None] | None = None
        self._connection = wire.connect(endpoint, self)

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
    def garbage(self) -> int:
        """Undecodable replies dropped so far."""
        return self._connection.garbage

    async def ask(self, request: Work, deadline: Deadline) -> Result:
        """Return the reply to ``request``, addressed to the archive that this replica serves.

        Raises:
            CorpusError: What the connection raises, or what the replica answered.
        """
        addressed = msgspec.structs.replace(request, archive=request.archive or self.archive)
        started = self._clock()
        if not self.outstanding:
            self._heard = started
        self.outstanding += 1
        try:
            reply = await self._connection.ask(addressed, deadline)
        except DeadlineExceeded:
            self.membership.missed()
            self._suspected()
            raise
        finally:
            self.outstanding -= 1
        self._heard = self._clock()
        self.membership.answered()
        result = self._checked(request, reply)
        self.pace += (self._heard - started - self.pace) * _PACE_WEIGHT
        return result

    def cut_off(self) -> None:
        """Note that nobody waits any longer for an answer that is due."""
        self.membership.cut_off(self._clock() - self._heard)
        self._suspected()

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
            with suppress(asyncio.CancelledError):
                await self._describing

    def connected(self) -> None:
        """See `gateway.client.Watcher`."""
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

    def spoke_foreign(self, tag: bytes) -> None:
        """See `gateway.client.Watcher`."""
        self.membership.refuse(f"speaks protocol {tag.decode('ascii', 'replace')}")
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

    def _suspected(self) -> None:
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
        self._heard = self._clock()
        if isinstance(reply, DescribeReply):
            self.membership.described_as(reply)
        elif isinstance(reply, ErrorReply) and reply.code == Draining.code:
            self.membership.draining()
        elif isinstance(reply, ErrorReply):
            self.membership.refuse(f"{reply.code}: {reply.message}")

    def _described(self, task: asyncio.Task[None]) -> None:
        if self._describing is task:
            self._describing = None
