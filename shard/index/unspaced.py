"""Words of scripts without spaces that the index has no n-grams of: Thai, Lao, Khmer, Burmese.

The index takes everything between two spaces for one term. A word of a query is then looked for
inside the terms, and where no term holds it, the terms are looked for inside the word. Everything
is bounded by the number of terms looked at, so that answers do not depend on load.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

MAX_SCANNED: Final = 20_000
"""Terms looked at for one word, some 20 ms: all of a small archive, the first of a large one."""

MAX_RUNS: Final = 40
"""Terms that stand for one word."""

LEAST_PART: Final = 3
"""Characters of a term that is looked for inside a word: shorter ones are in any."""

MOST_CHARS: Final = 64
"""Characters of a word that are looked at: no term is longer."""

TermsFrom = Callable[[bytes], Iterable[str]]
"""Gives the terms that begin with these bytes, in order."""


class AnyOf(list[str]):
    """Terms each of which stands for the word; other lists of terms stand for it together."""


def runs_of(word: str, terms_from: TermsFrom, exists: Callable[[str], bool]) -> AnyOf:
    """Return the terms that hold ``word`` (unaccented), else those that it is made of."""
    holding = dict.fromkeys(islice(terms_from(word.encode()), MAX_RUNS))
    script = word[:1].encode()[:1]
    scanned = islice(terms_from(script), MAX_SCANNED)
    holding.update(dict.fromkeys(islice((term for term in scanned if word in term), MAX_RUNS)))
    return AnyOf([*holding][:MAX_RUNS] or _parts(word[:MOST_CHARS], exists))


def _parts(word: str, exists: Callable[[str], bool]) -> Iterator[str]:
    """Yield the terms that ``word`` is made of, the longest at each place; gaps are left out."""
    start = 0
    while start + LEAST_PART <= len(word):
        ends = range(len(word), start + LEAST_PART - 1, -1)
        end = next((end for end in ends if exists(word[start:end])), start + 1)
        if end > start + 1:
            yield word[start:end]
        start = end
