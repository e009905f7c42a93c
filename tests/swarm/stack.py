"""A stack on a swarm of one node, made for a test and taken down with all that it left."""

import contextlib
import json
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from common.manifest import Library
from deploy.swarm import GATEWAY_LABEL, LABEL
from tests.cluster.agent import CALL_SECONDS, Load
from tests.cluster.running import clean_environment, wait_until

NAME = "corpus-test"
TOKEN = "a-token-for-tests"

ROLES = ("gateway", "shard")

READY_SECONDS = 120
"""Two health checks and a look-up, on a machine that has other things to do."""

ENDS = ("completed", "paused", "rollback_completed", "rollback_paused")
"""Of an update, as the engine calls them."""

UPDATE_SECONDS = 180
"""One replica after another, each watched for a while."""


def docker(*arguments: str, seconds: float = 60, fails: bool = False) -> str:
    """Run a command of Docker and return what it printed, or its complaint if it ``fails``."""
    result = subprocess.run(
        ["docker", *arguments], capture_output=True, text=True, timeout=seconds, check=False
    )
    assert (result.returncode != 0) is fails, f"docker {' '.join(arguments)}:\n{result.stderr}"
    return (result.stderr if fails else result.stdout).strip()


def swarm_state() -> str:
    """Return what this engine is to a swarm, ``inactive`` if nothing; empty without an engine."""
    if shutil.which("docker") is None:
        return ""
    command = ["docker", "info", "--format", "{{.Swarm.LocalNodeState}}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def image(role: str) -> str:
    """Return the image of a role that tests build and run."""
    return f"corpus-mcp-test-{role}:latest"


@contextlib.contextmanager
def built_images() -> Iterator[None]:
    """Build both images from the checkout, and remove them afterwards; their layers stay."""
    project = Path(__file__).resolve().parents[2]
    for role in ROLES:
        place = ("--file", str(project / "docker" / "Dockerfile"), "--target", role)
        docker("build", "--quiet", *place, "--tag", image(role), str(project), seconds=600)
    try:
        yield
    finally:
        for role in ROLES:
            docker("rmi", "--no-prune", image(role))


@contextlib.contextmanager
def swarm() -> Iterator[str]:
    """Make this engine a swarm that listens on loopback alone; yield the id of its node."""
    address = "127.0.0.1"
    docker("swarm", "init", "--advertise-addr", address, "--listen-addr", address)
    try:
        yield docker("node", "ls", "--quiet")
    finally:
        docker("swarm", "leave", "--force")


class Stack:
    """A stack that runs.

    Attributes:
        url: The MCP endpoint.
        file: What was rendered.
    """

    def __init__(self, config: Path, root: Path, folder: Path, port: int) -> None:
        self.file = folder / "stack.yaml"
        self._config = config
        self._root = root
        self._folder = folder
        self._port = port
        self._base = f"http://127.0.0.1:{port}"
        self.url = f"{self._base}/mcp"
        (folder / "token").write_text(TOKEN)
        self._corpus("keys", str(folder / "keys"))

    def render(self, **settings: str) -> None:
        """Write the stack file, as the operator does."""
        keys = ("--keys", str(self._folder / "keys"))
        images = [word for role in ROLES for word in (f"--{role}-image", image(role))]
        self._corpus(
            *("render", "swarm", "--config", str(self._config), "--root", str(self._root)),
            *("--port", str(self._port), *keys, *images, "--output", str(self.file)),
            **settings,
        )

    def deploy(self) -> None:
        """Deploy what was rendered."""
        docker(
            "stack", "deploy", "--resolve-image", "never", "--compose-file", str(self.file), NAME
        )

    def remove(self) -> None:
        """Take the stack down and wait until its containers have gone."""
        docker("stack", "rm", NAME)
        label = f"label=com.docker.stack.namespace={NAME}"
        wait_until(lambda: not docker("ps", "--all", "--quiet", "--filter", label), 60)
        wait_until(lambda: not docker("network", "ls", "--quiet", "--filter", label), 60)

    def wait_ready(self) -> None:
        """Wait until every library answers."""
        wait_until(lambda: self.get("/readyz") == (200, {"status": "ready"}), READY_SECONDS)

    def get(self, path: str, *, token: str = TOKEN) -> tuple[int, Any]:
        """Return the status and the JSON at a path; status 0 if nobody answers."""
        request = urllib.request.Request(
            self._base + path, headers={"Authorization": f"Bearer {token}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as exc:
            return exc.code, None
        except OSError:
            return 0, None

    def replicas(self, library: str) -> list[dict[str, Any]]:
        """Return the replicas of a library that are ready, as the gateway sees them."""
        _, status = self.get("/status")
        rows = status["libraries"] if status else []
        (row,) = [row for row in rows if row["name"] == library] or [{"replicas": []}]
        return [replica for replica in row["replicas"] if replica["state"] == "ready"]

    def update(self, service: str, *changes: str) -> str:
        """Change a service, wait for the end, and return how it ended."""
        name = f"{NAME}_{service}"
        docker("service", "update", "--quiet", "--detach", "--no-resolve-image", *changes, name)

        def state() -> str:
            return docker("service", "inspect", "--format", "{{.UpdateStatus.State}}", name)

        wait_until(lambda: state() in ENDS, UPDATE_SECONDS)
        return state()

    def containers(self, service: str) -> list[str]:
        """Return the ids of the running containers of a service."""
        label = f"label=com.docker.swarm.service.name={NAME}_{service}"
        return docker("ps", "--quiet", "--filter", label).split()

    def _corpus(self, *arguments: str, **settings: str) -> None:
        told = {"MCP_TOKEN_FILE": str(self._folder / "token"), **settings}
        subprocess.run(
            [sys.executable, "-m", "deploy", *arguments],
            env={**clean_environment(), **told},
            check=True,
            timeout=60,
        )


def label_node(node: str, libraries: Sequence[Library]) -> None:
    """Say that a node has every archive and publishes the port, as the stack file tells."""
    names = [GATEWAY_LABEL, *(LABEL + library.slug for library in libraries)]
    docker("node", "update", *(f"--label-add={name}=true" for name in names), node)


@contextlib.asynccontextmanager
async def connected(url: str, token: str = TOKEN) -> AsyncIterator[Client]:
    """Connect the official client, with the token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=CALL_SECONDS, trust_env=False) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


class TokenLoad(Load):
    """Clients that call without pause, each with the token."""

    def connect(self) -> contextlib.AbstractAsyncContextManager[Client]:
        """Return a client that sends the token."""
        return connected(self.url)
