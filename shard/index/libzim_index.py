"""What to answer where the embedded database cannot be read directly.

libzim finds only what has *every* word and tells neither scores nor counts. `LibzimIndex` asks it
for single words and for pairs of words, and adds up the inverse document frequencies of the words
that each entry was found by; how long its hits are and what the first ones hold it reads off their
pages. `TitlesIndex` has titles alone.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

from common.errors import RefNotFound, ShardFault
from common.frames import IndexKind
from common.text import fold, unaccent
from common.text import words as split
from shard.archive import Archive, EntryHead, Matches
from shard.index.base import Accept, IndexAnswer, IndexHit, TitleHit
from shard.index.lengths import PageLengths, count, page_text
from shard.index.lengths import read as read_page
from shard.index.lexicon import TitleLexicon
from shard.index.spelling import Spelling, spellings
from shard.index.titles import TitleSource, look_up, title_of

MAX_SEARCHES = 36
"""Searches for one query: every word, all of them at once, then pairs (always some, see
`_LEAST_PAIRS`)."""

_LEAST_PAIRS = 6

MAX_EXAMINED = 400
"""Entries opened before a query gives up replacing those that are no content pages."""

_RESULTS = 100
"""Entries of each search. Of collections ten times as large as one search shows, pairs find what
single words do not: with 10 instead of 100 they lift nDCG@10 from 0.37 to 0.43, with 100 they do
no harm."""

_BEST, _WORST = 1.5, 0.8
"""What the first and the last of all entries with a word make of its weight. libzim orders them by
BM25, whose factor for the words of the public queries falls so over eleven archives."""

_READ = 2
"""Hits whose pages are read for counts, some 3 ms each: what a library weighs beside others hangs
on its best hit. Without any, success@1 of the public questions falls from 0.94 to 0.89; with 1, 3
or 10 it is the same, but with 1 one more question of 30 is hijacked."""


class LibzimIndex:
    """A full-text index through libzim's own search.

    Raises:
        ShardFault: There is none, or it is damaged.
    """

    kind: IndexKind = "libzim"

    def __init__(self, archive: Archive, titles: TitleSource, reason: str) -> None:
        self._archive = archive
        self._titles = titles
        self.reason = reason
        self.documents = archive.page_count
        # A damaged index shows at the first search.
        archive.search("a", 1)
        self._lengths = PageLengths(archive)
        self.total_length = round(self.documents * self._lengths.average)

    def query(self, words: Sequence[str], limit: int, accept: Accept) -> IndexAnswer:
        """Return the documents whose matching words weigh most."""
        singles = [self._archive.search(word, _RESULTS) for word in words]
        frequencies = tuple(match.estimate for match in singles)
        documents = max(self.documents, *frequencies, 1)
        found = _Evidence([_weight(frequency, documents) for frequency in frequencies])
        for number, match in enumerate(singles):
            found.add(match, [number])
        for group in _groups(found.weights):
            text = " ".join(words[number] for number in group)
            found.add(self._archive.search(text, _RESULTS), group)
        pages = islice(_pages(self._archive, found.ranked(), accept), limit)
        hits = tuple(
            self._hit(head, words, found.flags(path), read=place < _READ)
            for place, (path, head) in enumerate(pages)
        )
        length = round(documents * self._lengths.average)
        return IndexAnswer(documents, length, frequencies, counted=False, hits=hits)

    def _hit(
        self, head: EntryHead, words: Sequence[str], flags: tuple[int, ...], *, read: bool
    ) -> IndexHit:
        content = read_page(self._archive, head) if read else b""
        if not content:
            return IndexHit(head.path, head.title, self._lengths.of(head.path), flags)
        text = page_text(content)
        # Whether a word is there, the index knows best: it stems.
        held = zip(flags, count(words, text), strict=True)
        counts = tuple(flag and max(flag, times) for flag, times in held)
        return IndexHit(head.path, head.title, text.count(" ") - 1, counts)

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
    """No full-text index: hits are the pages whose titles have the words.

    ``damaged`` says that there is one, which cannot be read.
    """

    kind: IndexKind = "titles"
    total_length = 0

    def __init__(
        self, archive: Archive, titles: TitleSource, reason: str, *, damaged: bool = False
    ) -> None:
        self._archive = archive
        self._titles = titles
        self._damaged = damaged
        self.reason = reason
        self.documents = archive.page_count

    def query(self, words: Sequence[str], limit: int, accept: Accept) -> IndexAnswer:
        """Return the pages whose titles have the heaviest words."""
        singles = [self._matches(word) for word in words]
        frequencies = tuple(match.estimate for match in singles)
        documents = max(self.documents, *frequencies, 1)
        found = _Evidence([_weight(frequency, documents) for frequency in frequencies])
        for number, match in enumerate(singles):
            found.add(match, [number])
        pages = islice(_pages(self._archive, found.ranked(), accept), limit)
        hits = tuple(IndexHit(head.path, head.title, 0, found.flags(path)) for path, head in pages)
        whole = not self._damaged
        return IndexAnswer(documents, 0, frequencies, counted=False, hits=hits, whole=whole)

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
    """By which words each path was found, and how far up.

    Attributes:
        weights: What each word of the query weighs.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        self.weights = weights
        self._factors: dict[str, dict[int, float]] = {}

    def add(self, match: Matches, group: Sequence[int]) -> None:
        """Note what was found by all words of ``group``; what is known of a word already stays."""
        fade = (_BEST - _WORST) / max(1, match.estimate)
        for rank, path in enumerate(match.paths):
            factors = self._factors.setdefault(path, {})
            for number in group:
                factors.setdefault(number, max(_WORST, _BEST - fade * (rank + 0.5)))

    def ranked(self) -> list[str]:
        scores = {path: self._score(factors) for path, factors in self._factors.items()}
        return sorted(scores, key=lambda path: (-scores[path], path))

    def flags(self, path: str) -> tuple[int, ...]:
        found = self._factors[path]
        return tuple(int(number in found) for number in range(len(self.weights)))

    def _score(self, factors: Mapping[int, float]) -> float:
        return sum(self.weights[number] * factors[number] for number in sorted(factors))


def _weight(frequency: int, documents: int) -> float:
    """Return the inverse document frequency as BM25 has it; 0 for a word that is nowhere."""
    if not frequency:
        return 0.0
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def _groups(weights: Sequence[float]) -> list[tuple[int, ...]]:
    """Return what to search for together: all known words, then pairs, the heaviest first.

    A pair weighs the product of its words, so that a rare word with a stop word comes after two
    words that both tell something.
    """
    known = tuple(number for number, weight in enumerate(weights) if weight)
    pairs = sorted(combinations(known, 2), key=lambda pair: (-_product(weights, pair), pair))
    groups = dict.fromkeys([known, *pairs] if len(known) > 1 else [])
    return list(islice(groups, max(1 + _LEAST_PAIRS, MAX_SEARCHES - len(weights))))


def _product(weights: Sequence[float], pair: tuple[int, int]) -> float:
    return weights[pair[0]] * weights[pair[1]]


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
