"""Scores that mean the same in every library: BM25 under one set of statistics for all.

Each shard tells how many documents it has, how long they are and how many contain each word.
Together these give the document frequencies and the average length of the whole corpus; with
them a hit of one archive can be weighed against a hit of another. What a library said last is
remembered, so that the hits of the others keep their order while it is down.
"""

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from common.frames import LightHit, QueryReply

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

BM25_K1 = 1.2
"""How fast a repeated word stops counting: the usual value, see Robertson and Zaragoza (2009)."""

BM25_B = 0.75
"""How much a long document is held back: likewise."""

MEMORY_ENTRIES = 65_536
"""Document frequencies remembered, one per archive and word: about 13 MB when full."""

MEMORY_ARCHIVES = 1024
"""Archives whose size is remembered: more than a gateway serves, so only old editions go."""


@dataclass(frozen=True, slots=True)
class LibraryStatistics:
    """What one library knows about the words of a query.

    Attributes:
        documents: Documents in its index.
        total_length: Words in all of them; 0 if its index does not tell.
        frequencies: Documents that contain each word of the query; None where that is unknown.
    """

    documents: int
    total_length: int
    frequencies: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class GlobalStatistics:
    """What all libraries together know about the words of a query.

    Attributes:
        average_length: Words in an average document; 1 if no index tells.
        idf: Inverse document frequency of each word; 0 for a word that nothing has.
        missing: Whether no document of any library has the word.
    """

    average_length: float
    idf: tuple[float, ...]
    missing: tuple[bool, ...]


def aligned(numbers: Sequence[int], count: int) -> tuple[int, ...]:
    """Return ``count`` numbers, none negative, whatever a shard of another mind sent."""
    if len(numbers) == count and (not numbers or min(numbers) >= 0):
        return tuple(numbers)
    padded = [max(0, number) for number in numbers[:count]]
    return tuple(padded) + (0,) * (count - len(padded))


def library_statistics(reply: QueryReply, count: int) -> LibraryStatistics:
    """Return what a reply says about the ``count`` words that were asked for.

    A frequency is at least the number of hits that have the word: an archive without a full-text
    index counts nothing but finds something. Where such an archive tells no frequency at all, it
    has no say in how rare a word is, rather than making all words look equally rare.
    """
    counts = [aligned(hit.counts, count) for hit in (*reply.hits, *reply.titles)]
    listed = aligned(reply.frequencies, count)
    columns = zip(*counts, strict=True) if counts else ((),) * count
    seen = (len(column) - column.count(0) for column in columns)
    frequencies = tuple(map(max, listed, seen))
    silent = not reply.counted and not any(listed)
    return LibraryStatistics(
        documents=max(0, reply.documents),
        total_length=max(0, reply.total_length),
        frequencies=tuple(f or None for f in frequencies) if silent else frequencies,
    )


def combine(libraries: Iterable[LibraryStatistics], count: int) -> GlobalStatistics:
    """Return the statistics of all libraries together for the ``count`` words of a query.

    The idf is log(1 + (N - n + 0.5) / (n + 0.5)), which is never negative. N counts the documents
    of the libraries that know the word's frequency n.
    """
    known = list(libraries)
    measured = [library for library in known if library.total_length and library.documents]
    length = sum(library.total_length for library in measured)
    documents = sum(library.documents for library in measured)
    frequencies = [_frequency(known, word) for word in range(count)]
    return GlobalStatistics(
        average_length=length / documents if documents else 1.0,
        idf=tuple(_idf(holders, total) if holders else 0.0 for holders, total in frequencies),
        missing=tuple(not holders for holders, _ in frequencies),
    )


def bm25(hit: LightHit, statistics: GlobalStatistics) -> float:
    """Return the score of a hit under the statistics of all libraries.

    A hit of unknown length counts as an average one. Counts that are flags, 0 or 1, then make the
    score the sum of the idf of the words that match, so that the one kind compares with the other.
    """
    relative = hit.length / statistics.average_length if hit.length > 0 else 1.0
    norm = BM25_K1 * (1 - BM25_B + BM25_B * relative)
    return sum(
        [
            idf * count * (BM25_K1 + 1) / (count + norm)
            for idf, count in zip(statistics.idf, hit.counts, strict=False)
            if count > 0
        ]
    )


class StatisticsMemory:
    """The last known statistics of each archive, bounded; what was not asked for longest goes."""

    def __init__(self, *, entries: int = MEMORY_ENTRIES, archives: int = MEMORY_ARCHIVES) -> None:
        self._entries = entries
        self._archives = archives
        self._frequencies: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._sizes: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._frequencies)

    def remember(self, archive: str, words: Sequence[str], reply: QueryReply) -> None:
        """Keep what the archive of this UUID says about ``words``."""
        statistics = library_statistics(reply, len(words))
        self._sizes[archive] = (statistics.documents, statistics.total_length)
        self._sizes.move_to_end(archive)
        for word, frequency in zip(words, statistics.frequencies, strict=True):
            if frequency is not None:
                self._frequencies[archive, word] = frequency
                self._frequencies.move_to_end((archive, word))
        _shrink(self._sizes, self._archives)
        _shrink(self._frequencies, self._entries)

    def recall(self, archive: str, words: Sequence[str]) -> LibraryStatistics | None:
        """Return what the archive of this UUID said last, or None if it never said anything."""
        size = self._sizes.get(archive)
        if size is None:
            return None
        frequencies = tuple(self._frequencies.get((archive, word)) for word in words)
        return LibraryStatistics(size[0], size[1], frequencies)


def _shrink(memory: OrderedDict[_Key, _Value], most: int) -> None:
    while len(memory) > most:
        memory.popitem(last=False)


def _frequency(libraries: Sequence[LibraryStatistics], word: int) -> tuple[int, int]:
    """Return how many documents have the word, and among how many."""
    holders = total = 0
    for library in libraries:
        frequency = library.frequencies[word] if word < len(library.frequencies) else None
        if frequency is not None:
            holders += frequency
            total += max(library.documents, frequency)
    return holders, total


def _idf(holders: int, total: int) -> float:
    return math.log1p((total - holders + 0.5) / (holders + 0.5))
