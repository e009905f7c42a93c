"""Faults made from the host: nothing that a shard's container does fails a call."""

import os
import signal
import time
import urllib.request
from collections.abc import Iterator

import pytest

from tests.cluster.agent import ask
from tests.cluster.running import wait_until
from tests.compose.checkout import Checkout, docker, main_pid, python, started, worker_pid
from tests.compose.load import CALLS, under_load
from tests.support import figures

pytestmark = pytest.mark.docker

SOON = 30
"""Bound on whatever is to come true: a busy machine takes ten times what an idle one does."""

SEEN = 2.5
"""Seconds in which a partition must be seen: two ZMTP heartbeats and a margin."""

SITE = [("fetch", {"ref": "corpus://Site/tour.html"}), *CALLS]


@pytest.fixture
def network(project: Checkout) -> str:
    return f"{project.name}_shards"


@pytest.fixture(autouse=True)
def _as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may kill processes of containers")


def test_killed_workers_fail_no_call(project: Checkout, shard: str) -> None:
    before = started(shard)

    def kill() -> None:
        for _ in range(3):
            _kill_worker(shard)

    load = under_load(project, kill, calls=SITE)

    assert not load.failures
    assert started(shard) == before
    wait_until(lambda: len(project.ready("Site")) == 1, SOON)


def test_killed_container_comes_back_by_itself(
    project: Checkout, shard: str, figure: figures.Figure
) -> None:
    before = started(shard)
    took: list[float] = []

    def kill() -> None:
        # The keeper is the first process of its container: the engine starts it again.
        os.kill(main_pid(shard), signal.SIGKILL)
        took.append(wait_until(lambda: started(shard) != before, SOON))
        took.append(wait_until(lambda: len(project.ready("Site")) == 1, SOON))

    load = under_load(project, kill, calls=SITE)

    assert not load.failures
    # Nobody else has that library.
    reasons = {row["reason"] for answer in load.degraded for row in answer.content["degraded"]}
    assert reasons <= {"unavailable", "starting", "timeout"}
    assert load.degraded
    figure("compose: seconds from kill -9 of a container's first process to ready", sum(took))


def test_killed_container_of_three_is_not_seen(project: Checkout) -> None:
    project.make("scale", LIBRARY="Site", N=3)
    victim = project.containers("shard-site")[0]

    load = under_load(
        project, lambda: os.kill(main_pid(victim), signal.SIGKILL), calls=SITE, after=60
    )
    wait_until(lambda: len(project.ready("Site")) == 3, SOON)
    project.make("scale", LIBRARY="Site", N=1)

    assert not load.failures
    assert not load.degraded


def test_partition_is_seen_and_heals(
    project: Checkout, network: str, figure: figures.Figure
) -> None:
    project.make("scale", LIBRARY="Site", N=2)
    cut = project.containers("shard-site")[0]
    seen: list[float] = []

    def part() -> None:
        docker("network", "disconnect", network, cut)
        seen.append(wait_until(lambda: len(project.ready("Site")) == 1, SOON))
        docker("network", "connect", "--alias", "shard-site", network, cut)
        wait_until(lambda: len(project.ready("Site")) == 2, SOON)

    load = under_load(project, part, calls=SITE)
    project.make("scale", LIBRARY="Site", N=1)

    assert not load.failures
    assert seen[0] < SEEN
    figure("compose: seconds until a partition is seen", seen[0])


@pytest.fixture
def absent(project: Checkout, network: str, shard: str) -> Iterator[str]:
    """Take the only replica of a library out of the network, and its name with it."""
    docker("network", "disconnect", network, shard)
    yield shard
    docker("network", "connect", "--alias", "shard-site", network, shard)
    wait_until(lambda: len(project.ready("Site")) == 1, SOON)


def test_name_that_nobody_has_stalls_no_gateway(
    project: Checkout, absent: str, figure: figures.Figure
) -> None:
    wait_until(lambda: project.library("Site")["state"] != "ready", SOON)
    slowest = 0.0
    # Longer than a look-up of that name may take, and than several ticks of the discovery.
    until = time.monotonic() + 12
    searched = []
    while time.monotonic() < until:
        began = time.monotonic()
        with urllib.request.urlopen(project.url.replace("/mcp", "/healthz"), timeout=10):
            slowest = max(slowest, time.monotonic() - began)
        searched.append(ask(project.url, "search", query="circuit breaker"))

    assert slowest < 1
    assert not [answer for answer in searched if answer.is_error]
    assert all(
        [row["library"] for row in answer.content["degraded"]] == ["Site"] for answer in searched
    )
    assert ask(project.url, "fetch", ref="corpus://Encyclopaedia/BM25").seconds < 5
    figure("compose: slowest /healthz while a name has no address, s", slowest)


def test_look_up_of_a_name_that_nobody_has_ends_soon(project: Checkout, absent: str) -> None:
    gateway = project.containers("gateway")[0]

    took = python(
        gateway,
        "import socket, time\n"
        "began = time.monotonic()\n"
        "try:\n    socket.getaddrinfo('shard-site', 7100)\n"
        "except OSError:\n    print(time.monotonic() - began)\n",
    )

    assert float(took) < 5


def _kill_worker(container: str) -> None:
    pid = worker_pid(container)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: _another_worker(container, pid), SOON)


def _another_worker(container: str, pid: int) -> bool:
    try:
        return worker_pid(container) != pid
    except IndexError:
        return False
