"""Every content page of every real archive keeps the invariants; a sample of them each time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shard.adapters import choose, is_html
from shard.archive import Archive, EntryHead
from tests.support.data import archives
from tests.support.markdown import problems, whole

SAMPLE = 400
"""Pages of all archives together in the quick run."""

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

ARCHIVES = archives("mediawiki", "devdocs", "stackexchange", "other", "ir")


def content_pages(archive: Archive) -> Iterator[EntryHead]:
    adapter = choose(archive).adapter
    for head in archive.heads(10**9):
        if is_html(head.mimetype) and adapter.accepts(head):
            yield head


def broken(path: Path, step: int) -> tuple[int, list[str]]:
    """Return how many pages were read, every ``step``-th, and what is wrong with them."""
    archive = Archive(path)
    adapter = choose(archive).adapter
    found: list[str] = []
    pages = 0
    for head in list(content_pages(archive))[::step]:
        pages += 1
        document = adapter.parse(archive.read(head.path))
        text = whole(document)
        found += [f"{head.path}: {line}" for line in problems(document)]
        if not text and head.path not in EMPTY.get(path.name, ()):
            found.append(f"{head.path}: no text")
        if "[edit]" in text and not head.path.startswith(WRITTEN_SO):
            found.append(f"{head.path}: an edit link")
        if "This article is issued from" in text:
            found.append(f"{head.path}: the notice of the archive")
    return pages, found


@pytest.mark.real
@pytest.mark.parametrize("path", ARCHIVES, ids=[path.name for path in ARCHIVES])
def test_sampled_pages_keep_the_invariants(path: Path):
    total = sum(1 for _ in content_pages(Archive(path)))
    share = max(1, SAMPLE // len(ARCHIVES))

    _, found = broken(path, max(1, total // share))

    assert found == []


@pytest.mark.real
@pytest.mark.slow
def test_every_page_keeps_the_invariants(figure):
    pages, found = 0, []
    for path in ARCHIVES:
        read, wrong = broken(path, 1)
        pages += read
        found += wrong
    figure("content pages read", str(pages))
    figure("invariants broken", str(len(found)))

    assert found == []
