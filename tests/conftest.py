"""Fixtures that several packages' tests share: one small archive per family of pages."""

from pathlib import Path

import pytest

from tests.support import figures, zims
from tests.support.clock import Clock


@pytest.fixture
def figure() -> figures.Figure:
    """Take a measured figure; all are printed at the end of the run."""
    return lambda name, value: figures.collected.append((name, value))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if figures.collected:
        terminalreporter.section("figures")
        terminalreporter.write_line("\n".join(figures.table()))


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still until the test moves it."""
    return Clock()


@pytest.fixture(scope="session")
def zim_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("zims")


@pytest.fixture(scope="session")
def wiki_zim(zim_folder: Path) -> Path:
    return zims.wiki_zim(zim_folder / "wiki.zim")


@pytest.fixture(scope="session")
def devdocs_zim(zim_folder: Path) -> Path:
    return zims.devdocs_zim(zim_folder / "devdocs.zim")


@pytest.fixture(scope="session")
def stack_zim(zim_folder: Path) -> Path:
    return zims.stack_zim(zim_folder / "stack.zim")


@pytest.fixture(scope="session")
def site_zim(zim_folder: Path) -> Path:
    return zims.site_zim(zim_folder / "site.zim")
