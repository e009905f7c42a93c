"""The gateway's end of the wire: one DEALER socket per replica. The only user of zmq here.

The sockets are read through their file descriptors, which costs half of what ``zmq.asyncio``
does. Such a descriptor is edge-triggered: whoever sends or receives has to look at the socket's
events again, or a reply stays unread for ever.

A connection is alive from ZeroMQ's ``HANDSHAKE_SUCCEEDED`` until ``DISCONNECTED``: the kernel
accepts connections for a stopped process too, so ``CONNECTED`` proves nothing. Every request that
is in flight at the disconnect fails at once; ZeroMQ never delivers it a second time
(``IMMEDIATE``).
"""

import asyncio
import itertools
from contextlib import suppress
from typing import Protocol

import msgspec
import zmq
from zmq.utils.monitor import parse_monitor_message

from common.codec import MAX_FRAME_BYTES, decode_reply, encode
from common.deadline import Deadline
from common.errors import DeadlineExceeded, Overloaded, ProtocolError, ShardUnavailable
from common.frames import PROTOCOL_TAG, DescribeRequest, Reply, Request

MAX_PENDING = 256
"""Requests in flight per replica: as many as may wait in one worker by default."""

MAX_SOCKETS = 12_288
"""ZeroMQ counts three per monitored DEALER and ends at 1023 unless told; this is 4096 replicas."""

_READ_BATCH = 64
"""Replies read in one go before the event loop gets its turn."""

_MONITORED = zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED

_OPTIONS = {
    zmq.LINGER: 0,
    zmq.IMMEDIATE: 1,
    zmq.RECONNECT_IVL: 20,
    # An endpoint that stays dead costs CPU at 20 ms: 0.1 core for forty of them.
    zmq.RECONNECT_IVL_MAX: 500,
    zmq.HEARTBEAT_IVL: 500,
    zmq.HEARTBEAT_TIMEOUT: 1500,
    zmq.HANDSHAKE_IVL: 1000,
    zmq.CONNECT_TIMEOUT: 300,
    zmq.TCP_MAXRT: 2000,
    zmq.MAXMSGSIZE: MAX_FRAME_BYTES,
}
"""A crash is seen in 2 ms, a stopped peer in 1.7 s, and a restart within 25 ms."""


class Watcher(Protocol):
    """Who wants to know what happens to a connection; called on the event loop."""

    def connected(self) -> None:
        """A peer has completed the handshake."""

    def disconnected(self) -> None:
        """That peer is gone; requests in flight have failed already."""

    def spoke_foreign(self, tag: bytes) -> None:
        """A reply of another protocol version came."""


class Wire:
    """The ZeroMQ context that all connections of one gateway share."""

    def __init__(self) -> None:
        self._context = zmq.Context()
        self._context.max_sockets = MAX_SOCKETS

    def connect(self, endpoint: str, watcher: Watcher) -> "Connection":
        """Return a connection that keeps trying to reach ``endpoint`` until it is closed."""
        return Connection(self._context, endpoint, watcher)

    def close(self) -> None:
        """End the context; every connection has to be closed before."""
        self._context.destroy(linger=0)


class Connection:
    """One replica's socket, owned by the event loop it was made on.

    Attributes:
        alive: Whether a peer answers at the other end.
        garbage: Replies dropped because they cannot be decoded.
        late: Replies dropped because nobody waits for them any more.
    """

    def __init__(
        self, context: "zmq.Context[zmq.Socket[bytes]]", endpoint: str, watcher: Watcher
    ) -> None:
        self.endpoint = endpoint
        self.alive = False
        self.garbage = 0
        self.late = 0
        self._connections = 0
        self._watcher = watcher
        self._loop = asyncio.get_running_loop()
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Reply]] = {}
        self._socket = context.socket(zmq.DEALER)
        for option, value in _OPTIONS.items():
            self._socket.setsockopt(option, value)
        self._monitor = self._socket.get_monitor_socket(_MONITORED)
        self._loop.add_reader(_descriptor(self._socket), self._read)
        self._loop.add_reader(_descriptor(self._monitor), self._read_monitor)
        self._socket.connect(endpoint)
        self._loop.call_soon(self._read_monitor)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._socket.closed

    async def ask(self, request: Request, deadline: Deadline) -> Reply:
        """Send ``request`` under a fresh id with the budget that is left, and return the reply.

        Raises:
            ShardUnavailable: Nobody is connected, or the peer went away before it answered.
            Overloaded: Too many requests are in flight already.
            DeadlineExceeded: No reply came in time.
        """
        request_id = next(self._ids)
        future = self._send(request_id, request, deadline)
        try:
            async with asyncio.timeout(deadline.remaining()):
                return await future
        except TimeoutError:
            raise DeadlineExceeded("no answer before the deadline") from None
        finally:
            self._pending.pop(request_id, None)
            if not future.cancelled() and future.done():
                # Marks it as seen: a cancelled asker never looks.
                future.exception()

    def close(self) -> None:
        """Close the socket; whoever waits for a reply is told."""
        if self._socket.closed:
            return
        self._loop.remove_reader(_descriptor(self._socket))
        self._loop.remove_reader(_descriptor(self._monitor))
        self._socket.disable_monitor()
        self._monitor.close(linger=0)
        self._socket.close(linger=0)
        self.alive = False
        self._fail_pending("the connection was closed")

    def _send(
        self, request_id: int, request: Request, deadline: Deadline
    ) -> "asyncio.Future[Reply]":
        if not self.alive:
            raise ShardUnavailable("nobody is connected")
        if len(self._pending) >= MAX_PENDING:
            raise Overloaded(f"{MAX_PENDING} requests are in flight")
        parts = _parts(request_id, request, deadline)
        if not self._sent(parts):
            raise ShardUnavailable("the peer has just gone")
        future = self._pending[request_id] = self._loop.create_future()
        if _readable(self._socket):
            self._loop.call_soon(self._read)
        return future

    def _sent(self, parts: list[bytes]) -> bool:
        for _ in range(2):
            with suppress(zmq.Again):
                self._socket.send_multipart(parts, zmq.DONTWAIT)
                return True
            # Asking for events lets ZeroMQ take note of a peer that has just come or gone, which
            # sending alone does at most once a millisecond.
            _readable(self._socket)
        connections = self._connections
        self._read_monitor()
        if self.alive and connections == self._connections:
            # The monitor's word is still on its way. Whoever sends again must not choose this
            # replica before it comes.
            self._drop()
        return False

    def _read(self) -> None:
        for _ in range(_READ_BATCH):
            if self._socket.closed or not _readable(self._socket):
                return
            try:
                parts = self._socket.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                continue
            self._resolve(parts)
        self._loop.call_soon(self._read)

    def _resolve(self, parts: list[bytes]) -> None:
        try:
            reply = decode_reply(parts)
        except ProtocolError:
            self.garbage += 1
            if parts[0] != PROTOCOL_TAG and parts[0].startswith(b"corpus/"):
                self._watcher.spoke_foreign(parts[0][:16])
            return
        future = self._pending.get(reply.request_id)
        if future is None or future.done():
            self.late += 1
            return
        future.set_result(reply)

    def _read_monitor(self) -> None:
        while not self._socket.closed and _readable(self._monitor):
            try:
                message = parse_monitor_message(self._monitor.recv_multipart(zmq.DONTWAIT))
            except zmq.Again:
                continue
            if message["event"] == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.alive = True
                self._connections += 1
                self._watcher.connected()
            elif message["event"] == zmq.EVENT_DISCONNECTED and self.alive:
                self._drop()

    def _drop(self) -> None:
        # What the peer said before it went is still good, if ZeroMQ has kept it.
        self._read()
        self.alive = False
        self._watcher.disconnected()
        self._fail_pending("the replica went away")

    def _fail_pending(self, reason: str) -> None:
        for future in self._pending.values():
            if not future.done():
                future.set_exception(ShardUnavailable(reason))


def _parts(request_id: int, request: Request, deadline: Deadline) -> list[bytes]:
    if isinstance(request, DescribeRequest):
        return encode(msgspec.structs.replace(request, request_id=request_id))
    budget = deadline.remaining()
    return encode(msgspec.structs.replace(request, request_id=request_id, budget=budget))


def _descriptor(socket: "zmq.Socket[bytes]") -> int:
    return int(socket.getsockopt(zmq.FD))


def _readable(socket: "zmq.Socket[bytes]") -> bool:
    return bool(int(socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN)
