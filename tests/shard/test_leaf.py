"""One request, one reply: over small archives, without a socket."""

import os
from pathlib import Path

import pytest

from common import settings
from common.deadline import Deadline
from common.frames import (
    PROTOCOL_VERSION,
    DescribeReply,
    DocumentReply,
    ErrorReply,
    PreviewReply,
    QueryReply,
    Reply,
    Request,
)
from shard.adapters import choose
from shard.archive import Archive
from shard.fingerprint import of_page
from shard.guard import Guard, Unguarded
from shard.index import open_index
from shard.leaf import Leaf
from shard.opening import opener
from shard.vitals import Vitals
from tests.shard import requests
from tests.support.zims import ODD_PATHS

MIB = 1024 * 1024


class WatchingGuard(Unguarded):
    """Remembers what was worked on; refuses these pages."""

    def __init__(self, *refused: bytes) -> None:
        self._refused = refused
        self.subjects: list[bytes] = []

    def refuses(self, subject: bytes) -> bool:
        return subject in self._refused

    def refused(self) -> int:
        return len(self._refused)

    def narrow(self, subject: bytes, label: str) -> None:
        self.subjects.append(subject)


class Asker:
    """Asks a leaf for the archive it serves."""

    def __init__(self, path: Path, guard: Guard | None = None, vitals: Vitals | None = None):
        self.archive = Archive(path)
        self.leaf = Leaf(
            "Lib",
            self.archive,
            open_index(self.archive),
            choose(self.archive).adapter,
            cache_bytes=MIB,
            guard=guard,
            vitals=vitals,
        )

    def items(self, request: Request, budget: float = 10.0) -> list[Reply | None]:
        return list(self.leaf.answer(request, Deadline.after(budget)))

    def ask(self, request: Request, budget: float = 10.0) -> Reply:
        *pauses, reply = self.items(request, budget)
        assert not any(pauses)
        assert reply is not None
        assert reply.request_id == request.request_id
        return reply

    def query(self, text: str, **more) -> Reply:
        return self.ask(requests.query(text, library="Lib", archive=self.archive.uuid, **more))

    def preview(self, *paths: str, **more) -> Reply:
        return self.ask(requests.preview(*paths, library="Lib", archive=self.archive.uuid, **more))

    def document(self, path: str, **more) -> Reply:
        return self.ask(requests.document(path, library="Lib", archive=self.archive.uuid, **more))


@pytest.fixture
def wiki(wiki_zim: Path) -> Asker:
    return Asker(wiki_zim)


def test_leaf_describes_itself(wiki_zim: Path):
    vitals = Vitals(keeper_pid=7, restarts=3, draining=True)
    wiki = Asker(wiki_zim, WatchingGuard(b"x"), vitals)
    reply = wiki.ask(requests.describe(library="Lib"))

    assert isinstance(reply, DescribeReply)
    assert (reply.protocol, reply.archive) == (PROTOCOL_VERSION, wiki.archive.uuid)
    assert (reply.kind, reply.adapter, reply.title) == ("article", "mediawiki", "Test wiki")
    assert (reply.snapshot, reply.language) == ("2026-11", "en")
    assert (reply.pid, reply.keeper_pid, reply.restarts) == (os.getpid(), 7, 3)
    assert (reply.draining, reply.quarantined) == (True, 1)
    assert reply.documents > 0
    assert reply.memory > 0


def test_leaf_finds_by_text_and_by_title(wiki: Asker):
    reply = wiki.query("fox den")

    assert isinstance(reply, QueryReply)
    assert "Fox" in {hit.path for hit in reply.hits}
    assert len(reply.frequencies) == 2
    assert {len(hit.counts) for hit in [*reply.hits, *reply.titles]} == {2}


def test_leaf_gives_the_alias_that_a_title_was_found_by(wiki: Asker):
    reply = wiki.query("vulpes vulpes")

    assert [(hit.path, hit.alias) for hit in reply.titles[:1]] == [("Fox", "Vulpes vulpes")]


def test_leaf_previews_each_path_in_the_order_asked_for(wiki: Asker):
    reply = wiki.preview("Hen", "Fox", words=("chicken",))

    assert isinstance(reply, PreviewReply)
    assert [(each.path, each.failed) for each in reply.previews] == [("Hen", False), ("Fox", False)]
    assert "chicken" in reply.previews[0].snippet


def test_leaf_marks_previews_that_fail_and_keeps_the_others(wiki: Asker):
    reply = wiki.preview("Missing", "_assets_/fox.png", "Hen")

    assert [each.failed for each in reply.previews] == [True, True, False]


def test_leaf_lets_others_pass_between_previews(wiki: Asker):
    request = requests.preview("Hen", "Fox", "Ranking", library="Lib", archive=wiki.archive.uuid)

    assert wiki.items(request)[:-1] == [None, None]


def test_leaf_renders_a_document(wiki: Asker):
    reply = wiki.document("Fox")

    assert isinstance(reply, DocumentReply)
    assert (reply.path, reply.title, reply.truncated) == ("Fox", "Fox", False)
    assert reply.sections
    assert {each.id for each in reply.sections} <= {each.id for each in reply.available}


def test_leaf_renders_one_section(wiki: Asker):
    wanted = wiki.document("Fox").available[1].id
    reply = wiki.document("Fox", sections=(wanted,))

    assert [each.id for each in reply.sections] == [wanted]


def test_leaf_follows_redirects(wiki: Asker):
    assert wiki.document("Vulpes_vulpes").path == "Fox"


@pytest.mark.parametrize("path", ODD_PATHS)
def test_leaf_serves_paths_of_any_kind(wiki: Asker, path: str):
    assert wiki.document(path).path == path


@pytest.mark.parametrize("path", ["Missing", "", "/", "_assets_/fox.png", "_res_/style.css", "\0"])
def test_leaf_does_not_find_what_is_no_document(wiki: Asker, path: str):
    reply = wiki.document(path)

    assert isinstance(reply, ErrorReply)
    assert reply.code == "ref_not_found"


def test_leaf_names_the_sections_that_are_not_there(wiki: Asker):
    reply = wiki.document("Fox", sections=("nowhere",))

    assert (reply.code, reply.missing) == ("section_not_found", ["nowhere"])
    assert reply.available


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(requests.describe(library="Other"), id="library of a describe"),
        pytest.param(requests.query(library="Other"), id="library"),
        pytest.param(requests.query(library="Lib"), id="archive of a query"),
        pytest.param(requests.preview("Fox", library="Lib"), id="archive of a preview"),
        pytest.param(requests.document("Fox", library="Lib"), id="archive of a document"),
    ],
)
def test_leaf_refuses_requests_for_somebody_else(wiki: Asker, request_: Request):
    assert wiki.ask(request_).code == "wrong_archive"


def test_leaf_stops_at_the_deadline(wiki: Asker):
    uuid = wiki.archive.uuid
    asked = [
        requests.query("fox", library="Lib", archive=uuid),
        requests.preview("Fox", library="Lib", archive=uuid),
        requests.document("Fox", library="Lib", archive=uuid),
    ]

    assert {wiki.ask(each, budget=0.0).code for each in asked} == {"deadline_exceeded"}


def test_leaf_answers_a_bug_with_a_fault_that_tells_nothing(wiki: Asker, monkeypatch):
    def broken(*_args):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(wiki.archive, "head", broken)
    reply = wiki.document("Fox")

    assert reply.code == "shard_fault"
    assert "secret" not in reply.message
    assert [each.failed for each in wiki.preview("Fox").previews] == [True]


def test_leaf_refuses_a_page_in_quarantine_and_previews_the_others(wiki_zim: Path):
    poisoned = of_page(str(Archive(wiki_zim).uuid), "Fox")
    wiki = Asker(wiki_zim, WatchingGuard(poisoned))

    assert wiki.document("Fox").code == "quarantined"
    previews = wiki.preview("Fox", "Hen").previews
    assert [each.failed for each in previews] == [True, False]
    assert [each.quarantined for each in previews] == [True, False]


def test_leaf_tells_which_page_it_works_on(wiki_zim: Path):
    guard = WatchingGuard()
    wiki = Asker(wiki_zim, guard)
    wiki.preview("Fox", "Hen")
    wiki.document("Hen")

    assert guard.subjects == [of_page(wiki.archive.uuid, path) for path in ("Fox", "Hen", "Hen")]


def test_leaf_parses_a_previewed_document_only_once(wiki: Asker, monkeypatch):
    wiki.preview("Fox")
    monkeypatch.setattr(wiki.archive, "read", None)

    assert isinstance(wiki.document("Vulpes_vulpes"), DocumentReply)


@pytest.mark.parametrize(
    ("family", "kind"),
    [("devdocs_zim", "documentation"), ("stack_zim", "thread"), ("site_zim", "page")],
)
def test_leaf_serves_every_family(family: str, kind: str, request: pytest.FixtureRequest):
    asker = Asker(request.getfixturevalue(family))
    described = asker.ask(requests.describe(library="Lib"))
    head = next(each for each in asker.archive.heads(100) if each.mimetype == "text/html")

    assert described.kind == kind
    assert asker.document(head.path).sections


def test_opener_opens_with_the_adapter_it_is_told(wiki_zim: Path):
    open_leaf = opener("Lib", wiki_zim, "generic", settings.load({}))
    _, facts = open_leaf(Unguarded(), Vitals())

    assert (facts["adapter"], facts["archive"], facts["index"]) == (
        "generic",
        str(wiki_zim),
        "xapian",
    )
