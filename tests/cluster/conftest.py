"""One cluster over an archive of each family, shared by the tests that leave it as it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.running import RunningCluster
from tests.support import zims

FAMILIES = {
    "Wiki": zims.wiki_zim,
    "Burrow Docs": zims.devdocs_zim,
    "Q+A": zims.stack_zim,
    "Farm": zims.site_zim,
}


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return an archive of each family by library name."""
    folder = tmp_path_factory.mktemp("corpus")
    return {
        name: build(folder / f"family-{number}_2026-11.zim")
        for number, (name, build) in enumerate(FAMILIES.items())
    }


@pytest.fixture(scope="session")
def cluster(
    corpus: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningCluster]:
    """Return a running cluster that no test changes."""
    with RunningCluster(corpus, tmp_path_factory.mktemp("run") / "r") as running:
        yield running
