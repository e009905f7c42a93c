"""Where a page stands in this edition when it is not at the path that an older one had for it.

A ref carries no edition. Between two of them scrapers change how paths are written, threads change
their titles and with them their paths, and manuals move pages about. What is found here is the
same page under its other name, or nothing: a title has to be the same and the only one.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from common.errors import CorpusError
from common.text import fold, normalise
from shard.adapters import Adapter
from shard.archive import Archive, EntryHead
from shard.index import Index

_OLD_PREFIX = "A/"
_EXTENSION = ".html"
_THREAD = re.compile(r"questions?/(\d+)(?:/|\.html\Z|\Z)")
_NO_TITLES = frozenset({"", "index"})
"""What the last part of a path is called where it says nothing of the page."""

_ENOUGH = 3
"""Titles looked at: exact ones come first, and two are too many."""


def moved_to(archive: Archive, index: Index, adapter: Adapter, path: str) -> str:
    """Return the path of the content page that ``path``, which is not there, stood for; or "".

    In this order: the same path in another scheme, the same thread under another title, the only
    page whose title is what the path says.
    """
    plain = path.removeprefix(_OLD_PREFIX).removesuffix(_EXTENSION)
    places = _threads(archive, plain) if _THREAD.match(plain) else _schemes(plain)
    for place in places:
        if place != path and (head := _content(archive, adapter, place)) is not None:
            return head.path
    if adapter.kind == "thread":
        # Its number is what a thread is known by.
        return ""
    return _titled(index, adapter, plain)


def _schemes(plain: str) -> Iterator[str]:
    """Yield the paths of one page: since 2022, before, and before 2018 with an extension."""
    for prefix in ("", _OLD_PREFIX):
        yield prefix + plain
        yield prefix + plain + _EXTENSION


def _threads(archive: Archive, plain: str) -> Iterator[str]:
    """Yield the paths that a thread may have by its number alone."""
    match = _THREAD.match(plain)
    number = match[1] if match else ""
    for prefix in ("", _OLD_PREFIX):
        yield f"{prefix}questions/{number}"
        with suppress(CorpusError):
            yield archive.first_below(f"{prefix}questions/{number}/")
        yield f"{prefix}question/{number}{_EXTENSION}"


def _content(archive: Archive, adapter: Adapter, path: str) -> EntryHead | None:
    with suppress(CorpusError):
        head = archive.head(path)
        return head if adapter.accepts(head) else None
    return None


def _titled(index: Index, adapter: Adapter, plain: str) -> str:
    """Return the path of the only page that is called what ``plain`` says; or ""."""
    # The path of an article is all of its title ("AC/DC"), letter by letter but for the case.
    whole = adapter.kind == "article"
    title = (plain if whole else plain.rstrip("/").rpartition("/")[2]).replace("_", " ")
    if title.casefold() in _NO_TITLES:
        return ""
    same = _spelt if whole else fold
    with suppress(CorpusError):
        hits = index.titles(title, _ENOUGH, adapter.accepts)
        found = {hit.path for hit in hits if same(title) in {same(hit.title), same(hit.alias)}}
        return found.pop() if len(found) == 1 else ""
    return ""


def _spelt(title: str) -> str:
    return normalise(title.replace("_", " ")).casefold()
