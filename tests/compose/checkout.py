"""A checkout of its own with a Compose project of its own, as an operator has them."""

import copy
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from tests.cluster.running import clean_environment, free_port

PROJECT = Path(__file__).resolve().parents[2]
VENV = Path(sys.prefix)

MAKE_SECONDS = 600
"""Bound on a verb; building the images takes the longest."""

_SCRATCH = (".git", ".venv", ".run", ".env", "corpus", "*_cache", ".hypothesis", "__pycache__")


class Checkout:
    """A copy of this checkout in which verbs of the Makefile are called.

    Attributes:
        name: Of the Compose project.
        url: The MCP endpoint, once it serves.
    """

    def __init__(self, folder: Path, name: str, tag: str) -> None:
        shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns(*_SCRATCH))
        self.folder = folder
        self.name = name
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._environment = {
            **_outside(),
            "COMPOSE_PROJECT_NAME": name,
            "CORPUS_TAG": tag,
            "MCP_PORT": str(self.port),
            # Every search goes to the shards.
            "SEARCH_CACHE_MB": "0",
            # Of the copy, not of the checkout that is installed in the virtual environment.
            "PYTHONPATH": str(folder),
        }

    def make(self, verb: str, **variables: object) -> str:
        """Run a verb that must succeed; return what it printed."""
        result = self.try_make(verb, **variables)
        assert result.returncode == 0, f"make {verb}:\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def without_environment(self) -> "Checkout":
        """Return the same checkout in another shell, where nothing of the start is set."""
        other = copy.copy(self)
        names = ("COMPOSE_PROJECT_NAME", "CORPUS_TAG", "MCP_PORT", "SEARCH_CACHE_MB")
        other._environment = {k: v for k, v in self._environment.items() if k not in names}
        return other

    def run(self, *arguments: str) -> str:
        """Run `corpus-mcp`; return what it printed."""
        result = subprocess.run(
            [sys.executable, "-m", "deploy", *arguments],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=MAKE_SECONDS,
            check=False,
        )
        assert result.returncode == 0, f"{arguments}:\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def try_make(self, verb: str, **variables: object) -> subprocess.CompletedProcess[str]:
        """Run a verb, with the virtual environment that the tests run in."""
        given = [f"{name}={value}" for name, value in {"VENV": VENV, **variables}.items()]
        return subprocess.run(
            # Taken as set up, whatever the times of the copied files.
            ["make", "--silent", f"--old-file={VENV}/.run", verb, *given],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=MAKE_SECONDS,
            check=False,
        )

    def compose(self, *arguments: str) -> list[str]:
        """Run plain `docker compose` in the checkout; return the lines that it printed."""
        return docker("compose", *arguments, folder=self.folder)

    def containers(self, service: str) -> list[str]:
        """Return the ids of the running containers of a service, oldest first."""
        return self.compose("ps", "--quiet", service)

    def everything(self) -> list[str]:
        """Return all containers and networks of the project, in whatever state."""
        mine = ("--quiet", "--filter", f"label=com.docker.compose.project={self.name}")
        return [*docker("ps", "--all", *mine), *docker("network", "ls", *mine)]

    def status(self) -> dict[str, Any]:
        """Return what a gateway says of the cluster."""
        return dict(json.loads(self.get("/status")))

    def get(self, path: str) -> bytes:
        """Return the body of a page beside the endpoint."""
        address = f"http://127.0.0.1:{self.port}{path}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return bytes(answer.read())

    def library(self, name: str) -> dict[str, Any]:
        """Return one library of the status."""
        return next(row for row in self.status()["libraries"] if row["name"] == name)

    def ready(self, name: str) -> list[str]:
        """Return the endpoints of a library's replicas that are ready."""
        rows = self.library(name)["replicas"]
        return [row["endpoint"] for row in rows if row["state"] == "ready"]

    def remove(self) -> None:
        """Leave nothing of the project behind."""
        mine = ("--quiet", "--filter", f"label=com.docker.compose.project={self.name}")
        if left := docker("ps", "--all", *mine):
            docker("rm", "--force", *left)
        if networks := docker("network", "ls", *mine):
            docker("network", "rm", *networks)


def docker(*arguments: str, folder: Path = PROJECT) -> list[str]:
    """Run ``docker`` and return the lines that it printed."""
    result = subprocess.run(
        ["docker", *arguments],
        cwd=folder,
        env=_outside(),
        capture_output=True,
        text=True,
        timeout=MAKE_SECONDS,
        check=False,
    )
    assert result.returncode == 0, f"docker {arguments}:\n{result.stdout}\n{result.stderr}"
    return result.stdout.splitlines()


def _outside() -> dict[str, str]:
    """Return an environment that names no project: one of the shell would win over ``.env``."""
    named = clean_environment().items()
    return {name: value for name, value in named if not name.startswith("COMPOSE_")}


def main_pid(container: str) -> int:
    """Return the pid that the first process of a container has on this machine."""
    return int(docker("inspect", "--format", "{{.State.Pid}}", container)[0])


def worker_pid(container: str) -> int:
    """Return the pid of the only child of the first process: of a shard, its worker."""
    keeper = main_pid(container)
    children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
    return int(children[0])


def started(container: str) -> str:
    """Return when a container was last started; another text after every restart."""
    return docker("inspect", "--format", "{{.State.StartedAt}}", container)[0]


def python(container: str, code: str) -> str:
    """Run code inside a container, as the user that it runs as; return what it printed."""
    return "\n".join(docker("exec", container, "python", "-c", code))


def is_root() -> bool:
    """Tell whether processes of containers can be killed from here."""
    return os.geteuid() == 0
