"""Refs of an older edition in a newer one: archives of both, and what a fetch returns."""

from pathlib import Path

import pytest

from common.frames import DocumentReply, ErrorReply
from shard.fingerprint import of_page
from tests.shard.test_leaf import Asker, WatchingGuard
from tests.support import pages, zims
from tests.support.zims import Entry, Redirect, build_zim

WIKI = {"Creator": "Wikipedia", "Scraper": "mwoffliner 2.0.0"}
DOCS = {"Creator": "DevDocs", "Scraper": "devdocs2zim v0.2.1", "Name": "devdocs.io_en_x"}
STACK = {"Creator": "Stack Exchange", "Scraper": "sotoki v3.1.1", "Tags": "stack_exchange"}


def article(path: str, title: str) -> Entry:
    return Entry(path, title, pages.article(title, f"<p>All about {path}.</p>"))


def docs(path: str, title: str) -> Entry:
    return Entry(path, title, pages.devdocs_page(path, title, f"<h1>{title}</h1><p>{path}</p>"))


def edition(folder: Path, metadata: dict[str, str], *entries: Entry, **more) -> Asker:
    folder.mkdir()
    return Asker(build_zim(folder / "x.zim", entries, metadata=metadata, **more))


def fetched(asker: Asker, path: str, **more) -> str:
    """Return the path of the page that a fetch answers with; of an error, its code."""
    reply = asker.document(path, **more)
    if isinstance(reply, ErrorReply):
        return reply.code
    assert isinstance(reply, DocumentReply)
    return reply.path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("A/Red_fox", "Red_fox", id="prefix gone"),
        pytest.param("Red_fox", "A/Red_fox", id="prefix come"),
        pytest.param("A/Red_fox.html", "Red_fox", id="prefix and extension gone"),
        pytest.param("Red_fox", "A/Red_fox.html", id="prefix and extension come"),
        pytest.param("A/AC/DC", "AC/DC", id="slash in the title"),
        pytest.param("A/Лиса", "Лиса", id="Cyrillic"),
    ],
)
def test_article_is_found_when_the_scheme_of_paths_changed(tmp_path: Path, old: str, new: str):
    before = edition(tmp_path / "old", WIKI, article(old, "One title"), article("Hen", "Hen"))
    after = edition(tmp_path / "new", WIKI, article(new, "Another title"), article("Hen", "Hen"))

    assert fetched(before, old) == old
    assert fetched(after, old) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("questions/11/how-to-dig", "questions/11/how-do-foxes-dig", id="new title"),
        pytest.param("question/11.html", "questions/11/how-do-foxes-dig", id="from sotoki 1"),
        pytest.param("A/question/11.html", "questions/11/how-do-foxes-dig", id="from old sotoki 1"),
        pytest.param("questions/11/how-to-dig", "A/question/11.html", id="to sotoki 1"),
        pytest.param("questions/11", "questions/11/how-do-foxes-dig", id="no title"),
    ],
)
def test_thread_is_found_by_its_number(tmp_path: Path, old: str, new: str):
    others = [
        Entry(f"questions/{number}/how-to-dig", "How?", zims.HEN_THREAD) for number in (1, 110, 12)
    ]
    after = edition(tmp_path / "new", STACK, Entry(new, "How?", zims.FOX_THREAD), *others)

    assert fetched(after, old) == new


def test_thread_is_found_by_the_redirect_of_its_number(stack_zim: Path):
    now = "questions/11/how-do-foxes-dig-a-den"

    assert fetched(Asker(stack_zim), "questions/11/as-it-was-called-once") == now


def test_thread_that_is_gone_is_not_found_by_a_title(stack_zim: Path):
    assert fetched(Asker(stack_zim), "questions/99/who-hears-an-owl") == "ref_not_found"


@pytest.mark.parametrize("title", ["Fox den", "Fox  Den", "fox_den"])
def test_article_is_found_by_the_only_title_that_is_its_path(tmp_path: Path, title: str):
    after = edition(tmp_path / "new", WIKI, article("n/1", title), article("n/2", "Fox dens"))

    assert fetched(after, "A/Fox_den") == "n/1"


def test_article_is_found_by_the_title_of_a_redirect(tmp_path: Path):
    redirects = [Redirect("r/1", "Fox den", "Burrow")]
    after = edition(tmp_path / "new", WIKI, article("Burrow", "Burrow"), redirects=redirects)

    assert fetched(after, "Fox_den") == "Burrow"


def test_page_of_a_manual_is_found_by_the_last_part_of_its_path(tmp_path: Path):
    after = edition(tmp_path / "new", DOCS, docs("cmd/dig", "dig_a_den()"), docs("x", "x"))

    assert fetched(after, "command/dig_a_den") == "cmd/dig"


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        pytest.param("Fox_den", ("Fox dens", "A fox den"), id="others that have the words"),
        pytest.param("Fox_den", ("Fox den", "FOX DEN"), id="two of this title"),
        pytest.param("Wham!", ("Wham", "Wham (band)"), id="other punctuation"),
        pytest.param("Fox/2019", ("2019", "Fox"), id="titles of parts of the path"),
        pytest.param("index", ("Index", "Fox"), id="a name that says nothing"),
        pytest.param("", ("Index", "Fox"), id="nothing"),
        pytest.param("\ud800", ("Index", "Fox"), id="no Unicode"),
        pytest.param("x" * 5000, ("Index", "Fox"), id="far too long"),
    ],
)
def test_article_that_is_not_there_is_not_found(
    tmp_path: Path, asked: str, titles: tuple[str, ...]
):
    entries = [article(f"n/{number}", title) for number, title in enumerate(titles)]
    after = edition(tmp_path / "new", WIKI, *entries)

    assert fetched(after, asked) in {"ref_not_found", "shard_fault"}


def test_what_is_no_content_is_not_found_by_its_title(tmp_path: Path):
    picture = Entry("n/1", "Fox den", b"\x89PNG", "image/png", front=False)
    after = edition(tmp_path / "new", WIKI, article("Hen", "Hen"), picture)

    assert fetched(after, "Fox_den") == "ref_not_found"


def test_sections_are_those_of_the_page_that_was_found(tmp_path: Path):
    after = edition(tmp_path / "new", WIKI, article("Fox", "Fox"))

    assert fetched(after, "A/Fox", sections=("",)) == "Fox"
    assert fetched(after, "A/Fox", sections=("Den",)) == "section_not_found"


def test_page_that_moved_is_refused_in_its_own_name(tmp_path: Path):
    path = build_zim(tmp_path / "x.zim", [article("Fox", "Fox"), article("Hen", "Hen")])
    uuid = Asker(path).archive.uuid
    guarded = Asker(path, WatchingGuard(of_page(uuid, "Fox")))

    assert fetched(guarded, "Fox.html") == "quarantined"
