"""A gateway that finds its shards by the addresses of their names."""

import asyncio
import socket

import pytest

from common.manifest import Library, Manifest
from gateway import discovery, pool
from gateway.discovery import DnsDiscovery
from gateway.pool import Pool
from tests.gateway.scripted import ScriptedReplica, run, sound, until
from tests.gateway.serving import HEADERS, http, rpc, serving

FIRST, SECOND = "127.0.0.1", "127.0.0.2"


@pytest.fixture(autouse=True)
def brisk(monkeypatch):
    monkeypatch.setattr(pool, "DISCOVERY_INTERVAL", 0.02)
    monkeypatch.setattr(discovery, "LOOKUP_INTERVAL", 0.0)


@pytest.fixture
def port():
    with socket.create_server((FIRST, 0)) as probe:
        return probe.getsockname()[1]


@pytest.fixture
def bind(port):
    """Start a replica at an address; all are stopped at the end."""
    started = []

    def bind(address, script=None):
        started.append(ScriptedReplica(f"tcp://{address}:{port}", script))
        return started[-1]

    yield bind
    for each in started:
        each.stop()


def test_gateway_finds_a_shard_by_its_name_and_needs_no_run_directory(sockets, bind, port):
    bind(FIRST, sound("localhost", "Bell test"))
    network = {
        "CORPUS_DISCOVERY": "dns",
        "SHARD_SERVICE": "{slug}",
        "SHARD_PORT": str(port),
        "SHARD_TCP_PLAIN": "true",
    }

    async def main():
        async with serving(sockets, ("localhost",), **network) as (url, _), http(url) as client:
            (sockets / "s").rmdir()
            body = rpc("search", {"query": "bell"})
            answer = await client.post("/mcp", json=body, headers=HEADERS)
            return answer.json()["result"]["structuredContent"], (
                await client.get("/status")
            ).json()

    found, status = run(main())
    assert [hit["title"] for hit in found["results"]] == ["Bell test"]
    (replica,) = status["libraries"][0]["replicas"]
    assert (replica["endpoint"], replica["state"]) == (f"tcp://{FIRST}:{port}", "ready")


def test_replicas_come_and_go_with_their_addresses(bind, port):
    first = bind(FIRST)
    addresses = [FIRST]
    found = DnsDiscovery("shard-{slug}", port, resolve=lambda _host: list(addresses))

    async def main():
        opened = Pool(Manifest((Library(name="Lib", path="x.zim"),)), found)
        async with opened.running():
            shard = opened.shards["Lib"]
            await until(opened.ready)
            await asyncio.to_thread(bind, SECOND)
            addresses.append(SECOND)
            await until(lambda: ready(shard) == {FIRST, SECOND})
            addresses.remove(FIRST)
            await asyncio.to_thread(first.stop)
            await until(lambda: len(shard.replicas) == 1)
            return ready(shard)

    assert run(main()) == {SECOND}


def ready(shard):
    return {
        replica.endpoint.split("/")[2].partition(":")[0]
        for replica in shard.replicas.values()
        if replica.membership.ready
    }
