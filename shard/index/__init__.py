"""Search inside one archive: one interface, three ways to answer.

``xapian`` reads the archive's own database, ``libzim`` makes the most of libzim's search where
that is not possible, ``titles`` answers from titles alone.
"""

from common.errors import ShardFault
from common.logs import get_logger
from shard.archive import Archive
from shard.index.base import Accept, Index, IndexAnswer, IndexHit, TitleHit
from shard.index.blob import ABSENT, FULLTEXT_PATHS, SPLIT, TITLE_PATHS, Blob, locate
from shard.index.libzim_index import LibzimIndex, TitlesIndex
from shard.index.spelling import Spelling
from shard.index.titles import MAX_LISTED, LibzimTitles, ListedTitles, NoTitles, TitleSource

try:
    from shard.index.xapian_index import XapianIndex, XapianTitles
except ImportError:  # There are no bindings for macOS, nor for the newest Pythons.
    HAS_XAPIAN = False
else:
    HAS_XAPIAN = True

logger = get_logger()

NO_BINDINGS = "the Xapian bindings are not installed"
TURNED_OFF = "the Xapian bindings are not to be used"
NO_FULLTEXT = "the archive has no full-text index"
NOWHERE = (ABSENT, SPLIT)
"""libzim sees the index of a split archive: where it sees none, being split is not the reason."""

__all__ = [
    "Accept",
    "Index",
    "IndexAnswer",
    "IndexHit",
    "Spelling",
    "TitleHit",
    "open_index",
]


def open_index(archive: Archive, *, bindings: bool = True) -> Index:
    """Return the best index this archive can have; without ``bindings`` as if there were none.

    Never raises for a damaged one: what cannot be opened is replaced by the next best, whose
    ``reason`` tells why.
    """
    bindings = bindings and HAS_XAPIAN
    titles = open_titles(archive, bindings=bindings)
    place = locate(archive.path, FULLTEXT_PATHS)
    if isinstance(place, Blob) and bindings:
        try:
            return XapianIndex(archive, place, titles)
        except ShardFault as exc:
            # libzim would search the same damaged bytes, and ends the process over some of them.
            return TitlesIndex(archive, titles, str(exc), damaged=True)
    if not archive.has_fulltext_index:
        return TitlesIndex(archive, titles, NO_FULLTEXT if place in NOWHERE else str(place))
    missing = TURNED_OFF if HAS_XAPIAN else NO_BINDINGS
    reason = missing if isinstance(place, Blob) else place
    try:
        return LibzimIndex(archive, titles, reason)
    except ShardFault as exc:
        return TitlesIndex(archive, titles, f"{reason}; {exc}", damaged=True)


def open_titles(archive: Archive, *, bindings: bool = HAS_XAPIAN) -> TitleSource:
    """Return where this archive's titles are looked up: its title database, else libzim."""
    place = locate(archive.path, TITLE_PATHS)
    if not archive.has_title_index and archive.entry_count <= MAX_LISTED:
        return ListedTitles(archive)
    if not (bindings and isinstance(place, Blob)):
        return LibzimTitles(archive)
    try:
        return XapianTitles(archive, place)
    except ShardFault as exc:
        # As above: nothing else reads these bytes more safely.
        logger.warning("title_index_damaged", path=str(archive.path), error=str(exc))
        return ListedTitles(archive) if archive.entry_count <= MAX_LISTED else NoTitles()
