"""The other end of a shard's socket, as a gateway holds it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import zmq

from common import codec
from common.frames import Reply, Request

PATIENCE = 10.0
"""Seconds after which a test gives up waiting."""


class Peer:
    """One DEALER that is connected to one endpoint."""

    def __init__(self, context: zmq.Context, endpoint: str) -> None:
        self._socket = context.socket(zmq.DEALER)
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
