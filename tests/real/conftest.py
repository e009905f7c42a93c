"""One cluster over the eleven archives, shared by the tests that leave it as it is."""

from collections.abc import Iterator

import pytest

from tests.cluster.running import RunningCluster
from tests.real.corpora import ELEVEN, paths


@pytest.fixture(scope="session")
def eleven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """Return a running cluster over the eleven archives."""
    with RunningCluster(paths(ELEVEN), tmp_path_factory.mktemp("eleven") / "run") as running:
        yield running
