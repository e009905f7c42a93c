"""The images have what their role needs, and nothing else."""

import http.client
import time
import urllib.request
from collections.abc import Iterator

import pytest

from tests.cluster.agent import ask
from tests.cluster.running import free_port, wait_until
from tests.compose.checkout import Checkout, docker
from tests.support import figures

pytestmark = pytest.mark.docker

LIST = (
    "import importlib.metadata as m, os; "
    "print(*sorted(d.name.lower() for d in m.distributions()), *os.listdir('/app'))"
)


def contents(role: str, tag: str) -> set[str]:
    lines = docker("run", "--rm", f"corpus-mcp-{role}:{tag}", "python", "-c", LIST)
    return set(lines[-1].split())


def test_gateway_image_knows_no_archive(built: Checkout, images: str) -> None:
    inside = contents("gateway", images)

    assert {"mcp", "pyzmq", "common", "gateway"} <= inside
    assert inside.isdisjoint(
        {"libzim", "lxml", "xapian-bindings-binary", "supervisor", "typer", "shard", "deploy"}
    )


def test_shard_image_knows_no_mcp(built: Checkout, images: str) -> None:
    inside = contents("shard", images)

    assert {"libzim", "lxml", "pyzmq", "common", "shard"} <= inside
    assert inside.isdisjoint(
        {"mcp", "starlette", "uvicorn", "supervisor", "typer", "gateway", "deploy"}
    )


@pytest.mark.parametrize("role", ["gateway", "shard", "proxy", "all-in-one"])
def test_image_runs_as_nobody_in_particular(
    built: Checkout, images: str, role: str, figure: figures.Figure
) -> None:
    template = "{{.Config.User}} {{.Config.StopSignal}} {{.Config.Healthcheck.Test}} {{.Size}}"
    user, signal, *health, size = docker(
        "image", "inspect", "--format", template, f"corpus-mcp-{role}:{images}"
    )[0].split()

    assert user == "10001:10001"
    assert signal == ("SIGUSR1" if role == "proxy" else "SIGTERM")
    assert health[0] == "[CMD"
    figure(f"compose: MB of the image {role}", str(int(size) // 1_000_000))


@pytest.mark.parametrize("role", ["gateway", "shard", "all-in-one"])
def test_image_has_its_modules_compiled(built: Checkout, images: str, role: str) -> None:
    code = "import common.manifest as m, pathlib; print(pathlib.Path(m.__cached__).exists())"

    assert docker("run", "--rm", f"corpus-mcp-{role}:{images}", "python", "-c", code) == ["True"]


@pytest.fixture
def alone(built: Checkout, project: Checkout, images: str) -> Iterator[str]:
    """Run the demo corpus in one container; return the endpoint."""
    port = free_port()
    container = docker(
        *("run", "--detach", "--init", "--read-only", "--tmpfs", "/tmp"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--publish", f"127.0.0.1:{port}:8000", "--env", "MCP_ALLOW_PUBLIC=true"),
        *("--volume", f"{project.folder}/corpus:/corpus:ro"),
        *("--volume", f"{project.folder}/corpus.toml:/config/corpus.toml:ro"),
        f"corpus-mcp-all-in-one:{images}",
    )[0]
    yield f"http://127.0.0.1:{port}/mcp"
    began = time.monotonic()
    docker("stop", container)
    code = docker("inspect", "--format", "{{.State.ExitCode}}", container)
    docker("rm", "--force", container)
    assert code != ["137"], f"killed after {time.monotonic() - began:.0f} s"


def test_one_container_serves_the_whole_corpus(alone: str) -> None:
    wait_until(lambda: _ready(alone), 60)

    found = ask(alone, "search", query="how does BM25 rank documents")

    assert found.titles[0] == "BM25"
    assert "degraded" not in found.content


def _ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(url.replace("/mcp", "/readyz"), timeout=5):
            return True
    except (OSError, http.client.HTTPException):
        return False
