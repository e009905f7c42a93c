"""What everybody is told while a real keeper cannot have a worker."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from common.frames import DescribeReply, ErrorReply
from shard.health import Unhealthy, check
from shard.keeper import STAND_IN_FROM, STAND_IN_LIMIT
from tests.shard import requests
from tests.shard.peers import PATIENCE, Peer
from tests.shard.replicas import Replica, child_of, is_gone, rigged, stop

pytestmark = pytest.mark.cluster

Connect = Callable[[str], Peer]


@contextmanager
def broken(endpoint: str, tmp_path: Path) -> Iterator[tuple[Replica, Path]]:
    """Run a shard that cannot open its archive until the file is gone."""
    obstacle = tmp_path / "broken"
    obstacle.touch()
    with rigged(endpoint, obstacle) as replica:
        yield replica, obstacle


def test_stand_in_says_why_to_everybody(endpoint: str, connect: Connect, tmp_path: Path):
    with broken(endpoint, tmp_path) as (_, obstacle):
        peer = connect(endpoint)
        described = peer.insist(requests.describe(3))
        queried = connect(endpoint).insist(requests.query(number=4))

    assert isinstance(described, ErrorReply)
    assert (described.request_id, described.code) == (3, "unavailable")
    assert f"{obstacle} stands in the way" in described.message
    assert "tried again in" in described.message
    assert (queried.request_id, queried.code) == (4, "unavailable")


def test_worker_takes_over_from_the_stand_in(endpoint: str, connect: Connect, tmp_path: Path):
    with broken(endpoint, tmp_path) as (replica, obstacle):
        peer = connect(endpoint)
        assert isinstance(peer.insist(requests.describe()), ErrorReply)
        obstacle.unlink()
        replica.event("shard ready")

        assert isinstance(peer.insist(requests.describe()), DescribeReply)
        check(endpoint)


def test_stand_in_is_no_healthy_worker(endpoint: str, connect: Connect, tmp_path: Path):
    with broken(endpoint, tmp_path):
        assert isinstance(connect(endpoint).insist(requests.describe()), ErrorReply)
        with pytest.raises(Unhealthy, match="cannot serve"):
            check(endpoint)


def test_crash_loop_says_the_same_once(endpoint: str, connect: Connect, tmp_path: Path):
    with broken(endpoint, tmp_path) as (replica, _):
        peer = connect(endpoint)
        delays = set()
        until = time.monotonic() + PATIENCE
        while len(delays) < 2 and time.monotonic() < until:
            delays.add(peer.insist(requests.describe()).message.rpartition(" in ")[2])
        replica.signal(signal.SIGTERM)
        replica.wait()

    complaints = [line for line in replica.noise if "cannot serve" in line]
    assert len(delays) == 2
    assert len(complaints) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop_ends_a_shard_with_a_stand_in_at_once(
    endpoint: str, connect: Connect, tmp_path: Path, number: int
):
    with broken(endpoint, tmp_path) as (replica, _):
        connect(endpoint).insist(requests.describe())
        stopped_at = time.monotonic()
        replica.signal(number)

        assert replica.wait() == 0
        assert time.monotonic() - stopped_at < STAND_IN_LIMIT + STAND_IN_FROM
        assert not Path(endpoint.removeprefix("ipc://")).exists()


def test_killed_keeper_takes_its_stand_in_along(endpoint: str, connect: Connect, tmp_path: Path):
    with broken(endpoint, tmp_path) as (replica, _):
        connect(endpoint).insist(requests.describe())
        child = child_of(replica.pid)
        replica.signal(signal.SIGKILL)

        assert is_gone(child)


def test_stand_in_that_was_stopped_holds_nobody_up(endpoint: str, connect: Connect, tmp_path: Path):
    with broken(endpoint, tmp_path) as (replica, obstacle):
        connect(endpoint).insist(requests.describe())
        stop(child_of(replica.pid))
        obstacle.unlink()

        assert replica.event("shard ready")
