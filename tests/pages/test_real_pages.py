"""Every content page of every real archive keeps the invariants; a sample of them each time."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from shard.adapters import choose, is_html
from shard.adapters.base import Adapter
from shard.archive import Archive, EntryHead
from tests.support import visible
from tests.support.data import archives
from tests.support.markdown import problems, union_differs, whole

SAMPLE = 400
"""Pages of all archives together in the quick run."""

LEAST_KEPT = 0.98
"""Share of a page's visible words that must be in its Markdown, after the declared drops."""

EMPTY = {
    "corner_cases#&.zim": {"empty.html"},
    "poor.zim": {"empty.html"},
    "cranfield.zim": {"index", "doc/471", "doc/995"},
    "cisi.zim": {"index"},
    "med.zim": {"index"},
}
"""Pages that really have no text besides their title."""

WRITTEN_SO = ("questions/814/",)
"""Pages whose authors wrote "[edit]" themselves."""

NO_CONTENT = (
    ("mediawiki", re.compile(r"A/index"), "start page: a list of the articles"),
    ("devdocs", re.compile(r"index"), "start page"),
    ("stackexchange", re.compile(r"questions/tagged/.+"), "questions of a tag"),
    ("stackexchange", re.compile(r"questions(_page=\d+)?"), "list of questions"),
    ("stackexchange", re.compile(r"tags(_page=\d+)?"), "list of tags"),
    ("stackexchange", re.compile(r"users(_page=\d+)?"), "list of users"),
    ("stackexchange", re.compile(r"users/-?\d+/.+"), "page of a user"),
    ("stackexchange", re.compile(r"about"), "about the site"),
)
"""HTML entries that are no content pages: adapter, path, reason."""

ARCHIVES = archives("mediawiki", "devdocs", "stackexchange", "other", "ir")


@dataclass(slots=True)
class Walk:
    """What reading many pages found."""

    pages: int = 0
    words: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


def pages_of(archive: Archive) -> Iterator[EntryHead]:
    return (head for head in archive.heads(10**9) if is_html(head.mimetype))


def reason_for(adapter: Adapter, path: str) -> str:
    for name, pattern, reason in NO_CONTENT:
        if name == adapter.name and pattern.fullmatch(path):
            return reason
    return ""


def walk(path: Path, step: int, found: Walk) -> None:
    """Read every ``step``-th content page of an archive."""
    archive = Archive(path)
    adapter = choose(archive).adapter
    content = []
    for head in pages_of(archive):
        if adapter.accepts(head):
            content.append(head)
            continue
        reason = reason_for(adapter, head.path)
        found.refused[f"{path.stem}: {reason}"] += 1
        if not reason:
            found.broken.append(f"{path.name} {head.path}: refused without a reason")
    for head in content[::step]:
        may_be_empty = head.path in EMPTY.get(path.name, ())
        lines = wrong(archive, adapter, head, found, may_be_empty=may_be_empty)
        found.broken += [f"{path.name} {head.path}: {line}" for line in lines]


def wrong(
    archive: Archive, adapter: Adapter, head: EntryHead, found: Walk, *, may_be_empty: bool
) -> Iterator[str]:
    page = archive.read(head.path)
    document = adapter.parse(page)
    text = whole(document)
    found.pages += 1
    yield from problems(document)
    if whole(adapter.parse(page)) != text:
        yield "read twice it differs"
    if union_differs(document):
        yield "the sections are not the whole document"
    if not text and not may_be_empty:
        yield "no text"
    if "[edit]" in text and not head.path.startswith(WRITTEN_SO):
        yield "an edit link"
    if "This article is issued from" in text:
        yield "the notice of the archive"
    flat = " ".join(text.split())
    yield from (f"hidden: {it!r}" for it in visible.hidden_texts(page.content) if it in flat)
    yield from lost(page.content, adapter, visible.answered(document), found)


def lost(content: bytes, adapter: Adapter, words: Counter[str], found: Walk) -> Iterator[str]:
    shown = visible.shown(content, adapter.name)
    found.dropped.update(shown.dropped)
    found.words += shown.words.total()
    found.kept += (shown.words & words).total()
    share = visible.share_kept(shown.words, words)
    if share < LEAST_KEPT:
        yield f"{share:.3f} of the words kept, without {(shown.words - words).most_common(5)}"


@pytest.mark.real
@pytest.mark.parametrize("path", ARCHIVES, ids=[path.name for path in ARCHIVES])
def test_sampled_pages_keep_the_invariants(path: Path):
    archive = Archive(path)
    adapter = choose(archive).adapter
    total = sum(adapter.accepts(head) for head in pages_of(archive))
    found = Walk()
    walk(path, max(1, total // (SAMPLE // len(ARCHIVES))), found)

    assert found.broken == []


@pytest.mark.real
@pytest.mark.slow
def test_every_page_keeps_the_invariants(figure):
    found = Walk()
    for path in ARCHIVES:
        walk(path, 1, found)
    figure("content pages read", str(found.pages))
    figure("invariants broken", str(len(found.broken)))
    figure("visible words found in the Markdown", f"{found.kept:,} of {found.words:,}")
    for reason, words in found.dropped.most_common():
        figure(f"words dropped: {reason}", f"{words:,}")
    for reason, pages in sorted(found.refused.items()):
        figure(f"no content page: {reason}", str(pages))

    assert found.broken == []
