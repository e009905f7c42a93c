"""Which words of an archive a misspelt word may have been.

A typing error is a letter left out, added or changed, or two neighbours swapped. All words that one
error makes are looked up, wherever the error is; that costs some hundred look-ups, however large
the vocabulary. Long words may have two errors: those are looked for among the words that begin like
the misspelt one, nearest first, until so many have been looked at that the search would wait.

Full-text indexes keep stems, and most of what has a known stem is no word ("offe" for "off"). So
only words that stand in a title, or in a page that is opened to see, are suggested.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import Protocol

from common.text import unaccent

LEAST_CHARS = 4
"""Shorter words are one error away from too many others."""

LEAST_CHARS_FOR_TWO = 6
"""Likewise for two errors."""

MOST_CHARS = 32
"""Longer words are none that people type: with 26 letters, 1,700 look-ups at most."""

MAX_EXAMINED = 4000
"""Words looked at for a second error, 2 to 3 µs each. A vocabulary of 40,000 words has fewer that
begin with the same letter, one of a million fewer that begin with the same three."""

MAX_OPENED = 6
"""Stems for whose words pages are opened."""

_LONGEST_START = 4
_TWO = 2
_SHORTEST_PART = 3
_RATIO = 20
"""How many times as frequent a word one error further away must be to be as likely."""

_ALPHABETS = {
    0x00: "abcdefghijklmnopqrstuvwxyz",
    0x04: "абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїўґ",
}
"""Letters tried, by block of 256 code points, where the whole block would be mostly rare ones."""

_BLOCK = 0x100


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word that the archive has, as people write it.

    Attributes:
        errors: How many typing errors away it is.
        documents: Documents that have it in any form, or titles if those are more.
        together: Documents that also have all the other words.
        titles: Titles that have it and all the other words.
    """

    word: str
    errors: int
    documents: int
    together: int = 0
    titles: int = 0


class Lexicon(Protocol):
    """The words of an archive, unaccented and in small letters."""

    def stem(self, word: str) -> str:
        """Return what the forms of one word have in common; the word where it is not known."""

    def documents_with(self, word: str) -> int:
        """Return how many documents, or else titles, have the word in any form."""

    def titles_with(self, word: str) -> int:
        """Return how many titles have the word in this form; 0 where that is not known."""

    def words(self, start: str, but: str) -> Iterator[str]:
        """Yield words of titles that begin with ``start`` but not with ``but``, unless empty."""

    def stems(self, start: str, but: str) -> Iterator[str]:
        """Yield the stems, likewise."""

    def forms(self, stem: str, beside: Sequence[str]) -> set[str]:
        """Return forms with this stem that a document has, best one that has ``beside`` as well."""

    def together(self, words: Sequence[str]) -> tuple[int, int]:
        """Return how many documents, and how many titles, have all of ``words``."""


def spellings(
    lexicon: Lexicon, word: str, beside: Sequence[str], limit: int, *, examined: int = MAX_EXAMINED
) -> list[Spelling]:
    """Return at most ``limit`` words that ``word`` may have been, the likeliest first.

    If the archive has the word, that comes first, with no errors.

    Args:
        lexicon: Where they are looked up.
        word: What was typed.
        beside: Other words, spelt right, that were typed with it.
        limit: Most suggestions.
        examined: Most words looked at for a second error.
    """
    typed = unaccent(word)
    if not LEAST_CHARS <= len(typed) <= MOST_CHARS:
        return []
    most = 2 if len(typed) >= LEAST_CHARS_FOR_TWO else 1
    found = _looked_up(lexicon, typed)
    if most > 1 or not found:
        for other in _examined(lexicon, typed, examined):
            away = errors(typed, other)
            if away <= most and away < found.get(other, most + 1):
                found[other] = away
    near = chain(
        _itself(lexicon, word, beside),
        _apart(lexicon, typed, beside),
        _real(lexicon, typed, most, found, beside),
    )
    return list(islice(near, max(0, limit)))


def likelihood(spelling: Spelling) -> tuple[float, str]:
    """Return a sort key: frequent words first, each error weighing as much as `_RATIO`."""
    return -spelling.documents / float(_RATIO**spelling.errors), spelling.word


def errors(one: str, other: str) -> int:
    """Return how many typing errors make ``other`` of ``one`` (optimal string alignment)."""
    start = _shared(one, other)
    one, other = one[start:], other[start:]
    end = _shared(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    before: Sequence[int] = ()
    row: Sequence[int] = range(len(other) + 1)
    for at, char in enumerate(one):
        before, row = row, _row(row, before, one[at - 1 : at] + char, other)
    return row[-1]


def edits(word: str) -> Iterator[str]:
    """Yield what one error makes of ``word``, some of it more than once."""
    letters = _alphabet(word)
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in letters)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def ending_like(term: str, stem: str, word: str) -> str:
    """Return the stem ``term`` with what ``word`` has beyond its own ``stem``: rivers, rivr."""
    shared = _shared(stem, word)
    if not term.endswith(stem[shared:]):
        return term
    return term[: len(term) - len(stem) + shared] + word[shared:]


def _looked_up(lexicon: Lexicon, typed: str) -> dict[str, int]:
    """Return what one error makes of ``typed`` that may be a word."""
    made = sorted(set(edits(typed)) - {typed})
    return {edit: 1 for edit in made if lexicon.documents_with(edit) > 0}


def _itself(lexicon: Lexicon, word: str, beside: Sequence[str]) -> Iterator[Spelling]:
    documents = lexicon.documents_with(word)
    if documents:
        yield Spelling(word, 0, documents, *lexicon.together([*beside, word]))


def _apart(lexicon: Lexicon, typed: str, beside: Sequence[str]) -> Iterator[Spelling]:
    """Yield the two words that stand in one title and were typed without the space between."""
    places = range(_SHORTEST_PART, len(typed) - _SHORTEST_PART + 1)
    pairs = [(typed[:place], typed[place:]) for place in places]
    for pair in pairs:
        if all(lexicon.titles_with(part) for part in pair):
            documents, titles = lexicon.together([*beside, *pair])
            if titles:
                yield Spelling(" ".join(pair), 1, max(1, documents), documents, titles)


def _examined(lexicon: Lexicon, typed: str, most: int) -> Iterator[str]:
    """Yield words that can be two errors away, those that begin most like ``typed`` first."""
    stem = lexicon.stem(typed)
    letters, stem_letters = set(typed), set(stem)
    left, but = most, ""
    for length in range(_LONGEST_START, 0, -1):
        start = typed[:length]
        for other in islice(lexicon.words(start, but), left):
            left -= 1
            if _alike(other, typed, letters):
                yield other
        for other in islice(lexicon.stems(start, but), left):
            left -= 1
            if _alike(other, stem, stem_letters):
                yield ending_like(other, stem, typed)
        but = start


def _alike(one: str, other: str, letters: set[str]) -> bool:
    """Tell cheaply whether two words can be two errors apart; ``letters`` are the other's."""
    if not -_TWO <= len(one) - len(other) <= _TWO:
        return False
    own = set(one)
    return len(own - letters) <= _TWO and len(letters - own) <= _TWO


def _real(
    lexicon: Lexicon, typed: str, most: int, found: Mapping[str, int], beside: Sequence[str]
) -> Iterator[Spelling]:
    """Yield one form of each stem that is a word for sure, the likeliest first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(found):
        groups[lexicon.stem(word)].append(word)
    likely = [
        Spelling(stem, min(found[word] for word in group), lexicon.documents_with(group[0]) or 1)
        for stem, group in groups.items()
    ]
    opened = 0
    for one in sorted(likely, key=likelihood):
        written = {w for w in groups[one.word] if w.isascii() and lexicon.titles_with(w)}
        if not written and opened < MAX_OPENED:
            opened += 1
            written = lexicon.forms(one.word, beside)
        away = {form: errors(typed, unaccent(form)) for form in written}
        nearest = min(written, key=lambda form: (away[form], form), default="")
        if nearest and away[nearest] <= most:
            documents, titles = lexicon.together([*beside, nearest])
            yield Spelling(nearest, away[nearest], one.documents, documents, titles)


def _row(above: Sequence[int], before: Sequence[int], last: str, other: str) -> list[int]:
    """Return the next row of the table of distances; ``last`` are the last one or two letters."""
    row = [above[0] + 1]
    for at, letter in enumerate(other):
        cost = min(above[at] + (letter != last[-1]), above[at + 1] + 1, row[at] + 1)
        if before and at and last == letter + other[at - 1]:
            cost = min(cost, before[at - 1] + 1)
        row.append(cost)
    return row


def _shared(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _alphabet(word: str) -> str:
    blocks = {ord(char) // _BLOCK for char in word if char.isalpha()}
    return "".join(_letters(block) for block in sorted(blocks))


@lru_cache(maxsize=64)
def _letters(block: int) -> str:
    """Return the small letters, or those without case, of a block of code points."""
    if block in _ALPHABETS:
        return _ALPHABETS[block]
    chars = map(chr, range(block * _BLOCK, (block + 1) * _BLOCK))
    return "".join(char for char in chars if unicodedata.category(char) in {"Ll", "Lo"})
