import tomllib

import pytest

from common import manifest
from shard.adapters import by_name, choose
from shard.archive import Archive
from tests.demo.corpus import DEMO, NAMES, PROJECT, html_pages, links, tree

LEAST_PAGES = {"encyclopaedia": 38, "reference": 28, "questions": 19, "site": 9}
"""Pages worth finding; a demo that shrinks is a mistake."""

ADAPTERS = {
    "encyclopaedia": "mediawiki",
    "reference": "devdocs",
    "questions": "stackexchange",
    "site": "generic",
}


@pytest.mark.parametrize("name", NAMES)
def test_archive_has_its_pages(demo: dict[str, Archive], name: str):
    adapter = by_name(ADAPTERS[name])

    content = [
        page.path for page in html_pages(demo[name]) if adapter.accepts(demo[name].head(page.path))
    ]

    assert len(content) >= LEAST_PAGES[name]


@pytest.mark.parametrize("name", NAMES)
def test_archive_is_recognised_as_what_it_imitates(demo: dict[str, Archive], name: str):
    assert choose(demo[name]).adapter.name == ADAPTERS[name]


@pytest.mark.parametrize("name", NAMES)
def test_archive_tells_what_it_is(demo: dict[str, Archive], name: str):
    archive = demo[name]

    assert archive.title
    assert archive.snapshot == "2026-11"
    assert archive.language == "en"
    assert archive.has_fulltext_index
    assert archive.has_title_index


@pytest.mark.parametrize("name", NAMES)
def test_every_page_has_a_title(demo: dict[str, Archive], name: str):
    untitled = [
        page.path
        for page in html_pages(demo[name])
        if not page.title or page.title not in tree(page).findtext(".//title")
    ]

    assert untitled == []


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(demo: dict[str, Archive], name: str):
    ids = {page.path: set(tree(page).xpath("//@id|//@name")) for page in html_pages(demo[name])}

    dangling = [
        (page.path, path, fragment)
        for page in html_pages(demo[name])
        for path, fragment in links(page)
        if fragment not in {"", *ids.get(demo[name].head(path).path, ())}
    ]

    assert dangling == []


@pytest.mark.parametrize("name", NAMES)
def test_every_redirect_leads_to_a_page(demo: dict[str, Archive], name: str):
    plan = tomllib.loads((DEMO / name / "archive.toml").read_text(encoding="utf-8"))

    for title, target in plan.get("redirects", {}).items():
        path = title.replace(" ", "_") if name == "encyclopaedia" else title
        assert demo[name].head(path).path == target


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_a_document_with_text(demo: dict[str, Archive], name: str):
    adapter = by_name(ADAPTERS[name])
    for page in html_pages(demo[name]):
        if adapter.accepts(demo[name].head(page.path)):
            document = adapter.parse(page)
            assert sum(len(document.text(section)) for section in document.sections) > 100


def test_manifest_names_the_four_archives():
    libraries = manifest.load(PROJECT / "corpus.toml").libraries

    assert {library.path: library.adapter for library in libraries} == {
        f"demo-{name}.zim": adapter for name, adapter in ADAPTERS.items()
    }


def test_manifest_shows_a_newcomer_an_example_that_is_valid():
    text = (PROJECT / "corpus.toml").read_text(encoding="utf-8")
    example = [
        line.removeprefix("#     ") for line in text.splitlines() if line.startswith("#     ")
    ]

    (library,) = manifest.parse("version = 1\n" + "\n".join(example)).libraries

    assert library.is_glob


def test_reference_lists_every_symbol_in_its_menu(demo: dict[str, Archive]):
    menu = demo["reference"].read("navbar.json").content.decode("utf-8")

    missing = [
        symbol
        for page in html_pages(demo["reference"])
        for symbol in tree(page).xpath("//dt/@id")
        if f'"{page.path}#{symbol}"' not in menu
    ]

    assert missing == []
