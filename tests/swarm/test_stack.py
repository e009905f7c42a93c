"""The stack on a real swarm: it answers, and its shards change without being missed."""

import asyncio

import pytest

from tests.cluster.agent import Answer, call
from tests.support.figures import Figure
from tests.swarm.stack import Stack, TokenLoad, connected, docker

pytestmark = pytest.mark.docker

LIBRARY, SERVICE = "Site", "shard-site"


async def asked(stack: Stack) -> tuple[Answer, Answer]:
    """Search, and fetch the first hit of the library that changes."""
    async with connected(stack.url) as client:
        found = await call(client, "search", query="site", limit=10)
        ref = next(ref for ref in found.refs if ref.startswith(f"corpus://{LIBRARY}/"))
        return found, await call(client, "fetch", ref=ref)


@pytest.fixture
def load(stack: Stack) -> TokenLoad:
    """Return clients that ask all libraries, and again and again the one that changes."""
    _, document = asyncio.run(asked(stack))
    calls = [("search", {"query": "site"}), ("fetch", {"ref": document.content["ref"]})]
    return TokenLoad(stack.url, clients=3, calls=calls)


def test_stack_answers_an_agent_that_has_the_token(stack: Stack) -> None:
    found, document = asyncio.run(asked(stack))

    assert "degraded" not in found.content
    assert document.content["sections"]
    assert stack.get("/status", token="another")[0] == 401


def test_containers_are_confined_as_far_as_swarm_can(stack: Stack) -> None:
    (shard,) = stack.containers(SERVICE)
    kept = "{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.PidsLimit}}"

    assert docker("inspect", "--format", kept, shard) == "true [ALL] 32"
    assert docker("exec", shard, "id", "-u") != "0"
    outside = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
    assert "unreachable" in docker("exec", shard, "python", "-c", outside, fails=True)


def test_rolling_update_of_a_shard_is_not_missed(
    stack: Stack, load: TokenLoad, figure: Figure
) -> None:
    before = stack.replicas(LIBRARY)

    async def under_load() -> str:
        async with load.running():
            return await asyncio.to_thread(stack.update, SERVICE, "--env-add", "LOG_LEVEL=DEBUG")

    assert asyncio.run(under_load()) == "completed"
    figure("calls during a rolling update", len(load.answers))
    figure("slowest of them, s", max(answer.seconds for answer in load.answers))
    assert load.failures == []
    assert load.degraded == []
    after = stack.replicas(LIBRARY)
    assert len(after) == len(before) == 1
    assert after[0]["endpoint"] != before[0]["endpoint"]


def test_update_that_cannot_serve_is_rolled_back_without_being_missed(
    stack: Stack, load: TokenLoad
) -> None:
    before = stack.replicas(LIBRARY)

    async def under_load() -> str:
        async with load.running():
            return await asyncio.to_thread(stack.update, SERVICE, "--env-add", "SHARD_QUEUE=none")

    assert asyncio.run(under_load()) == "rollback_completed"
    assert load.failures == []
    assert load.degraded == []
    assert [row["endpoint"] for row in stack.replicas(LIBRARY)] == [
        row["endpoint"] for row in before
    ]
