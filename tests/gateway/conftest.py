"""Fixtures of the gateway's tests."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from mcp.client.client import Client

from common.endpoints import socket_dir
from gateway import replica as replicas
from gateway import scatter
from tests.gateway.pooling import pooling
from tests.gateway.scripted import Script, ScriptedReplica, run, sound
from tests.gateway.serving import serving


@pytest.fixture
def sockets() -> Iterator[Path]:
    """Return a folder with a short name: pytest's own are too deep for a Unix socket."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        yield Path(folder)


@pytest.fixture
def replica(sockets: Path) -> Iterator:
    """Start scripted replicas by name; all are stopped at the end."""
    started: list[ScriptedReplica] = []

    def start(name: str = "lib.0", script: Script | None = None) -> ScriptedReplica:
        started.append(ScriptedReplica(sockets / name, script))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def start(sockets, replica):
    """Start the replica of a number, or of another library, where a pool finds it."""
    socket_dir(sockets).mkdir()
    return lambda number=0, script=None, slug="lib": replica(f"s/{slug}.{number}", script)


@pytest.fixture
def pooled(sockets):
    """Open a pool over the replicas that were started."""
    return partial(pooling, sockets)


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", sound("Lib", "Bell test", "Loophole"))


@pytest.fixture
def other(sockets, lib, replica):
    return replica("s/other.0", sound("Other", "Bell jar"))


@pytest.fixture
def call(sockets, lib):
    """Call one tool of a gateway over the library, through a real client."""

    def call(tool, arguments, *, mode="auto", **options):
        async def main():
            async with (
                serving(sockets, **options) as (url, _),
                Client(f"{url}/mcp", mode=mode) as client,
            ):
                return await client.call_tool(tool, arguments)

        return run(main())

    return call


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make stragglers and suspects of replicas sooner, so that the tests are quick."""
    monkeypatch.setattr(scatter, "LEAST_PATIENCE", 0.05)
    monkeypatch.setattr(scatter, "UNKNOWN_USUAL", 0.01)
    monkeypatch.setattr(scatter, "CHECK_INTERVAL", 0.01)
    monkeypatch.setattr(replicas, "SUSPECT_AFTER", 0.1)
