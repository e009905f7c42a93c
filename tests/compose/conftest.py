"""One project over the demo corpus, which every test leaves as it found it."""

import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.compose.checkout import Checkout, docker

TAG = f"tests-{os.getpid()}"
ROLES = ("gateway", "shard", "proxy", "all-in-one")


def has_engine() -> bool:
    if shutil.which("docker") is None:
        return False
    return all(
        subprocess.run(["docker", *words], capture_output=True, check=False).returncode == 0
        for words in (("info",), ("compose", "version"))
    )


@pytest.fixture(scope="session")
def images() -> Iterator[str]:
    """Return the tag of images that are removed again; their layers stay for the next run."""
    if not has_engine():
        pytest.skip("no Docker Engine with Compose answers")
    yield TAG
    for role in ROLES:
        name = f"corpus-mcp-{role}:{TAG}"
        subprocess.run(["docker", "rmi", "--no-prune", name], capture_output=True, check=False)


@pytest.fixture(scope="session")
def built(images: str, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return a checkout whose images are all built and in which nothing has been started."""
    checkout = Checkout(
        tmp_path_factory.mktemp("built") / "checkout", f"corpus-built-{os.getpid()}", images
    )
    checkout.make("build")
    return checkout


@pytest.fixture(scope="session")
def project(images: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """Return a checkout whose project runs, started as on a fresh clone."""
    checkout = Checkout(
        tmp_path_factory.mktemp("project") / "checkout", f"corpus-tests-{os.getpid()}", images
    )
    try:
        checkout.make("start")
        yield checkout
        checkout.make("down")
        assert checkout.everything() == []
    finally:
        checkout.remove()


@pytest.fixture
def shard(project: Checkout) -> str:
    """Return the container of the only replica of a library."""
    return docker("compose", "ps", "--quiet", "shard-site", folder=project.folder)[0]
