"""Clients that are slow, silent, greedy or mad: they cost little, and nobody else notices."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import zmq

from common import codec
from common.deadline import Deadline
from common.frames import PROTOCOL_TAG, DocumentRequest, QueryReply, Reply, Request
from shard.ceiling import anonymous_bytes
from shard.server import MAX_REQUEST_BYTES, WAITING_OUT
from tests.shard import requests
from tests.shard.peers import PATIENCE, Peer, zmq_context
from tests.shard.rigged import UNGUARDED, document_reply
from tests.shard.test_server import PatientLeaf, serving
from tests.support.figures import Figure

Connect = Callable[[str], Peer]

ADDRESS = "tcp://127.0.0.1:*"
MIB = 1024 * 1024


class LargeLeaf:
    """Answers with documents of a quarter MiB, and counts them."""

    SIZE = MIB // 4

    def __init__(self) -> None:
        self.answered = 0

    def answer(self, request: Request, deadline: Deadline) -> Iterator[Reply | None]:
        if isinstance(request, DocumentRequest):
            self.answered += 1
            yield document_reply(request, "x" * self.SIZE)
        else:
            yield from UNGUARDED.answer(request, deadline)


def address(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    return host, int(port)


def test_client_that_never_reads_costs_a_bounded_memory(connect: Connect, figure: Figure):
    leaf = LargeLeaf()
    asked = WAITING_OUT * 3
    with serving(leaf, ADDRESS, capacity=asked) as server, zmq_context() as context:
        greedy = context.socket(zmq.DEALER)
        greedy.setsockopt(zmq.RCVHWM, 1)
        greedy.setsockopt(zmq.LINGER, 0)
        greedy.connect(server.address)
        before = anonymous_bytes()
        for number in range(asked):
            greedy.send_multipart(codec.encode(requests.document(number=number)))
        until = Deadline.after(PATIENCE)
        while leaf.answered < asked:
            assert not until.expired()
            assert isinstance(connect(server.address).ask(requests.query()), QueryReply)
        grown = anonymous_bytes() - before
        greedy.close()

    figure("memory for a client that never reads, MiB", f"{grown / MIB:.0f}")
    assert grown < (WAITING_OUT + 64) * leaf.SIZE


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff", id="one byte"),
        pytest.param(b"\xff" + bytes(8) + b"\x7f\x03", id="half a greeting"),
    ],
)
def test_connections_half_open_are_closed_and_keep_nobody_out(connect: Connect, said: bytes):
    with serving(UNGUARDED, ADDRESS) as server, ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(address(server.address), PATIENCE))
            for _ in range(200)
        ]
        for client in clients:
            client.sendall(said)

        assert isinstance(connect(server.address).ask(requests.query()), QueryReply)
        assert all(is_closed(client) for client in clients)


def test_clients_that_speak_http_keep_nobody_out(connect: Connect):
    # To libzmq they are peers of its first version, which shook no hands: it waits for more.
    with serving(UNGUARDED, ADDRESS) as server, ExitStack() as stack:
        for _ in range(200):
            client = socket.create_connection(address(server.address), PATIENCE)
            stack.enter_context(client).sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")

        assert isinstance(connect(server.address).ask(requests.query()), QueryReply)


def is_closed(client: socket.socket) -> bool:
    """Read what comes until the other side hangs up; it does, or the socket's time runs out."""
    try:
        while client.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


def test_flood_of_garbage_is_counted_and_keeps_nobody_waiting(
    endpoint: str, connect: Connect, figure: Figure
):
    with serving(UNGUARDED, endpoint) as server:
        mad, peer = connect(endpoint), connect(endpoint)
        peer.ask(requests.query())
        took = []
        for _ in range(50):
            for _ in range(20):
                mad.send_parts([PROTOCOL_TAG, b"\x81" * 500])
            since = time.monotonic()
            assert isinstance(peer.ask(requests.query()), QueryReply)
            took.append(time.monotonic() - since)
        until = Deadline.after(PATIENCE)
        while server.garbage < 1000:
            assert not until.expired()

    figure("query beside a flood of garbage, ms (median)", f"{sorted(took)[25] * 1e3:.2f}")


def test_largest_frames_of_many_are_read_one_after_the_other(endpoint: str, connect: Connect):
    frame = bytes(MAX_REQUEST_BYTES)
    leaf = PatientLeaf()
    with serving(leaf, endpoint) as server:
        peer = connect(endpoint)
        peer.send(requests.document(number=1))
        assert leaf.rendering.wait(PATIENCE)
        before = anonymous_bytes()
        for mad in [connect(endpoint) for _ in range(4)]:
            for _ in range(10):
                mad.send_parts([PROTOCOL_TAG, frame])
        until = Deadline.after(PATIENCE)
        while server.garbage < 40:
            assert not until.expired()
        leaf.released.set()

        assert peer.receive().request_id == 1
        assert anonymous_bytes() - before < 100 * MIB


def test_request_that_asks_for_too_much_is_told_so(endpoint: str, connect: Connect):
    with serving(UNGUARDED, endpoint):
        reply = connect(endpoint).ask(requests.document(number=3, sections=("x",) * 9999))

    assert (reply.request_id, reply.code) == (3, "protocol")


def test_clients_that_come_and_go_leave_nothing_behind(endpoint: str):
    with serving(UNGUARDED, endpoint) as server, zmq_context() as context:
        for _ in range(3):
            before = anonymous_bytes()
            for number in range(100):
                peer = Peer(context, endpoint)
                assert peer.ask(requests.query(number=number)).request_id == number
                peer.close()
            grown = anonymous_bytes() - before

        assert server.garbage == 0
        assert grown < 8 * MIB
