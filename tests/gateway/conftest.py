"""Fixtures of the gateway's tests."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.scripted import Script, ScriptedReplica


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
