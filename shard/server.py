"""The socket of a worker: one ROUTER, one thread, the most urgent work first.

The only module of a shard that knows ZeroMQ. It reads requests into a bounded queue and drives the
leaf's answers step by step; between two steps it looks at the socket, so that a query passes a long
rendering. What it cannot read is counted and dropped, and never stops it.
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

import zmq

from common import codec
from common.deadline import Clock, Deadline
from common.errors import CorpusError, Draining, ProtocolError, Quarantined, ShardFault
from common.frames import PROTOCOL_TAG, DescribeRequest, Reply, Request
from common.logs import get_logger
from shard import fingerprint, limits, queue
from shard.guard import Guard, Unguarded
from shard.queue import Job, RequestQueue
from shard.vitals import Vitals

MAX_REQUEST_BYTES = 1024 * 1024
"""Largest request that is read: the longest path and some thousand section ids are far below.
A connection that sends more is closed."""

WAITING_IN = 64
"""Messages of one connection that libzmq reads ahead; after that its sender has to wait."""

WAITING_OUT = 256
"""Replies that libzmq keeps for a connection that takes none, beside those in the system's buffers;
further ones are dropped. As many as may wait for their turn by default (SHARD_QUEUE), so that a
peer that reads loses none; one that answers no heartbeats is cut off within two seconds anyway."""

INTAKE = 64
"""Requests read between two steps, so that a flood cannot keep the worker from answering."""

LINGER = 0.2
"""Seconds that a draining server stays after its last reply: a peer that sees the connection close
throws away the replies it has not read yet."""

FLUSH_MS = 500
"""Milliseconds that closing the socket may take to hand over the last replies."""

GARBAGE_REPORT = 60.0
"""Seconds between two log lines about unreadable messages."""

_TAG_PREFIX = PROTOCOL_TAG.partition(b"/")[0] + b"/"
_ALL_OR_IPV6 = ("tcp://*", "tcp://[")
_OPTIONS = (
    (zmq.LINGER, FLUSH_MS),
    (zmq.MAXMSGSIZE, MAX_REQUEST_BYTES),
    (zmq.RCVHWM, WAITING_IN),
    (zmq.SNDHWM, WAITING_OUT),
    (zmq.HEARTBEAT_IVL, 500),
    (zmq.HEARTBEAT_TIMEOUT, 1500),
    (zmq.HANDSHAKE_IVL, 1000),
    (zmq.TCP_MAXRT, 2000),
    # For peers that know no heartbeats and whose machine is gone.
    (zmq.TCP_KEEPALIVE, 1),
    (zmq.TCP_KEEPALIVE_IDLE, 30),
    (zmq.TCP_KEEPALIVE_INTVL, 10),
    (zmq.TCP_KEEPALIVE_CNT, 3),
)


class Answers(Protocol):
    """What a server serves; `shard.leaf.Leaf` is one."""

    def answer(self, request: Request, deadline: Deadline) -> Iterator[Reply | None]:
        """Yield None where more urgent work may pass, then the reply."""
        ...


class Door(Protocol):
    """Who may connect; `shard.admission.Admission` is one."""

    def open(self, context: "zmq.Context[zmq.Socket[bytes]]", socket: "zmq.Socket[bytes]") -> None:
        """Guard ``socket`` before it is bound."""
        ...

    def close(self) -> None:
        """Give everything back, before the context ends."""
        ...


class BindFailed(CorpusError):
    """The endpoint cannot be bound; the message says why."""


class Server:
    """Serves ``leaf`` at one endpoint until it is told to drain.

    Args:
        capacity: Requests that may wait.
        guard: Told of every step; knows which requests are refused.
        vitals: Where the server notes when it bound and that it drains.
        log_queries: Whether the text of a query may stand in the record of what is running.
        door: Who may connect; whoever can reach the endpoint if there is none.
        replied: Called after each reply, when nothing is being worked on.
        routing_id: What `shard.health` tells a stand-in by; a worker has none.

    Attributes:
        garbage: Messages that could not be read.
    """

    def __init__(  # noqa: PLR0913 - each of these is replaced in tests
        self,
        leaf: Answers,
        endpoint: str,
        *,
        capacity: int,
        guard: Guard | None = None,
        vitals: Vitals | None = None,
        log_queries: bool = True,
        door: Door | None = None,
        replied: Callable[[], None] = lambda: None,
        routing_id: bytes = b"",
        clock: Clock = time.monotonic,
    ) -> None:
        self.garbage = 0
        self._leaf = leaf
        self._endpoint = endpoint
        self._queue = RequestQueue(capacity)
        self._guard = guard or Unguarded()
        self._vitals = vitals or Vitals()
        self._log_queries = log_queries
        self._door = door
        self._replied = replied
        self._clock = clock
        self._last_reply = -LINGER
        self._silent_until = 0.0
        self._logger = get_logger()
        self._wake_reader, self._wake_writer = os.pipe()
        os.set_blocking(self._wake_reader, False)
        os.set_blocking(self._wake_writer, False)
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        for option, value in _OPTIONS:
            self._socket.setsockopt(option, value)
        if routing_id:
            self._socket.setsockopt(zmq.ROUTING_ID, routing_id)
        if endpoint.startswith(_ALL_OR_IPV6):
            self._socket.setsockopt(zmq.IPV6, 1)
        if door is not None:
            door.open(self._context, self._socket)

    @property
    def wake_descriptor(self) -> int:
        """A descriptor; a byte written to it ends the server's waiting."""
        return self._wake_writer

    @property
    def address(self) -> str:
        """The endpoint that was bound, with the port that the system chose for ``*``."""
        return str(self._socket.getsockopt_string(zmq.LAST_ENDPOINT))

    def bind(self) -> None:
        """Bind the endpoint; only the same user can connect to a Unix socket.

        Raises:
            BindFailed: The system refuses.
        """
        mask = os.umask(0o077)
        try:
            self._socket.bind(self._endpoint)
        except zmq.ZMQError as exc:
            raise BindFailed(f"cannot bind {self._endpoint}: {exc}") from exc
        finally:
            os.umask(mask)
        self._vitals.bound_at = self._clock()

    def drain(self) -> None:
        """Take nothing new, finish what waits, then let `run` return.

        May be called from a signal handler and from another thread.
        """
        self._vitals.draining = True
        with suppress(BlockingIOError):
            os.write(self._wake_writer, b"d")

    def run(self) -> None:
        """Answer until told to drain; then finish, linger and return."""
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._wake_reader, zmq.POLLIN)
        while (patience := self._patience()) is not None:
            if patience:
                poller.poll(None if patience < 0 else math.ceil(patience * 1000))
                self._forget_wakes()
            self._receive()
            if job := self._queue.take():
                self._step(job)

    def close(self) -> None:
        """Hand over the last replies and give everything back."""
        if self._door is not None:
            self._door.close()
        self._context.destroy(linger=FLUSH_MS)
        os.close(self._wake_reader)
        os.close(self._wake_writer)

    def _patience(self) -> float | None:
        """Return how long to wait for a message: negative is for ever, None is the end."""
        if len(self._queue):
            return 0.0
        if not self._vitals.draining:
            return -1.0
        left = self._last_reply + LINGER - self._clock()
        return left if left > 0 else None

    def _forget_wakes(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._wake_reader, 4096)

    def _receive(self) -> None:
        for _ in range(INTAKE):
            try:
                peer, *parts = self._socket.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                return
            self._accept(peer, parts)

    def _accept(self, peer: bytes, parts: Sequence[bytes]) -> None:
        """Queue up a request, or refuse it at once."""
        try:
            request = codec.decode_request(parts)
        except ProtocolError as exc:
            self._refuse_garbage(peer, parts, exc)
            return
        try:
            limits.check(request)
            self._queue.put(self._admitted(peer, request, len(parts[1])))
        except CorpusError as exc:
            self._send(peer, codec.error_reply(request.request_id, exc))

    def _admitted(self, peer: bytes, request: Request, size: int) -> Job:
        subject = fingerprint.of_request(request)
        if self._vitals.draining and not isinstance(request, DescribeRequest):
            raise Draining(f"{request.library} is shutting this replica down")
        if self._guard.refuses(subject):
            raise Quarantined(f"{request.library} refuses this request after repeated failures")
        return Job(
            peer=peer,
            request=request,
            deadline=queue.deadline(request, clock=self._clock),
            size=size,
            subject=subject,
        )

    def _refuse_garbage(self, peer: bytes, parts: Sequence[bytes], error: ProtocolError) -> None:
        """Count what cannot be read; a gateway of another version is told that it is one."""
        self.garbage += 1
        if self._clock() >= self._silent_until:
            self._silent_until = self._clock() + GARBAGE_REPORT
            self._logger.warning("unreadable message", reason=str(error), total=self.garbage)
        if len(parts) == 2 and parts[0] != PROTOCOL_TAG and parts[0].startswith(_TAG_PREFIX):
            self._send(peer, codec.error_reply(0, error))

    def _step(self, job: Job) -> None:
        """Work on ``job`` until its reply, or until something else may pass."""
        if job.steps is None:
            job.steps = self._leaf.answer(job.request, job.deadline)
        label = fingerprint.label(job.request, with_text=self._log_queries)
        self._guard.begin(job.subject, label)
        try:
            reply = next(job.steps)
        except Exception:  # the top of a process loop: one request must not end the others
            self._logger.exception("request failed", request=label.partition(" ")[0])
            reply = self._fault(job.request)
        finally:
            self._guard.end()
        if reply is None:
            self._queue.put_back(job)
            return
        job.close()
        if not isinstance(job.request, DescribeRequest):
            self._last_reply = self._clock()
        self._send_answer(job, reply)
        self._replied()

    def _send_answer(self, job: Job, reply: Reply) -> None:
        try:
            parts = codec.encode(reply)
        except Exception:  # text that is no Unicode, in a title or on a page
            self._logger.exception("reply cannot be encoded", reply=type(reply).__name__)
            parts = codec.encode(self._fault(job.request))
        if len(parts[1]) > codec.MAX_FRAME_BYTES:
            self._logger.error("reply too large", reply=type(reply).__name__, bytes=len(parts[1]))
            parts = codec.encode(self._fault(job.request))
        self._send_parts(job.peer, parts)

    def _send(self, peer: bytes, reply: Reply) -> None:
        self._send_parts(peer, codec.encode(reply))

    def _send_parts(self, peer: bytes, parts: Sequence[bytes]) -> None:
        # A ROUTER drops what its peer cannot take, so this neither blocks nor fails.
        self._socket.send_multipart([peer, *parts], zmq.DONTWAIT)

    def _fault(self, request: Request) -> Reply:
        fault = ShardFault(f"{request.library} could not answer because of a fault of its own")
        return codec.error_reply(request.request_id, fault)
