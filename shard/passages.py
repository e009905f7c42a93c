"""Where the words of a query stand in a document, and how close together.

A word of the text is a word of the query if the index's own stemmer makes the same of both. Words
of scripts without spaces are looked for as pairs of characters, as the index has them, or as they
are where it has no pairs.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from common.text import MARKS, is_cjk, is_unspaced, unaccent
from shard.document import Document

WINDOW_WORDS: Final = 60
"""Words of one passage. Measured, with half of the top score as its
weight: long articles stop losing to short notes."""

_MAX_CHARS: Final = 1_000_000
_MAX_UNITS: Final = 50_000
"""What is looked at of a document: all of the longest article (130,000 characters), a bounded part
of a dump."""

_WORD = re.compile(rf"[\w{MARKS}]+(?:['’][\w{MARKS}]+)*[+#]{{0,3}}")
LABELS: Final = ("Tags: ", "Comments:")
"""How the lines begin that the adapters write."""

_SOURCE: Final = "Source: http"
"""The link that ends the lead of a reference page: its address has the words of every query."""

_CHARS_PER_CJK_WORD: Final = 2


class Unit(NamedTuple):
    """A paragraph of the section at place ``section``; ``prose`` if it makes a good snippet."""

    section: int
    text: str
    prose: bool


class Match(NamedTuple):
    """Query word number ``term`` as word ``position`` of the document, in unit ``unit``."""

    position: int
    term: int
    unit: int
    start: int


class Terms:
    """The query's words by their stems, each with its share of the query's weight."""

    def __init__(
        self, words: Sequence[str], weights: Sequence[float], stem: Callable[[str], str]
    ) -> None:
        total = sum(weights) or 1.0
        self.shares = [weight / total for weight in weights]
        self.pairs = list(_cjk_pairs(words))
        self._stem = stem
        self._stems: dict[str, int] = {}
        for number, word in enumerate(words):
            self._stems.setdefault(self._folded(word), number)
        self._known: set[str] = set()
        self._hits: dict[str, int] = {}
        self._initials = _initials(words)

    def _folded(self, word: str) -> str:
        return self._stem(unaccent(word))

    def hits(self, words: Sequence[str]) -> dict[str, int]:
        """Return the number of the query word for each of ``words`` (casefolded) that is one.

        Words of earlier calls may be among the keys too.
        """
        for word in set(words).difference(self._known):
            self._known.add(word)
            if not self._initials or word[0] in self._initials or not word.isascii():
                term = self._stems.get(self._folded(word.replace("’", "'")), -1)
                if term >= 0:
                    self._hits[word] = term
        return self._hits

    def share(self, found: set[int]) -> float:
        """Return the share of the query's weight that these words have."""
        return sum(self.shares[term] for term in found)

    def has_all(self, text: str) -> bool:
        """Tell whether every word of ``text`` is one of the query's."""
        words = _WORD.findall(text.casefold())
        return bool(words) and self.hits(words).keys() >= set(words)

    def in_text(self, text: str) -> set[int]:
        """Return the query words that ``text`` has."""
        return {match.term for match in _matches_in(0, 0, text, self)}


def _initials(words: Sequence[str]) -> frozenset[str]:
    """Return the first letters of the words, if stemming cannot change them.

    No stemmer of a Latin script takes prefixes away, so most words of a text need no stemming.
    """
    plain = [unaccent(word) for word in words]
    if not all(word.isascii() for word in plain):
        return frozenset()
    return frozenset(word[0] for word in plain if word)


def _cjk_pairs(words: Sequence[str]) -> Iterator[tuple[str, int]]:
    for number, word in enumerate(words):
        if is_cjk(word):
            yield from ((a + b, number) for a, b in pairwise(word))
            if len(word) == 1:
                yield word, number
        elif is_unspaced(word):
            yield word, number


def units_of(document: Document) -> list[Unit]:
    """Return the paragraphs of ``document``, as far as they are scanned."""
    units: list[Unit] = []
    left = _MAX_CHARS
    for place, _ in enumerate(document.sections):
        for text, prose in document.paragraphs(place):
            if text.startswith(_SOURCE):
                continue
            units.append(Unit(place, text[:left], prose and not text.startswith(LABELS)))
            left -= len(text)
            if left <= 0 or len(units) >= _MAX_UNITS:
                return units
    return units


def matches_of(units: Sequence[Unit], terms: Terms) -> list[Match]:
    """Return every place of a query word, in order."""
    found: list[Match] = []
    base = 0
    for number, unit in enumerate(units):
        found += _matches_in(number, base, unit.text, terms)
        base += unit.text.count(" ") + 1
    return found


def _matches_in(number: int, base: int, text: str, terms: Terms) -> list[Match]:
    folded = text.casefold()
    found = _cjk_matches(number, base, folded, terms) if terms.pairs else []
    words = _WORD.findall(folded)
    hits = terms.hits(words)
    if hits.keys().isdisjoint(words):
        return found
    same_length = len(folded) == len(text)
    for position, word in enumerate(_WORD.finditer(folded)):
        term = hits.get(word.group(), -1)
        if term >= 0:
            start = word.start() if same_length else min(word.start(), len(text) - 1)
            found.append(Match(base + position, term, number, start))
    return sorted(found) if terms.pairs else found


def _cjk_matches(number: int, base: int, text: str, terms: Terms) -> list[Match]:
    found: list[Match] = []
    for pair, term in terms.pairs:
        start = text.find(pair)
        while start >= 0:
            found.append(Match(base + start // _CHARS_PER_CJK_WORD, term, number, start))
            start = text.find(pair, start + len(pair))
    return sorted(found)


def best_share(matches: Sequence[Match], shares: Sequence[float]) -> float:
    """Return the largest share of the weight that one window of `WINDOW_WORDS` words holds."""
    best = held = 0.0
    counts: dict[int, int] = {}
    first = 0
    for match in matches:
        count = counts.get(match.term, 0)
        counts[match.term] = count + 1
        held += shares[match.term] if not count else 0.0
        while match.position - matches[first].position >= WINDOW_WORDS:
            gone = matches[first].term
            counts[gone] -= 1
            held -= shares[gone] if not counts[gone] else 0.0
            first += 1
        best = max(best, held)
    return min(1.0, best)


def by_section(units: Sequence[Unit], matches: Sequence[Match]) -> dict[int, list[Match]]:
    """Return the matches of each section that has any."""
    found: dict[int, list[Match]] = {}
    for match in matches:
        found.setdefault(units[match.unit].section, []).append(match)
    return found
