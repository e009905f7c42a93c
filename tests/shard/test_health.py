"""What a health check says of a worker, of others, and of nobody."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from common.errors import ConfigError
from shard.health import Unhealthy, check
from tests.shard import requests
from tests.shard.peers import PATIENCE, Peer
from tests.shard.replicas import rigged, stop
from tests.shard.rigged import UNGUARDED
from tests.shard.test_server import serving


@contextmanager
def saying(greeting: bytes) -> Iterator[str]:
    """Accept one connection, say ``greeting`` and hang up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def say() -> None:
            peer, _ = listener.accept()
            peer.sendall(greeting)
            peer.close()

        thread = threading.Thread(target=say)
        thread.start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(PATIENCE)


def test_health_is_good_where_a_worker_serves(endpoint: str):
    with serving(UNGUARDED, endpoint):
        check(endpoint)


@pytest.mark.parametrize("bound", ["127.0.0.1", "*", "0.0.0.0"])
def test_health_asks_at_loopback_whatever_address_is_bound(bound: str):
    with serving(UNGUARDED, "tcp://127.0.0.1:*") as server:
        port = server.address.rpartition(":")[2]

        check(f"tcp://{bound}:{port}")


def test_health_is_bad_where_nobody_is(endpoint: str):
    with pytest.raises(Unhealthy, match="No such file"):
        check(endpoint)


def test_health_is_bad_where_somebody_accepts_and_says_nothing():
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        pytest.raises(Unhealthy, match="says nothing"),
    ):
        check(f"tcp://127.0.0.1:{listener.getsockname()[1]}", patience=0.05)


@pytest.mark.cluster
def test_health_is_bad_while_the_worker_is_stopped(endpoint: str, connect: Callable[[str], Peer]):
    with rigged(endpoint):
        worker = connect(endpoint).insist(requests.describe()).pid
        stop(worker)
        with pytest.raises(Unhealthy, match="says nothing"):
            check(endpoint, patience=0.2)
        os.kill(worker, signal.SIGCONT)

        check(endpoint)


@pytest.mark.parametrize(
    "greeting",
    [
        pytest.param(b"", id="hangs up"),
        pytest.param(b"HTTP/1.1 400 Bad Request\r\n", id="speaks HTTP"),
    ],
)
def test_health_is_bad_where_something_else_listens(greeting: bytes):
    with saying(greeting) as endpoint, pytest.raises(Unhealthy, match="something else"):
        check(endpoint)


@pytest.mark.parametrize("endpoint", ["http://x:1", "tcp://127.0.0.1:*", "tcp://:7100", "7100"])
def test_health_names_what_is_no_endpoint(endpoint: str):
    with pytest.raises(ConfigError, match="endpoint: expected"):
        check(endpoint)
