"""Which words of an index a misspelt word may have been.

One edit away only (a letter left out, added, changed, or two swapped), which is where most typing
errors are. All of those are generated and looked up, so the cost depends on the length of the word
and never on the size of the index.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from common.text import is_cjk

LEAST_CHARS = 4
"""Shorter words are one edit away from too many others."""

LEAST_CHANGED = 6
"""In shorter words no letter is changed and the first one stays: "kale" is no "sale" or "ale"."""

MOST_CHARS = 32
"""Longer words are none that people type: with 26 letters, 1,700 look-ups at most."""

_ALPHABETS = {
    0x00: "abcdefghijklmnopqrstuvwxyz",
    0x04: "абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїўґ",
}
"""Letters tried, by block of 256 code points, where the whole block would be mostly rare ones."""

_BLOCK = 0x100


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word that the index has; ``frequency`` is the number of documents that have it."""

    word: str
    frequency: int


def spellings(word: str, frequency: Callable[[str], int], limit: int) -> list[Spelling]:
    """Return words one edit from ``word`` that have a ``frequency``, the most frequent first.

    Nothing for a word that is too short or too long, has a digit, or is CJK: there such an edit
    makes another word, not the same one spelt right.
    """
    if not LEAST_CHARS <= len(word) <= MOST_CHARS or is_cjk(word) or any(map(str.isdigit, word)):
        return []
    likely = {edit for edit in edits(word) if len(word) >= LEAST_CHANGED or _is_close(word, edit)}
    found = [Spelling(edit, frequency(edit)) for edit in sorted(likely - {word})]
    known = [spelling for spelling in found if spelling.frequency > 0]
    return sorted(known, key=lambda one: (-one.frequency, one.word))[: max(0, limit)]


def edits(word: str) -> Iterator[str]:
    """Yield what one edit makes of ``word``, some of it more than once."""
    letters = _alphabet(word)
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in letters)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]


def _is_close(word: str, edit: str) -> bool:
    return edit[:1] == word[:1] and (len(edit) != len(word) or sorted(edit) == sorted(word))


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
