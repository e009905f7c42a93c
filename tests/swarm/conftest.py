"""One stack over the demo corpus on a swarm of one node."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from common import manifest
from deploy import demo
from tests.cluster.running import free_port
from tests.swarm.stack import Stack, built_images, label_node, swarm, swarm_state

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Return a running stack; services that a test changes are as good as before."""
    if (state := swarm_state()) != "inactive":
        pytest.skip(f"needs a Docker Engine outside any swarm, got {state or 'none'}")
    folder = tmp_path_factory.mktemp("swarm")
    corpus = folder / "corpus"
    corpus.mkdir()
    config = PROJECT / "corpus.toml"
    libraries = manifest.load(config)
    demo.build(demo.missing(libraries, corpus), lambda _: None)
    open_to_containers(corpus)
    running = Stack(config, corpus, folder, free_port())
    with built_images(), swarm() as node:
        label_node(node, libraries.libraries)
        running.render()
        running.deploy()
        try:
            running.wait_ready()
            yield running
        finally:
            running.remove()


def open_to_containers(corpus: Path) -> None:
    """Let the user of the containers read what pytest keeps for itself."""
    for folder in (corpus, *corpus.parents):
        if folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(folder.stat().st_mode | 0o055)
