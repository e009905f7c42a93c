"""The demo corpus, built once for all its tests."""

from pathlib import Path

import pytest

from shard.archive import Archive
from shard.build import build
from tests.demo.corpus import DEMO, NAMES


@pytest.fixture(scope="session")
def demo(tmp_path_factory) -> dict[str, Archive]:
    folder: Path = tmp_path_factory.mktemp("demo")
    opened = {}
    for name in NAMES:
        build(DEMO / name, folder / f"{name}.zim")
        opened[name] = Archive(folder / f"{name}.zim")
    return opened
