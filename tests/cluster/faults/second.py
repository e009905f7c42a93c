"""A second gateway in front of the same shards."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from tests.cluster.running import RunningCluster, environment_of, free_port, wait_until

START_SECONDS = 30
"""Bound on a start and on an end."""


@dataclass
class OtherGateway:
    """A second gateway of a cluster, that the supervisor knows nothing of.

    Attributes:
        port: Where it listens, also after a restart.
    """

    cluster: RunningCluster
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its MCP endpoint."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        """Start it with the environment of the first, and wait until it is ready."""
        given = environment_of(self.cluster.status()["pid"])
        environment = dict(os.fsdecode(pair).split("=", 1) for pair in given if b"=" in pair)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gateway", "serve"],
            env={**environment, "MCP_PORT": str(self.port)},
            cwd=self.cluster.run_dir,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda: readiness(self.port) == (200, "ready"), START_SECONDS)

    def end(self, number: int) -> int:
        """Send it a signal, and return its exit status."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(START_SECONDS)

    def close(self) -> None:
        """Kill it if it still runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextlib.asynccontextmanager
async def beside(cluster: RunningCluster) -> AsyncIterator[OtherGateway]:
    """Return a second gateway that is ready."""
    other = OtherGateway(cluster)
    try:
        await asyncio.to_thread(other.start)
        yield other
    finally:
        other.close()


def readiness(port: int) -> tuple[int, str]:
    """Return what ``/readyz`` says and its status; 0 if nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
            return int(answer.status), _phase(answer.read())
    except urllib.error.HTTPError as exc:
        return exc.code, _phase(exc.read())
    except OSError:
        return 0, ""


def _phase(text: bytes) -> str:
    return str(json.loads(text)["status"])
