"""One archive that every index answers the same questions about."""

from pathlib import Path

import pytest

from shard.archive import Archive
from tests.support.zims import Entry, Redirect, build_zim

ODD_TITLES = ("C", "C++", "C#", ".NET", "AT&T", "3.14", "The Who", "AC/DC", "Ray Charles", "東京")

PAGES = {
    "Badger": "<p>A badger digs a sett. The badger sleeps in its sett all day.</p>",
    "Otter": "<p>An otter swims. It was swimming when the badger slept near the river.</p>",
    "Heron": "<p>A heron waits beside the river, and beside the lake, for fish.</p>",
    "Café": "<p>A café serves crème brûlée to no badger.</p>",
}
ALIASES = 60
"""More redirects to one page than a list of titles is long."""


@pytest.fixture(scope="session")
def pages_zim(tmp_path_factory) -> Path:
    entries = [
        *(Entry(title, title, _page(title, body)) for title, body in PAGES.items()),
        *(Entry(_path(title), title, _page(title, "<p>plain</p>")) for title in ODD_TITLES),
        Entry("Badger_sett", "Badger sett", _page("Badger sett", "<p>Where it lives.</p>")),
        Entry("style.css", "", "badger { color: river }", "text/css", front=False),
    ]
    redirects = [
        Redirect("Brock", "Brock", "Badger"),
        Redirect("Lutra", "Lutra", "Sea_wolf"),
        Redirect("Sea_wolf", "Sea wolf", "Otter"),
        *(Redirect(f"River_{n}", f"River number {n}", "Heron") for n in range(ALIASES)),
    ]
    return build_zim(tmp_path_factory.mktemp("index") / "pages.zim", entries, redirects=redirects)


@pytest.fixture(scope="session")
def pages_archive(pages_zim) -> Archive:
    return Archive(pages_zim)


def _path(title: str) -> str:
    return title.replace(" ", "_")


def _page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
