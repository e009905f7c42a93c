"""The server behind a real socket, in a thread, with leaves that wait for the test."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from common import codec
from common.deadline import Deadline
from common.frames import (
    PROTOCOL_TAG,
    DescribeReply,
    DocumentReply,
    DocumentRequest,
    ErrorReply,
    QueryReply,
    Reply,
    Request,
)
from shard.guard import Unguarded
from shard.health import check
from shard.server import MAX_REQUEST_BYTES, BindFailed, Server
from tests.shard import requests
from tests.shard.peers import PATIENCE, Peer
from tests.shard.rigged import UNGUARDED, document_reply

Connect = Callable[[str], Peer]


class PatientLeaf:
    """Renders documents until it is released; everything else is answered at once."""

    def __init__(self) -> None:
        self.rendering = threading.Event()
        self.released = threading.Event()

    def answer(self, request: Request, deadline: Deadline) -> Iterator[Reply | None]:
        if not isinstance(request, DocumentRequest):
            yield from UNGUARDED.answer(request, deadline)
            return
        while not self.released.is_set():
            self.rendering.set()
            yield None
        yield document_reply(request)


class SaysLeaf:
    """Answers with documents of this title."""

    def __init__(self, title: str) -> None:
        self._title = title

    def answer(self, request: Request, deadline: Deadline) -> Iterator[Reply | None]:
        assert isinstance(request, DocumentRequest)
        yield document_reply(request, self._title)


class Refusing(Unguarded):
    """A guard that refuses everything that has a fingerprint."""

    def refuses(self, subject: bytes) -> bool:
        return any(subject)


@contextmanager
def serving(leaf, endpoint: str, **options) -> Iterator[Server]:
    server = Server(leaf, endpoint, **{"capacity": 100, **options})
    server.bind()
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.drain()
        if isinstance(leaf, PatientLeaf):
            leaf.released.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        server.close()


def test_server_answers_every_peer(endpoint: str, connect: Connect):
    with serving(UNGUARDED, endpoint):
        peers = [connect(endpoint) for _ in range(5)]
        for number, peer in enumerate(peers):
            peer.send(requests.query(number=number))

        assert [peer.receive().request_id for peer in peers] == [0, 1, 2, 3, 4]


def test_server_lets_a_query_pass_a_long_rendering(endpoint: str, connect: Connect):
    leaf = PatientLeaf()
    with serving(leaf, endpoint):
        peer = connect(endpoint)
        peer.send(requests.document(number=1))
        assert leaf.rendering.wait(PATIENCE)

        assert isinstance(peer.ask(requests.query(number=2)), QueryReply)
        assert not leaf.released.is_set()
        leaf.released.set()
        assert isinstance(peer.receive(), DocumentReply)


def test_server_answers_by_urgency_and_then_in_order(endpoint: str, connect: Connect):
    leaf = PatientLeaf()
    with serving(leaf, endpoint):
        peer = connect(endpoint)
        for number in (1, 2):
            peer.send(requests.document(number=number))
        peer.send(requests.query(number=3))
        first = peer.receive()
        leaf.released.set()

        assert [first.request_id, *(peer.receive().request_id for _ in "ab")] == [3, 1, 2]


def test_server_says_overloaded_when_all_places_are_taken(endpoint: str, connect: Connect):
    leaf = PatientLeaf()
    with serving(leaf, endpoint, capacity=1):
        peer = connect(endpoint)
        peer.send(requests.document(number=1))
        assert leaf.rendering.wait(PATIENCE)
        refusal = peer.ask(requests.query(number=2))

    assert (refusal.request_id, refusal.code) == (2, "overloaded")


def test_server_drops_expired_work_without_a_reply(endpoint: str, connect: Connect):
    with serving(UNGUARDED, endpoint):
        peer = connect(endpoint)
        peer.send(requests.query(number=1, budget=0.0))

        assert peer.ask(requests.query(number=2)).request_id == 2


def test_server_stops_rendering_when_nobody_waits_any_more(endpoint: str, connect: Connect):
    leaf = PatientLeaf()
    with serving(leaf, endpoint, capacity=1):
        peer = connect(endpoint)
        peer.send(requests.document(number=1, budget=0.05))
        # The only place is free again once the document is given up.
        until = Deadline.after(PATIENCE)
        while isinstance(reply := peer.ask(requests.query()), ErrorReply):
            assert not until.expired()

    assert isinstance(reply, QueryReply)


GARBAGE = [
    pytest.param([b""], id="empty"),
    pytest.param([b"", b""], id="two empty parts"),
    pytest.param([PROTOCOL_TAG], id="tag alone"),
    pytest.param([PROTOCOL_TAG, b""], id="empty body"),
    pytest.param([PROTOCOL_TAG, os.urandom(500)], id="random body"),
    pytest.param([PROTOCOL_TAG, b"\x81" * 5000], id="deeply nested body"),
    pytest.param([PROTOCOL_TAG, b"\xa1\xff"], id="no Unicode"),
    pytest.param([b"", PROTOCOL_TAG, codec.encode(requests.query())[1]], id="a REQ's envelope"),
    pytest.param(codec.encode(requests.query())[::-1], id="parts reversed"),
    pytest.param(codec.encode(document_reply(requests.document())), id="a reply"),
    pytest.param([b"x"] * 50, id="fifty parts"),
]


@pytest.mark.parametrize("parts", GARBAGE)
def test_server_counts_and_drops_what_it_cannot_read(endpoint: str, connect: Connect, parts):
    with serving(UNGUARDED, endpoint) as server:
        peer = connect(endpoint)
        peer.send_parts(parts)

        assert peer.ask(requests.query(number=2)).request_id == 2
        assert server.garbage == 1


def test_server_tells_a_peer_of_another_version(endpoint: str, connect: Connect):
    with serving(UNGUARDED, endpoint):
        peer = connect(endpoint)
        peer.send_parts([b"corpus/99", b"whatever that means"])
        refusal = peer.receive()

    assert (refusal.request_id, refusal.code) == (0, "protocol")


def test_server_survives_a_huge_frame(endpoint: str, connect: Connect):
    with serving(UNGUARDED, endpoint):
        connect(endpoint).send_parts([PROTOCOL_TAG, bytes(MAX_REQUEST_BYTES + 1)])

        assert connect(endpoint).ask(requests.query(number=2)).request_id == 2


def test_server_survives_peers_that_vanish(endpoint: str, connect: Connect):
    leaf = PatientLeaf()
    with serving(leaf, endpoint):
        vanishing = connect(endpoint)
        vanishing.send(requests.document(number=1))
        assert leaf.rendering.wait(PATIENCE)
        vanishing.close()
        leaf.released.set()

        assert connect(endpoint).ask(requests.query(number=2)).request_id == 2


def test_server_answers_a_bug_with_a_fault_and_goes_on(endpoint: str, connect: Connect):
    with serving(UNGUARDED, endpoint):
        peer = connect(endpoint)
        refusal = peer.ask(requests.preview("page", number=1))

        assert (refusal.request_id, refusal.code) == (1, "shard_fault")
        assert "bug" not in refusal.message
        assert peer.ask(requests.query(number=2)).request_id == 2


@pytest.mark.parametrize(
    "title",
    [
        pytest.param("\ud800", id="no Unicode"),
        pytest.param("x" * (codec.MAX_FRAME_BYTES + 1), id="too large"),
    ],
)
def test_server_answers_with_a_fault_when_the_reply_cannot_travel(
    endpoint: str, connect: Connect, title: str
):
    with serving(SaysLeaf(title), endpoint):
        refusal = connect(endpoint).ask(requests.document(number=7))

    assert (refusal.request_id, refusal.code) == (7, "shard_fault")


def test_server_refuses_what_is_in_quarantine(endpoint: str, connect: Connect):
    with serving(UNGUARDED, endpoint, guard=Refusing()):
        peer = connect(endpoint)
        refusal = peer.ask(requests.query(number=1))

        assert (refusal.request_id, refusal.code) == (1, "quarantined")
        assert isinstance(peer.ask(requests.describe()), DescribeReply)


def test_draining_server_takes_nothing_new_and_finishes_what_it_has(
    endpoint: str, connect: Connect
):
    leaf = PatientLeaf()
    with serving(leaf, endpoint) as server:
        peer = connect(endpoint)
        peer.send(requests.document(number=1))
        assert leaf.rendering.wait(PATIENCE)
        server.drain()
        refusal = peer.ask(requests.query(number=2))
        described = peer.ask(requests.describe(3))
        leaf.released.set()
        reply = peer.receive()

    assert (refusal.request_id, refusal.code) == (2, "draining")
    assert isinstance(described, DescribeReply)
    assert isinstance(reply, DocumentReply)


def test_server_that_has_nothing_to_do_ends_at_once(endpoint: str):
    with serving(UNGUARDED, endpoint) as server:
        server.drain()


def test_socket_is_for_this_user_alone(endpoint: str, tmp_path: Path):
    with serving(UNGUARDED, endpoint):
        assert (tmp_path / "s.0").stat().st_mode & 0o077 == 0


def test_server_binds_over_a_file_that_was_left_behind(endpoint: str, connect: Connect):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(endpoint.removeprefix("ipc://"))
    listener.close()

    with serving(UNGUARDED, endpoint):
        assert connect(endpoint).ask(requests.query(number=2)).request_id == 2


def test_server_says_why_it_cannot_bind(tmp_path: Path):
    server = Server(UNGUARDED, f"ipc://{tmp_path}/missing/s.0", capacity=1)

    with pytest.raises(BindFailed, match=r"missing/s\.0"):
        server.bind()
    server.close()


def test_server_serves_over_tcp(connect: Connect):
    with serving(UNGUARDED, "tcp://127.0.0.1:*") as server:
        peer = connect(server.address)

        assert peer.ask(requests.query(number=2)).request_id == 2


def test_server_serves_over_ipv6(connect: Connect):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with serving(UNGUARDED, "tcp://[::1]:*") as server:
        port = server.address.rpartition(":")[2]
        check(f"tcp://[::]:{port}")

        # The gateway's sockets have IPv6 switched on, those of these tests have not.
        with socket.create_connection(("::1", int(port)), PATIENCE) as client:
            assert client.recv(1) == b"\xff"
