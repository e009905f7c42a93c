"""When a worker is too large, and that its keeper replaces it then."""

import time
from collections.abc import Callable

import pytest

from common.frames import QueryReply
from shard.ceiling import EVERY, YOUNG, YOUNG_IF_LARGE, Ceiling, anonymous_bytes
from tests.shard import requests
from tests.shard.peers import PATIENCE, Peer
from tests.shard.replicas import rigged
from tests.support.figures import Figure

MIB = 1024 * 1024


class Worker:
    """A clock and a memory that tests set, and how often the memory was asked for."""

    def __init__(self, mib: int) -> None:
        self.now = 100.0
        self.mib = mib
        self.looks = 0

    def clock(self) -> float:
        return self.now

    def used(self) -> int:
        self.looks += 1
        return self.mib * MIB

    def ceiling(self, most: int) -> Ceiling:
        return Ceiling(most, used=self.used, clock=self.clock)


def test_worker_below_its_ceiling_stays():
    worker = Worker(50)
    ceiling = worker.ceiling(100)
    worker.now += YOUNG
    worker.mib = 100

    assert not ceiling.passed()


def test_worker_above_its_ceiling_goes_and_says_the_figures():
    worker = Worker(50)
    ceiling = worker.ceiling(100)
    worker.now += YOUNG
    worker.mib = 101
    reason = ceiling.passed()

    assert all(figure in reason for figure in ("101 MiB", "at most 100", "50 MiB"))


def test_young_worker_stays():
    worker = Worker(50)
    ceiling = worker.ceiling(100)
    worker.mib = 500
    worker.now += YOUNG * 0.99

    assert not ceiling.passed()


def test_worker_that_was_too_large_from_the_start_stays_for_longer():
    worker = Worker(150)
    ceiling = worker.ceiling(100)
    worker.now += YOUNG_IF_LARGE * 0.99
    assert not ceiling.passed()
    worker.now += YOUNG_IF_LARGE * 0.01

    assert ceiling.passed()


def test_ceiling_of_zero_is_none():
    worker = Worker(50)
    ceiling = worker.ceiling(0)
    worker.now += YOUNG_IF_LARGE * 2

    assert not ceiling.passed()


def test_memory_is_looked_at_once_in_a_while():
    worker = Worker(50)
    ceiling = worker.ceiling(100)
    worker.now += YOUNG
    before = worker.looks
    for _ in range(100):
        ceiling.passed()
    worker.now += EVERY
    ceiling.passed()

    assert worker.looks - before == 2


def test_memory_counts_what_is_allocated(figure: Figure):
    before = anonymous_bytes()
    hoard = b"x" * (64 * MIB)
    grown = anonymous_bytes() - before
    since = time.perf_counter()
    anonymous_bytes()
    figure("one look at a worker's memory, us", f"{(time.perf_counter() - since) * 1e6:.0f}")

    assert len(hoard) * 0.9 < grown < len(hoard) * 1.1


@pytest.mark.cluster
def test_worker_that_grows_is_replaced_without_losing_a_reply(
    endpoint: str, connect: Callable[[str], Peer]
):
    with rigged(endpoint, SHARD_MEMORY_MB="256") as replica:
        first = connect(endpoint).insist(requests.describe())
        peer = connect(endpoint)
        for number in range(20):
            assert isinstance(peer.ask(requests.query("hoard", number)), QueryReply)
        until = time.monotonic() + PATIENCE
        while (described := peer.insist(requests.describe())).pid == first.pid:
            assert time.monotonic() < until
        left = replica.event("worker left")

    assert described.restarts == 1
    assert "at most 256" in left["reason"]
    assert left["status"] == 0
    assert left["lived"] >= YOUNG
