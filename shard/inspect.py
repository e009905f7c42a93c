"""What an archive is, and what an operator should know before it is served."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from common.errors import ArchiveError, ShardError, ShardFault
from shard.adapters import select
from shard.archive import Archive
from shard.index import Index, open_index
from shard.index.titles import MAX_LISTED

SAMPLED_PAGES = 20
"""Entries read to see whether the archive can be read at all; they take some milliseconds."""

NIL_UUID = "00000000-0000-0000-0000-000000000000"


class Inspection(msgspec.Struct, kw_only=True):
    """What `inspect` found; the keys of ``python -m shard inspect --json``.

    Attributes:
        ok: Whether it can be served. If not, ``error`` says why, and most else is empty.
        date: The ``Date`` metadata as it stands.
        pages: HTML pages, as the archive counts them.
        entries: Entries of any kind.
        fulltext: Whether there is a full-text index; ``titles`` likewise.
        warnings: What is unusual about it, one sentence each.
    """

    path: str
    ok: bool = False
    error: str = ""
    uuid: str = ""
    title: str = ""
    language: str = ""
    snapshot: str = ""
    date: str = ""
    adapter: str = ""
    adapter_reason: str = ""
    pages: int = 0
    entries: int = 0
    fulltext: bool = False
    titles: bool = False
    index: str = ""
    index_reason: str = ""
    warnings: list[str] = []


def inspect(path: Path, *, check: bool = False) -> Inspection:
    """Open the archive at ``path`` and tell what it is.

    A damaged archive can end the process that opens it, so a caller that has more to do lets a
    process of its own do this.

    Args:
        path: A file, or the base name of a split archive.
        check: Read the whole file, at about 80 MB/s, and verify its checksum.
    """
    try:
        archive = Archive(path)
    except ArchiveError as exc:
        return Inspection(path=str(path), error=str(exc))
    index = open_index(archive)
    found = Inspection(
        path=str(path),
        ok=True,
        uuid=archive.uuid,
        title=archive.title,
        language=archive.language,
        snapshot=archive.snapshot,
        date=archive.date,
        pages=archive.page_count,
        entries=archive.entry_count,
        fulltext=archive.has_fulltext_index,
        titles=archive.has_title_index,
        index=index.kind,
        index_reason=index.reason,
        warnings=list(_warnings(archive, index)),
    )
    _choose_adapter(archive, found)
    if check:
        _verify(archive, found)
    return found


def _choose_adapter(archive: Archive, found: Inspection) -> None:
    try:
        choice = select.choose(archive)
    except ShardError as exc:
        found.warnings.append(f"no adapter can be chosen: {exc}")
        return
    found.adapter, found.adapter_reason = choice.adapter.name, choice.reason


def _verify(archive: Archive, found: Inspection) -> None:
    try:
        sound, reason = archive.check(), "the file differs from what was written"
    except ShardFault as exc:
        sound, reason = False, str(exc)
    if not sound:
        found.ok, found.error = False, f"{archive.path.name}: checksum does not match: {reason}"


def _warnings(archive: Archive, index: Index) -> Iterator[str]:
    yield from _index_warnings(archive, index)
    yield from _metadata_warnings(archive)
    yield from _reading_warnings(archive)


def _index_warnings(archive: Archive, index: Index) -> Iterator[str]:
    if index.kind == "titles":
        yield f"searched by titles only: {index.reason}"
    elif index.kind == "libzim":
        yield f"searched through libzim, without scores or counts: {index.reason}"
    elif not index.documents:
        yield "the full-text index is empty"
    if archive.has_fulltext_index is False and index.kind == "xapian":
        yield "libzim does not see the full-text index that the archive has"
    if not archive.has_title_index and archive.entry_count > MAX_LISTED:
        yield "no title index: titles are found by their beginning only"
    if archive.multipart:
        yield "split archive: its parts can only be searched through libzim"


def _metadata_warnings(archive: Archive) -> Iterator[str]:
    spelling = archive.metadata("Language")
    if not spelling:
        yield "no language in the metadata"
    elif not archive.language:
        yield f"unknown language {spelling!r}"
    elif "," in spelling:
        yield f"several languages ({spelling}): the first one counts"
    if not archive.snapshot:
        yield "no snapshot: neither the metadata nor the file name tells a month"
    if not archive.title:
        yield "no title in the metadata"
    if archive.uuid == NIL_UUID:
        yield "no UUID: a replaced archive cannot be told from this one"


def _reading_warnings(archive: Archive) -> Iterator[str]:
    paths = [head.path for head in archive.heads(SAMPLED_PAGES)]
    broken = [path for path in paths if not _succeeds(archive.read, path)]
    if not paths:
        yield "no entry can be read"
    elif broken:
        yield f"{len(broken)} of {len(paths)} entries tried cannot be read, such as {broken[0]!r}"
    if not archive.page_count:
        yield "no HTML pages, as the archive counts them"


def _succeeds(read: Callable[[str], object], path: str) -> bool:
    try:
        read(path)
    except ShardError:
        return False
    return True
