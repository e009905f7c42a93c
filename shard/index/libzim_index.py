"""What to answer where the embedded database cannot be read directly.

libzim finds only what has *every* word and tells neither scores nor counts. `LibzimIndex` asks it
for single words and for pairs of words, and adds up the inverse document frequencies of the words
that each entry was found by. `TitlesIndex` has titles alone.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from common.errors import RefNotFound, ShardFault
from common.frames import IndexKind
from common.text import fold, unaccent
from common.text import words as split
from shard.archive import Archive, EntryHead, Matches
from shard.index.base import Accept, IndexAnswer, IndexHit, TitleHit
from shard.index.lexicon import TitleLexicon
from shard.index.spelling import Spelling, spellings
from shard.index.titles import TitleSource, look_up, title_of

MAX_SEARCHES = 36
"""Searches for one query: every word, then pairs of the rarest (always some, see `_LEAST_PAIRS`).

Twice as many pairs move nDCG@10 on three test collections by less than 0.015 either way.
"""

_LEAST_PAIRS = 6

MAX_EXAMINED = 400
"""Entries opened before a query gives up replacing those that are no content pages."""

_RESULTS = 100
_RANK_OFFSET = 20
"""How slowly libzim's own order fades: from 10 to 200 nDCG@10 moves by less than 0.02."""


class LibzimIndex:
    """A full-text index through libzim's own search.

    Raises:
        ShardFault: There is none, or it is damaged.
    """

    kind: IndexKind = "libzim"
    total_length = 0

    def __init__(self, archive: Archive, titles: TitleSource, reason: str) -> None:
        self._archive = archive
        self._titles = titles
        self.reason = reason
        self.documents = archive.page_count
        # A damaged index shows at the first search.
        archive.search("a", 1)

    def query(self, words: Sequence[str], limit: int, accept: Accept) -> IndexAnswer:
        """Return the documents whose matching words weigh most."""
        singles = [self._archive.search(word, _RESULTS) for word in words]
        frequencies = tuple(match.estimate for match in singles)
        documents = max(self.documents, *frequencies, 1)
        weights = [_weight(frequency, documents) for frequency in frequencies]
        found = _Evidence(len(words))
        for number, match in enumerate(singles):
            found.add(match, [number], weights)
        for pair in _pairs(frequencies):
            text = " ".join(words[number] for number in pair)
            found.add(self._archive.search(text, _RESULTS), pair, weights)
        pages = _pages(self._archive, found.ranked(), accept)
        return _answer(documents, frequencies, found, islice(pages, limit))

    def titles(self, text: str, limit: int, accept: Accept) -> list[TitleHit]:
        """Return pages by title; see `shard.index.base.Index`."""
        return look_up(self._archive, self._titles, text, limit, accept)

    def spellings(self, word: str, beside: Sequence[str], limit: int) -> list[Spelling]:
        """Return words of titles: what else the index has, libzim does not tell."""
        return spellings(TitleLexicon(self._titles), word, beside, limit)

    def stem(self, word: str) -> str:
        """Return ``word`` unaccented: libzim stems, but does not tell how."""
        return unaccent(word.casefold())


class TitlesIndex:
    """No full-text index: hits are the pages whose titles have the words."""

    kind: IndexKind = "titles"
    total_length = 0

    def __init__(self, archive: Archive, titles: TitleSource, reason: str) -> None:
        self._archive = archive
        self._titles = titles
        self.reason = reason
        self.documents = archive.page_count

    def query(self, words: Sequence[str], limit: int, accept: Accept) -> IndexAnswer:
        """Return the pages whose titles have the heaviest words."""
        singles = [self._matches(word) for word in words]
        frequencies = tuple(match.estimate for match in singles)
        documents = max(self.documents, *frequencies, 1)
        weights = [_weight(frequency, documents) for frequency in frequencies]
        found = _Evidence(len(words))
        for number, match in enumerate(singles):
            found.add(match, [number], weights)
        pages = _pages(self._archive, found.ranked(), accept)
        return _answer(documents, frequencies, found, islice(pages, limit))

    def titles(self, text: str, limit: int, accept: Accept) -> list[TitleHit]:
        """Return pages by title; see `shard.index.base.Index`."""
        return look_up(self._archive, self._titles, text, limit, accept)

    def spellings(self, word: str, beside: Sequence[str], limit: int) -> list[Spelling]:
        """Return words of titles."""
        return spellings(TitleLexicon(self._titles), word, beside, limit)

    def stem(self, word: str) -> str:
        """Return ``word`` unaccented: titles are not stemmed."""
        return unaccent(word.casefold())

    def _matches(self, word: str) -> Matches:
        source, bare = self._titles, unaccent(word)
        candidates = source.containing(word, _RESULTS) or source.beginning(word, _RESULTS)
        paths = dict.fromkeys(
            candidate.path
            for candidate in candidates
            if bare in _title_words(title_of(self._archive, candidate))
        )
        return Matches(len(paths), tuple(paths))


def _title_words(title: str) -> set[str]:
    return {*split(unaccent(title)), *fold(title).split()}


class _Evidence:
    """By which words each path was found, and how far up."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._words: dict[str, set[int]] = {}
        self._scores: dict[str, float] = {}

    def add(self, match: Matches, numbers: Sequence[int], weights: Sequence[float]) -> None:
        weight = sum(weights[number] for number in numbers)
        for rank, path in enumerate(match.paths):
            self._words.setdefault(path, set()).update(numbers)
            score = weight * _RANK_OFFSET / (_RANK_OFFSET + rank)
            self._scores[path] = self._scores.get(path, 0.0) + score

    def ranked(self) -> list[str]:
        return sorted(self._scores, key=lambda path: (-self._scores[path], path))

    def flags(self, path: str) -> tuple[int, ...]:
        found = self._words[path]
        return tuple(int(number in found) for number in range(self._width))


def _weight(frequency: int, documents: int) -> float:
    """Return the inverse document frequency as BM25 has it; 0 for a word that is nowhere."""
    if not frequency:
        return 0.0
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def _pairs(frequencies: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of the rarest words that occur, as many as `MAX_SEARCHES` leaves."""
    known = [number for number, frequency in enumerate(frequencies) if frequency]
    rarest = sorted(known, key=lambda number: (frequencies[number], number))
    pairs = list(combinations(rarest, 2))
    pairs.sort(key=lambda pair: rarest.index(pair[0]) + rarest.index(pair[1]))
    return pairs[: max(_LEAST_PAIRS, MAX_SEARCHES - len(frequencies))]


def _pages(
    archive: Archive, paths: Sequence[str], accept: Accept
) -> Iterator[tuple[str, EntryHead]]:
    """Yield the content pages among ``paths`` with the path each was found by, each page once."""
    seen: set[str] = set()
    for path in paths[:MAX_EXAMINED]:
        try:
            head = archive.head(path)
        except (RefNotFound, ShardFault):
            continue
        if head.path not in seen and accept(head):
            seen.add(head.path)
            yield path, head


def _answer(
    documents: int,
    frequencies: tuple[int, ...],
    found: _Evidence,
    pages: Iterator[tuple[str, EntryHead]],
) -> IndexAnswer:
    hits = tuple(IndexHit(head.path, head.title, 0, found.flags(path)) for path, head in pages)
    return IndexAnswer(documents, 0, frequencies, counted=False, hits=hits)
