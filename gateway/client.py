"""The gateway's end of the wire: one DEALER socket per replica. The only user of zmq here.

The sockets are read through their file descriptors, which costs half of what ``zmq.asyncio``
does. Such a descriptor is edge-triggered: whoever sends or receives has to look at the socket's
events again, or a reply stays unread for ever.

A connection is alive from ZeroMQ's ``HANDSHAKE_SUCCEEDED`` until ``DISCONNECTED``: the kernel
accepts connections for a stopped process too, so ``CONNECTED`` proves nothing. Every request that
is in flight at the disconnect fails at once; ZeroMQ never delivers it a second time
(``IMMEDIATE``).

Where ZeroMQ gives a peer up for good (a refused key, a frame that is too large), the connection
makes a new socket; see `gateway.handshakes`.
"""

import asyncio
import itertools
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol, Self

import msgspec
import zmq
from zmq.utils.monitor import parse_monitor_message

from common import curve
from common.codec import MAX_FRAME_BYTES, decode_reply, encode
from common.curve import Keys
from common.deadline import Clock, Deadline
from common.endpoints import is_tcp
from common.errors import (
    ConfigError,
    DeadlineExceeded,
    InvalidArguments,
    Overloaded,
    ProtocolError,
    ShardUnavailable,
)
from common.frames import PROTOCOL_TAG, DescribeRequest, Reply, Request
from common.settings import Settings
from gateway.handshakes import Handshakes
from gateway.inflight import InFlight, Late

MAX_PENDING = 256
"""Requests in flight per replica: as many as may wait in one worker by default."""

MAX_REQUEST_BYTES = 1024 * 1024
"""Largest request that is sent: a shard closes the connection of whoever sends a larger one."""

MAX_SOCKETS = 12_288
"""ZeroMQ counts three per monitored DEALER and ends at 1023 unless told; this is 4096 replicas."""

_READ_BATCH = 64
"""Replies read in one go before the event loop gets its turn."""

_MONITORED = (
    zmq.EVENT_CONNECTED
    | zmq.EVENT_CONNECT_RETRIED
    | zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_DISCONNECTED
)

_Options = Mapping[int, int | bytes]

_OPTIONS: _Options = {
    zmq.LINGER: 0,
    zmq.IMMEDIATE: 1,
    zmq.RECONNECT_IVL: 20,
    # Doubled up to this. Forty endpoints that stay dead cost 0.02 to 0.03 of a core; with 500 ms
    # it is 0.01, but a worker that opens its archive in 0.1 s is noticed 0.2 s late.
    zmq.RECONNECT_IVL_MAX: 100,
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
        """That peer is gone; requests in flight fail when this returns."""

    def not_admitted(self, reason: str) -> None:
        """There is no handshake with what is at the endpoint."""

    def spoke_foreign(self, tag: bytes) -> None:
        """A reply of another protocol version came."""


class Wire:
    """The ZeroMQ context that all connections of one gateway share."""

    def __init__(self, keys: Keys | None = None) -> None:
        """Prepare to connect; over TCP with the first of ``keys.peers``, if there are keys.

        Raises:
            ConfigError: This ZeroMQ has no CURVE.
        """
        self._context = zmq.Context()
        self._context.max_sockets = MAX_SOCKETS
        self._tcp: dict[int, int | bytes] = {zmq.IPV6: 1}
        if keys is not None:
            self._tcp |= _curve(keys)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return a wire with the keys that the settings name, if shards are found over a network.

        Raises:
            ConfigError: The keys are missing or wrong; see `common.curve.keys`.
        """
        if settings.corpus_discovery != "dns":
            return cls()
        keys = curve.keys(settings)
        if keys is not None and len(keys.peers) > 1:
            raise ConfigError(
                "CURVE_PEERS_FILE: expected the one public key that all shards share,"
                f" got {len(keys.peers)} keys in {settings.curve_peers_file}"
            )
        return cls(keys)

    def connect(
        self, endpoint: str, watcher: Watcher, *, clock: Clock = time.monotonic
    ) -> "Connection":
        """Return a connection that keeps trying to reach ``endpoint`` until it is closed."""
        options = self._tcp if is_tcp(endpoint) else {}
        return Connection(self._context, endpoint, watcher, options, clock=clock)

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
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        endpoint: str,
        watcher: Watcher,
        options: _Options,
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self.alive = False
        self.garbage = 0
        self.late = 0
        self._context = context
        self._watcher = watcher
        self._options: _Options = {**_OPTIONS, **options}
        self._handshakes = Handshakes(encrypted=zmq.CURVE_SERVERKEY in options, clock=clock)
        self._connections = 0
        self._loop = asyncio.get_running_loop()
        self._ids = itertools.count(1)
        self._in_flight = InFlight(clock=clock)
        self._renewal: asyncio.TimerHandle | None = None
        self._closed = False
        self._open()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def outstanding(self) -> int:
        """Requests for work that the peer has not answered though their time is not over."""
        return self._in_flight.owed

    @property
    def oldest(self) -> float | None:
        """When the oldest of them was sent, on the clock; None if there is none."""
        return self._in_flight.oldest

    async def ask(self, request: Request, deadline: Deadline, late: Late | None = None) -> Reply:
        """Send ``request`` under a fresh id with the budget that is left, and return the reply.

        Args:
            request: What to ask; its id and budget are set here.
            deadline: When nobody wants the answer any more.
            late: Told of the reply if it comes before the deadline to nobody who waits.

        Raises:
            ShardUnavailable: Nobody is connected, or the peer went away before it answered.
            Overloaded: Too many requests are in flight already.
            InvalidArguments: The request is too large to be sent.
            DeadlineExceeded: No reply came in time.
        """
        request_id = next(self._ids)
        future = self._send(request_id, request, deadline, late)
        try:
            async with asyncio.timeout(deadline.remaining()):
                return await future
        except TimeoutError:
            raise DeadlineExceeded("no answer before the deadline") from None
        finally:
            self._in_flight.leave(request_id)
            if not future.cancelled() and future.done():
                # Marks it as seen: a cancelled asker never looks.
                future.exception()

    def close(self) -> None:
        """Close the socket; whoever waits for a reply is told."""
        if self._closed:
            return
        self._closed = True
        self._cancel_renewal()
        self._shut()
        self.alive = False
        self._in_flight.fail(lambda: ShardUnavailable("the connection was closed"))

    def _open(self) -> None:
        self._renewal = None
        self._socket = self._context.socket(zmq.DEALER)
        for option, value in self._options.items():
            self._socket.setsockopt(option, value)
        self._monitor = self._socket.get_monitor_socket(_MONITORED)
        self._loop.add_reader(_descriptor(self._socket), self._read)
        self._loop.add_reader(_descriptor(self._monitor), self._read_monitor)
        self._socket.connect(self.endpoint)
        self._loop.call_soon(self._read_monitor)

    def _shut(self) -> None:
        if self._socket.closed:
            return
        self._loop.remove_reader(_descriptor(self._socket))
        self._loop.remove_reader(_descriptor(self._monitor))
        self._socket.disable_monitor()
        self._monitor.close(linger=0)
        self._socket.close(linger=0)

    def _renew(self) -> None:
        self._handshakes.paused()
        self._shut()
        self._open()

    def _renew_later(self) -> None:
        self._cancel_renewal()
        self._renewal = self._loop.call_later(self._handshakes.pause, self._renew)

    def _cancel_renewal(self) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None

    def _send(
        self, request_id: int, request: Request, deadline: Deadline, late: Late | None
    ) -> "asyncio.Future[Reply]":
        if not self.alive:
            raise ShardUnavailable("nobody is connected")
        if len(self._in_flight) >= MAX_PENDING:
            raise Overloaded(f"{MAX_PENDING} requests are in flight")
        if not self._sent(_parts(request_id, request, deadline)):
            raise ShardUnavailable("the peer has just gone")
        future: asyncio.Future[Reply] = self._loop.create_future()
        self._in_flight.add(request_id, deadline, future, late)
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
        if not self._in_flight.resolve(reply):
            self.late += 1

    def _read_monitor(self) -> None:
        while not self._socket.closed and _readable(self._monitor):
            try:
                message = parse_monitor_message(self._monitor.recv_multipart(zmq.DONTWAIT))
            except zmq.Again:
                continue
            self._note(message["event"], message["value"])

    def _note(self, event: int, value: int) -> None:
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._handshakes.succeeded()
            self.alive = True
            self._connections += 1
            self._watcher.connected()
        elif event == zmq.EVENT_DISCONNECTED:
            if self.alive:
                self._drop()
            # Unless ZeroMQ says next that it tries again, it does not.
            self._renew_later()
        elif event == zmq.EVENT_CONNECT_RETRIED:
            self._cancel_renewal()
            if self._handshakes.hangs_up:
                self._renew_later()
                self._shut()
        else:
            self._note_attempt(event, value)

    def _note_attempt(self, event: int, value: int) -> None:
        if event == zmq.EVENT_CONNECTED:
            self._handshakes.reached()
        elif event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            self._handshakes.refused()
        elif value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
            self._handshakes.mismatched()
        else:
            self._handshakes.foreign()
        if self._handshakes.reason:
            self._watcher.not_admitted(self._handshakes.reason)

    def _drop(self) -> None:
        # What the peer said before it went is still good, if ZeroMQ has kept it.
        self._read()
        self.alive = False
        self._watcher.disconnected()
        self._in_flight.fail(lambda: ShardUnavailable("the replica went away"))


def _parts(request_id: int, request: Request, deadline: Deadline) -> list[bytes]:
    if isinstance(request, DescribeRequest):
        return encode(msgspec.structs.replace(request, request_id=request_id))
    budget = deadline.remaining()
    parts = encode(msgspec.structs.replace(request, request_id=request_id, budget=budget))
    if len(parts[1]) > MAX_REQUEST_BYTES:
        raise InvalidArguments(
            f"expected a request of at most {MAX_REQUEST_BYTES} bytes, got {len(parts[1])}"
        )
    return parts


def _curve(keys: Keys) -> dict[int, int | bytes]:
    if not zmq.has("curve"):
        raise ConfigError("CURVE_SECRET_FILE: expected a ZeroMQ with CURVE, got one without")
    secret = keys.secret.encode()
    return {
        zmq.CURVE_SERVERKEY: keys.peers[0].encode(),
        zmq.CURVE_PUBLICKEY: zmq.curve_public(secret),
        zmq.CURVE_SECRETKEY: secret,
    }


def _descriptor(socket: "zmq.Socket[bytes]") -> int:
    return int(socket.getsockopt(zmq.FD))


def _readable(socket: "zmq.Socket[bytes]") -> bool:
    return bool(int(socket.getsockopt(zmq.EVENTS)) & zmq.POLLIN)
