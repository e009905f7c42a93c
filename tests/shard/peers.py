"""The other end of a shard's socket, as a gateway holds it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Self

import zmq

from common import codec
from common.frames import Reply, Request

PATIENCE = 10.0
"""Seconds after which a test gives up waiting."""


class Pair(NamedTuple):
    """A secret key and the public one that belongs to it."""

    public: str
    secret: str

    @classmethod
    def new(cls) -> Self:
        return cls(*(key.decode() for key in zmq.curve_keypair()))


class Peer:
    """One DEALER that is connected to one endpoint; with a pair of keys it speaks CURVE."""

    def __init__(
        self, context: zmq.Context, endpoint: str, own: Pair | None = None, server: str = ""
    ) -> None:
        self._socket = context.socket(zmq.DEALER)
        if own is not None:
            self._socket.setsockopt_string(zmq.CURVE_PUBLICKEY, own.public)
            self._socket.setsockopt_string(zmq.CURVE_SECRETKEY, own.secret)
            self._socket.setsockopt_string(zmq.CURVE_SERVERKEY, server)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.IMMEDIATE, 1)
        self._socket.setsockopt(zmq.RECONNECT_IVL, 5)
        self._socket.connect(endpoint)

    def send(self, request: Request, *, patience: float = PATIENCE) -> None:
        """Send; wait for a connection if there is none."""
        self.send_parts(codec.encode(request), patience=patience)

    def send_parts(self, parts: list[bytes], *, patience: float = PATIENCE) -> None:
        if not self._socket.poll(patience * 1000, zmq.POLLOUT):
            raise TimeoutError("no connection")
        self._socket.send_multipart(parts)

    def receive(self, *, patience: float = PATIENCE) -> Reply:
        if not self._socket.poll(patience * 1000, zmq.POLLIN):
            raise TimeoutError("no reply")
        return codec.decode_reply(self._socket.recv_multipart())

    def ask(self, request: Request, *, patience: float = PATIENCE) -> Reply:
        self.send(request, patience=patience)
        return self.receive(patience=patience)

    def insist(self, request: Request, *, every: float = 0.05) -> Reply:
        """Ask again and again until somebody answers, as one does of a process that starts."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                return self.ask(request, patience=every)
            except TimeoutError:
                continue
        raise TimeoutError("nobody answers")

    def close(self) -> None:
        self._socket.close()


@contextmanager
def zmq_context() -> Iterator[zmq.Context]:
    context = zmq.Context()
    try:
        yield context
    finally:
        context.destroy(linger=0)
