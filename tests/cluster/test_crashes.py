"""What is seen of a single crash while nobody else calls; `tests.cluster.faults` has the load."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client

from tests.cluster.agent import call
from tests.cluster.running import RunningCluster, alive, wait_until
from tests.support.figures import Figure

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def own(
    corpus: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningCluster]:
    """Return a cluster to be hurt; each test leaves it whole."""
    with RunningCluster(corpus, tmp_path_factory.mktemp("crashes") / "run") as running:
        yield running


async def whole_again(url: str, within: float) -> float:
    """Return after how many seconds a search lacks no library."""
    began = time.monotonic()
    async with Client(url) as client:
        while True:
            answer = await call(client, "search", query="where do foxes live")
            if not answer.is_error and "degraded" not in answer.content:
                return time.monotonic() - began
            assert time.monotonic() - began < within, answer.content


def test_killed_worker_is_replaced_by_the_same_keeper(own: RunningCluster) -> None:
    before = own.replica("Farm")

    os.kill(before["pid"], signal.SIGKILL)

    wait_until(lambda: own.ready("Farm", other_than=before["pid"]), 5)
    after = own.replica("Farm")
    assert after["keeper_pid"] == before["keeper_pid"]
    assert after["restarts"] == before["restarts"] + 1


def test_killed_keeper_takes_its_worker_along_and_is_waited_for_or_named(
    own: RunningCluster, figure: Figure
) -> None:
    before = own.replica("Wiki")
    gateway = own.status()["pid"]

    async def kill_and_search() -> list[float]:
        async with Client(own.url) as client:
            os.kill(before["keeper_pid"], signal.SIGKILL)
            answer = await call(client, "search", query="open a den at a path")
            assert not answer.is_error
            # With luck the next one is there within the grace of a search.
            missing = answer.content.get("degraded", [])
            assert missing in ([], [{"library": "Wiki", "reason": "unavailable"}])
            assert answer.titles[0] == "den"
        return [answer.seconds, await whole_again(own.url, within=20)]

    searched, whole = asyncio.run(kill_and_search())

    figure("killed keeper: next search, ms", searched * 1000)
    figure("killed keeper: whole again, ms", whole * 1000)
    wait_until(lambda: own.ready("Wiki", other_than=before["pid"]), 10)
    after = own.replica("Wiki")
    assert after["keeper_pid"] != before["keeper_pid"]
    assert own.status()["pid"] == gateway
    assert not alive(before["pid"])


def test_killed_gateway_is_back_and_answers(own: RunningCluster) -> None:
    gateway = own.status()["pid"]

    os.kill(gateway, signal.SIGKILL)

    def back() -> bool:
        try:
            return own.status()["pid"] != gateway and own.ready("Wiki")
        except OSError:
            return False

    wait_until(back, 15)
    asyncio.run(whole_again(own.url, within=5))
