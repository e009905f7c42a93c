"""Who is let in over a network: real sockets, real handshakes."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from common.curve import Keys
from common.deadline import Deadline
from common.frames import DescribeReply, ErrorReply, QueryReply, Reply, Request
from shard.admission import Admission
from shard.health import Unhealthy, check
from tests.shard import requests
from tests.shard.peers import PATIENCE, Pair, Peer
from tests.shard.replicas import is_gone, rigged
from tests.shard.rigged import UNGUARDED
from tests.shard.test_server import serving
from tests.support.figures import Figure

Connect = Callable[..., Peer]

ADDRESS = "tcp://127.0.0.1:*"
SHARD, GATEWAY, STRANGER = Pair.new(), Pair.new(), Pair.new()
REFUSED = 0.4
"""Seconds after which a test takes it that a peer is not let in; one that is takes some ms."""


class WaitingLeaf:
    """Keeps the thread of the server waiting, without the interpreter lock, until released."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.released = threading.Event()

    def answer(self, request: Request, deadline: Deadline) -> Iterator[Reply | None]:
        self.begun.set()
        self.released.wait(PATIENCE)
        yield from UNGUARDED.answer(request, deadline)


@pytest.fixture
def door() -> Admission:
    return Admission(Keys(SHARD.secret, (GATEWAY.public,)))


def test_listed_key_is_served(connect: Connect, door: Admission):
    with serving(UNGUARDED, ADDRESS, door=door) as server:
        peer = connect(server.address, GATEWAY, SHARD.public)

        assert isinstance(peer.ask(requests.query()), QueryReply)
        assert door.refused == 0


def test_other_key_is_refused_and_counted(connect: Connect, door: Admission):
    with serving(UNGUARDED, ADDRESS, door=door) as server:
        with pytest.raises(TimeoutError):
            connect(server.address, STRANGER, SHARD.public).send(requests.query(), patience=REFUSED)

        assert door.refused == 1
        assert isinstance(
            connect(server.address, GATEWAY, SHARD.public).ask(requests.query()), QueryReply
        )


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param((), id="no key"),
        pytest.param((GATEWAY, STRANGER.public), id="key of another shard"),
    ],
)
def test_peer_that_cannot_shake_hands_is_refused(connect: Connect, door: Admission, keys: tuple):
    with serving(UNGUARDED, ADDRESS, door=door) as server:
        with pytest.raises(TimeoutError):
            connect(server.address, *keys).send(requests.query(), patience=REFUSED)

        assert isinstance(
            connect(server.address, GATEWAY, SHARD.public).ask(requests.query()), QueryReply
        )


def test_nobody_is_let_in_when_nobody_checks(connect: Connect, door: Admission):
    with serving(UNGUARDED, ADDRESS, door=door) as server:
        door.close()
        with pytest.raises(TimeoutError):
            connect(server.address, GATEWAY, SHARD.public).send(requests.query(), patience=REFUSED)


def test_hands_are_shaken_while_a_request_runs(connect: Connect, door: Admission, figure: Figure):
    leaf = WaitingLeaf()
    with serving(leaf, ADDRESS, door=door) as server:
        first = connect(server.address, GATEWAY, SHARD.public)
        first.send(requests.query(number=1))
        assert leaf.begun.wait(PATIENCE)
        since = time.monotonic()
        second = connect(server.address, GATEWAY, SHARD.public)
        second.send(requests.query(number=2))
        figure(
            "CURVE handshake beside a long request, ms", f"{(time.monotonic() - since) * 1e3:.1f}"
        )
        waiting = not leaf.released.is_set()
        leaf.released.set()

        assert waiting
        assert second.receive().request_id == 2


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def with_keys(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "shard.key").write_text(SHARD.secret + "\n")
    (tmp_path / "gateway.pub").write_text(GATEWAY.public + "\n")
    return {
        "CURVE_SECRET_FILE": str(tmp_path / "shard.key"),
        "CURVE_PEERS_FILE": str(tmp_path / "gateway.pub"),
    }


@pytest.mark.cluster
def test_every_worker_of_a_keeper_has_the_keys(
    connect: Connect, port: int, with_keys: dict[str, str]
):
    endpoint = f"tcp://127.0.0.1:{port}"
    with rigged(endpoint, **with_keys):
        first = connect(endpoint, GATEWAY, SHARD.public).insist(requests.describe())
        check(endpoint)
        os.kill(first.pid, signal.SIGKILL)
        assert is_gone(first.pid)
        second = connect(endpoint, GATEWAY, SHARD.public).insist(requests.describe())
        with pytest.raises(TimeoutError):
            connect(endpoint).send(requests.describe(), patience=REFUSED)

    assert isinstance(second, DescribeReply)
    assert second.restarts == 1


@pytest.mark.cluster
def test_stand_in_has_the_keys_and_is_known_without(
    connect: Connect, port: int, with_keys: dict[str, str], tmp_path: Path
):
    endpoint = f"tcp://127.0.0.1:{port}"
    with rigged(endpoint, tmp_path, **with_keys):
        reply = connect(endpoint, GATEWAY, SHARD.public).insist(requests.describe())
        with pytest.raises(Unhealthy, match="cannot serve"):
            check(endpoint)

    assert isinstance(reply, ErrorReply)
    assert str(tmp_path) in reply.message


@pytest.mark.cluster
def test_network_without_keys_has_to_be_meant(connect: Connect, port: int):
    endpoint = f"tcp://127.0.0.1:{port}"
    with rigged(endpoint, SHARD_TCP_PLAIN="true"):
        assert isinstance(connect(endpoint).insist(requests.describe()), DescribeReply)
