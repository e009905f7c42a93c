"""One ZIM archive: the only place that touches libzim's reader, search and suggestions.

An archive can be damaged anywhere and libzim tells so at any call, with almost any exception.
All of them are translated here: `ArchiveError` when the archive cannot be opened, `RefNotFound`
for an entry that is not there, `ShardFault` for one that cannot be read.

libzim's ``Search``, ``Entry`` and ``Item`` crash the process when they are made by their own
constructors; here they only ever come from an archive or a searcher.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from libzim.reader import Archive as ZimArchive
from libzim.reader import Entry, set_cluster_cache_max_size
from libzim.search import Query, Searcher
from libzim.suggestion import SuggestionSearcher

from common.errors import ArchiveError, CorpusError, RefNotFound, ShardFault
from shard.languages import iso_639_1

MAX_REDIRECTS = 8
"""Redirects followed for one path; published archives have chains of two at most."""

MAX_PAGE_BYTES = 64 * 1024 * 1024
"""Largest entry that is read into memory; the largest page of a published archive is near 10 MB."""

_MOST_SKIPPED = 200
"""Entries looked at per entry that `Archive.heads` may yield: some archives are 95 % redirects."""

_HEADER_BYTES = 80
_MAGIC = b"ZIM\x04"
_FOREIGN = (RuntimeError, LookupError, ValueError, OverflowError, MemoryError, OSError, TypeError)
_MONTH = re.compile(r"(\d{4}-(?:0[1-9]|1[0-2]))(?!\d)")
_HTML_COUNT = re.compile(r"(?:^|;)text/html=(\d+)")


@dataclass(frozen=True, slots=True)
class EntryHead:
    """A content entry without its content."""

    path: str
    title: str
    mimetype: str


@dataclass(frozen=True, slots=True)
class Page:
    """A content entry, redirects followed."""

    path: str
    title: str
    mimetype: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """What a path leads to; ``alias`` is the title of the redirect it is, else empty."""

    head: EntryHead
    alias: str


@dataclass(frozen=True, slots=True)
class Matches:
    """What one search found: the estimated number of entries, and the first paths."""

    estimate: int
    paths: tuple[str, ...]


class Archive:
    """An open archive. Not for several threads at once.

    Args:
        path: A file, or the base name of a split archive (``name.zim`` or ``name.zimaa``).
        cluster_cache_bytes: Decompressed clusters that this process keeps; libzim's own
            default (16 MiB) if not given.

    Raises:
        ArchiveError: It cannot be opened; the message names the file and the reason.
    """

    def __init__(self, path: Path, *, cluster_cache_bytes: int | None = None) -> None:
        self.path = _base_name(path)
        _check_file(self.path)
        if cluster_cache_bytes is not None:
            set_cluster_cache_max_size(cluster_cache_bytes)
        with _opening(self.path):
            self._zim = ZimArchive(self.path)
            self.uuid = str(self._zim.uuid)
            self.new_namespaces = bool(self._zim.has_new_namespace_scheme)
            self.multipart = bool(self._zim.is_multipart)
            self.has_fulltext_index = bool(self._zim.has_fulltext_index)
            self.has_title_index = bool(self._zim.has_title_index)
            self.entry_count = int(self._zim.entry_count)
        self.title = self.metadata("Title") or self.metadata("Name")
        self.language = iso_639_1(self.metadata("Language"))
        self.date = self.metadata("Date")
        self.snapshot = snapshot_of(self.date, self.path)

    @cached_property
    def page_count(self) -> int:
        """HTML pages, from the ``Counter`` metadata where there is one.

        libzim's own article count says 0 for some archives with pages and counts listings in
        others, so it only comes second.
        """
        if match := _HTML_COUNT.search(self.metadata("Counter")):
            return int(match[1])
        try:
            with _reading("article count"):
                return int(self._zim.article_count)
        except ShardFault:
            return 0

    def metadata(self, name: str) -> str:
        """Return a metadata text without white space around it; empty if absent or undecodable."""
        try:
            with _reading(name):
                return bytes(self._zim.get_metadata(name)).decode().strip()
        except CorpusError:
            return ""

    def head(self, path: str) -> EntryHead:
        """Return what ``path`` leads to, redirects followed.

        Raises:
            RefNotFound: There is no such entry.
            ShardFault: It is broken, or its redirects go in circles.
        """
        return self.find(path).head

    def find(self, path: str) -> Found:
        """Return what ``path`` leads to and the alias it is; raises like `head`."""
        with _reading(path):
            return self._found(self._entry(path))

    def find_title(self, title: str) -> Found:
        """Return the entry with exactly this title (or, in new archives, one of them).

        Raises:
            RefNotFound: No entry has it.
            ShardFault: The entry or the list of titles is broken.
        """
        with _reading(title):
            return self._found(self._zim.get_entry_by_title(title))

    def read(self, path: str, *, most: int = MAX_PAGE_BYTES) -> Page:
        """Return the content that ``path`` leads to, at most so many bytes; raises like `head`."""
        with _reading(path):
            item = self._target(self._entry(path)).get_item()
            if item.size > most:
                raise ShardFault(f"expected at most {most} bytes, {path!r} has more")
            return Page(item.path, item.title, item.mimetype, bytes(item.content))

    def size(self, path: str) -> int:
        """Return the bytes of the content that ``path`` leads to; raises like `head`."""
        with _reading(path):
            return int(self._target(self._zim.get_entry_by_path(path)).get_item().size)

    def heads(self, limit: int) -> Iterator[EntryHead]:
        """Yield at most ``limit`` content entries, spread evenly over the archive.

        Redirects and entries that cannot be read are left out. With a limit above the number of
        entries, all of them in the order of their paths.
        """
        step = max(1, self.entry_count // max(1, limit))
        found = 0
        for number in islice(_spread(self.entry_count, step), limit * _MOST_SKIPPED):
            head = self._head_at(number)
            if head is not None and found < limit:
                found += 1
                yield head
            if found >= limit:
                return

    def first_below(self, prefix: str) -> str:
        """Return the first path, in their order, that begins with ``prefix``.

        Raises:
            RefNotFound: None does.
            ShardFault: An entry looked at on the way is broken.
        """
        wanted = prefix.encode("utf-8", "replace")
        with _reading(prefix):
            number = bisect_left(
                range(self.entry_count),
                wanted,
                key=lambda place: self._zim._get_entry_by_id(place).path.encode(),  # noqa: SLF001
            )
            if number < self.entry_count:
                path = str(self._zim._get_entry_by_id(number).path)  # noqa: SLF001
                if path.startswith(prefix):
                    return path
        raise RefNotFound(f"no entry below {prefix!r}")

    def titles(self) -> Iterator[tuple[str, str]]:
        """Yield path and title of each HTML entry and of each redirect, in the order of paths.

        Entries that cannot be read are left out. Takes about 10 µs per entry.
        """
        for number in range(self.entry_count):
            try:
                with _reading(str(number)):
                    entry = self._zim._get_entry_by_id(number)  # noqa: SLF001
                    if entry.is_redirect or entry.get_item().mimetype.startswith("text/html"):
                        yield entry.path, entry.title
            except CorpusError:
                continue

    def search(self, text: str, limit: int) -> Matches:
        """Return what has *every* word of ``text``, best first; libzim offers nothing else.

        Raises:
            ShardFault: There is no full-text index, or it is broken.
        """
        with _reading(text):
            search = self._searcher.search(Query().set_query(text))
            paths = tuple(search.getResults(0, limit)) if limit else ()
            return Matches(int(search.getEstimatedMatches()), paths)

    def suggest(self, text: str, limit: int) -> list[str]:
        """Return paths whose titles have the words of ``text``, the last one as a prefix.

        Without a title index: whose titles begin with ``text``, as it is written. Redirects are
        not resolved.

        Raises:
            ShardFault: The title index or the list of titles is broken.
        """
        with _reading(text):
            suggestion = self._suggester.suggest(text)
            return list(suggestion.getResults(0, limit))

    def check(self) -> bool:
        """Verify the checksum of the whole file, at about 80 MB/s, without a pause."""
        with _reading("checksum"):
            return bool(self._zim.check())

    @cached_property
    def _searcher(self) -> Searcher:
        return Searcher(self._zim)

    @cached_property
    def _suggester(self) -> SuggestionSearcher:
        return SuggestionSearcher(self._zim)

    def _entry(self, path: str) -> Entry:
        entry = self._zim.get_entry_by_path(path)
        # libzim reads a single character as an old namespace with nothing after it, and so finds
        # the entry with the empty path, where there is one.
        if len(path) == 1 and entry.path != path:
            raise KeyError(path)
        return entry

    def _found(self, entry: Entry) -> Found:
        item = self._target(entry).get_item()
        alias = str(entry.title) if entry.is_redirect else ""
        return Found(EntryHead(item.path, item.title, item.mimetype), alias)

    def _target(self, entry: Entry) -> Entry:
        path = entry.path
        for _ in range(MAX_REDIRECTS + 1):
            if not entry.is_redirect:
                return entry
            entry = entry.get_redirect_entry()
        raise ShardFault(f"expected at most {MAX_REDIRECTS} redirects from {path!r}, got more")

    def _head_at(self, number: int) -> EntryHead | None:
        try:
            with _reading(str(number)):
                # The binding has no other way to list entries.
                entry = self._zim._get_entry_by_id(number)  # noqa: SLF001
                return None if entry.is_redirect else self._found(entry).head
        except CorpusError:
            return None


def snapshot_of(date: str, path: Path) -> str:
    """Return ``YYYY-MM`` from a ``Date`` metadata, else from the file name, else nothing."""
    if match := _MONTH.match(date):
        return match[1]
    months: list[str] = _MONTH.findall(path.name)
    return months[-1] if months else ""


def _base_name(path: Path) -> Path:
    return path.with_name(path.name[:-2]) if path.name.endswith(".zimaa") else path


def _check_file(path: Path) -> None:
    """Refuse what is no archive with a reason that names it better than libzim does."""
    first = path if path.exists() else path.with_name(path.name + "aa")
    if not first.is_file():
        raise ArchiveError(f"{path.name}: expected a file, got none at {path}")
    try:
        with first.open("rb") as file:
            start = file.read(_HEADER_BYTES)
    except OSError as exc:
        raise ArchiveError(f"{path.name}: cannot be read: {exc.strerror}") from exc
    if len(start) < _HEADER_BYTES:
        raise ArchiveError(f"{path.name}: expected a ZIM archive, got {len(start)} bytes")
    if not start.startswith(_MAGIC):
        raise ArchiveError(f"{path.name}: expected a ZIM archive, got something else (bad magic)")


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    try:
        yield
    except _FOREIGN as exc:
        raise ArchiveError(f"{path.name}: damaged or cut off: {_reason(exc)}") from exc


@contextmanager
def _reading(subject: str) -> Iterator[None]:
    """Translate what libzim raises while it reads; see the module."""
    try:
        yield
    except KeyError as exc:
        raise RefNotFound(f"no entry {subject!r}") from exc
    except _FOREIGN as exc:
        raise ShardFault(f"cannot read {subject!r}: {_reason(exc)}") from exc


def _reason(exc: BaseException) -> str:
    text = " ".join(str(exc).split()) or type(exc).__name__
    return text[:200]


def _spread(count: int, step: int) -> Iterator[int]:
    for offset in range(step):
        yield from range(offset, count, step)
