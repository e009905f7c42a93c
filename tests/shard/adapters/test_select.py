from pathlib import Path

import pytest

from common.errors import ConfigError
from shard.adapters import ADAPTERS, by_name, choose
from shard.archive import Archive, Page
from tests.support.data import archives
from tests.support.markdown import whole

EXPECTED = {"mediawiki": "mediawiki", "devdocs": "devdocs", "stackexchange": "stackexchange"}


def test_unknown_adapter_lists_the_known_ones():
    with pytest.raises(ConfigError, match="'wiki'.*mediawiki, devdocs, stackexchange, generic"):
        by_name("wiki")


def test_adapters_have_the_kinds_of_the_contract():
    assert {name: adapter.kind for name, adapter in ADAPTERS.items()} == {
        "mediawiki": "article",
        "devdocs": "documentation",
        "stackexchange": "thread",
        "generic": "page",
    }


@pytest.mark.parametrize(
    ("fixture", "name"),
    [("wiki_zim", "mediawiki"), ("devdocs_zim", "devdocs"), ("stack_zim", "stackexchange")],
)
def test_archive_of_a_scraper_is_known(fixture: str, name: str, request):
    choice = choose(Archive(request.getfixturevalue(fixture)))

    assert choice.adapter.name == name
    assert choice.reason


@pytest.mark.real
@pytest.mark.parametrize("path", archives(*EXPECTED), ids=lambda path: path.name)
def test_real_archive_is_known(path: Path):
    folder = path.parent.name if path.parent.name != "split" else "mediawiki"

    assert choose(Archive(path)).adapter.name == EXPECTED[folder]


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_plain_text_is_a_page_of_paragraphs(name: str):
    page = Page("notes.txt", "Notes", "text/plain;charset=UTF-8", b"One\r\n\r\n# Two *x* y*")

    assert whole(ADAPTERS[name].parse(page)) == "One\n\n\\# Two \\*x\\* y\\*"


def test_list_of_a_thread_archive_is_read_as_a_page():
    page = Page("tags", "Tags", "text/html", b"<html><body><p>beer</p></body></html>")

    assert whole(by_name("stackexchange").parse(page)) == "beer"
