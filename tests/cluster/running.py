"""A whole cluster, started by the operator's command, as tests see it from outside."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from common import endpoints
from common.manifest import Library, Manifest, render

UP_SECONDS = 90
"""Bound on a start: the command itself gives up after 60 s."""

WITHOUT_RUN_DIR = ("validate", "list")
"""Verbs that look at the manifest alone."""


class RunningCluster:
    """One cluster with a run directory and a port of its own.

    Attributes:
        url: The MCP endpoint.
        started: What ``corpus-mcp up`` printed.
    """

    def __init__(
        self,
        libraries: Mapping[str, Path],
        run_dir: Path,
        *,
        adapters: Mapping[str, str] | None = None,
        replicas: int = 1,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.run_dir = run_dir
        self.root = Path(os.path.commonpath([path.parent for path in libraries.values()]))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.config = run_dir.with_name(run_dir.name + ".toml")
        self.config.write_text(
            render(
                Manifest(
                    tuple(
                        Library(
                            name=name,
                            path=str(path.relative_to(self.root)),
                            adapter=(adapters or {}).get(name, "auto"),  # type: ignore[arg-type]
                            replicas=replicas,
                        )
                        for name, path in libraries.items()
                    )
                )
            )
        )
        self._environment = {**clean_environment(), **(environment or {})}
        self.started = ""

    def __enter__(self) -> Self:
        result = self.command(
            "up",
            "--detach",
            *("--config", str(self.config), "--root", str(self.root), "--port", str(self.port)),
        )
        if result.returncode != 0:
            self.command("down")
            raise AssertionError(f"up failed with {result.returncode}:\n{result.stderr}")
        self.started = result.stdout
        return self

    def __exit__(self, *_: object) -> None:
        self.command("down")
        left = self.processes()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        assert not left, f"down left processes: {left}"

    def command(self, verb: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the operator's command for this cluster."""
        where = [] if verb in WITHOUT_RUN_DIR else ["--run-dir", str(self.run_dir)]
        return subprocess.run(
            [sys.executable, "-m", "deploy", verb, *where, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=UP_SECONDS,
            check=False,
        )

    def status(self) -> dict[str, Any]:
        """Return the gateway's own account of the cluster."""
        return self.get_json("/status")

    def get_json(self, path: str) -> dict[str, Any]:
        """Return the JSON at a path beside the endpoint."""
        return dict(json.loads(self.get(path)))

    def get(self, path: str) -> bytes:
        """Return what is at a path beside the endpoint."""
        address = f"http://127.0.0.1:{self.port}{path}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return bytes(answer.read())

    def sockets(self) -> list[Path]:
        """Return the sockets that the cluster has on disk."""
        folder = endpoints.socket_dir(self.run_dir)
        return [path for path in folder.rglob("*") if path.is_socket()]

    def library(self, name: str) -> dict[str, Any]:
        """Return one library of the status."""
        return next(row for row in self.status()["libraries"] if row["name"] == name)

    def replica(self, name: str) -> dict[str, Any]:
        """Return the first replica of a library."""
        return dict(self.library(name)["replicas"][0])

    def ready(self, name: str, *, other_than: int = 0) -> bool:
        """Tell whether the library is ready, by a worker other than the one with this pid."""
        library = self.library(name)
        return library["state"] == "ready" and all(
            replica["state"] == "ready" and replica["pid"] != other_than
            for replica in library["replicas"]
        )

    def processes(self) -> list[int]:
        """Return the pids of all processes that carry this run directory in their environment."""
        mark = f"CORPUS_RUN_DIR={self.run_dir.absolute()}".encode()
        return [pid for pid in pids() if mark in environment_of(pid)]


def wait_until(condition: Callable[[], bool], seconds: float) -> float:
    """Return how long it took until ``condition`` held; fail after ``seconds``."""
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < seconds, f"not within {seconds} s"
        time.sleep(0.01)
    return time.monotonic() - began


def free_port() -> int:
    """Return a port of the loopback address that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def clean_environment() -> dict[str, str]:
    """Return this process' environment without any setting of the cluster."""
    ours = ("CORPUS_", "MCP_", "SEARCH_", "SHARD_", "GATEWAY_", "LOG_", "ZIM_", "FETCH_", "MAX_")
    return {key: value for key, value in os.environ.items() if not key.startswith(ours)}


def pids() -> list[int]:
    """Return all processes of this machine but this one."""
    names = (path.name for path in Path("/proc").iterdir())
    return [int(name) for name in names if name.isdigit() and int(name) != os.getpid()]


def alive(pid: int) -> bool:
    """Tell whether a process runs: neither gone nor waiting to be reaped."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def environment_of(pid: int) -> list[bytes]:
    """Return the environment a process started with; empty if it has gone or is a zombie."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
