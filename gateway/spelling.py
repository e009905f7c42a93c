"""A query spelt right, when words of it are in no library at all.

Words that any library has are never touched. Shards propose, each from its own index; the
gateway adds the proposals up.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from gateway.analysis import MAX_WORDS, Analysis
from gateway.scoring import GlobalStatistics


def misspelt(analysis: Analysis, statistics: GlobalStatistics) -> tuple[str, ...]:
    """Return the words of the query that no library has; none of a query corrected already."""
    if analysis.corrected:
        return ()
    pairs = zip(analysis.words, statistics.missing, strict=True)
    return tuple(word for word, is_missing in pairs if is_missing)


def best_spelling(word: str, proposals: Iterable[Mapping[str, int]]) -> str:
    """Return what ``word`` most likely was, or nothing.

    Args:
        word: A word that no library has.
        proposals: Of each library, its words that are close and how many documents have them.

    The one that most documents have wins; of two equally frequent ones that which begins with the
    same letter, since people seldom mistake it, then the first in the alphabet.
    """
    total: dict[str, int] = {}
    for proposal in proposals:
        for spelling, frequency in proposal.items():
            total[spelling] = total.get(spelling, 0) + max(0, frequency)
    known = [spelling for spelling, frequency in total.items() if frequency]
    return min(known, key=lambda s: (-total[s], s[:1] != word[:1], s), default="")


def best_spellings(
    words: Sequence[str], proposals: Iterable[Sequence[Mapping[str, int]]]
) -> dict[str, str]:
    """Return what each word most likely was; each library's proposals are aligned with them."""
    rows = list(proposals)
    return {
        word: best_spelling(word, [row[place] for row in rows if place < len(row)])
        for place, word in enumerate(words)
    }


def respelt(analysis: Analysis, spellings: Mapping[str, str]) -> Analysis:
    """Return the query with words replaced, in its text as well; unchanged if none is."""
    words = dict.fromkeys(spellings.get(word) or word for word in analysis.words)
    text = analysis.text
    for word, spelling in spellings.items():
        if spelling and word in analysis.words:
            whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
            text = whole.sub(lambda _, to=spelling: to, text)  # type: ignore[misc]
    if tuple(words) == analysis.words:
        return analysis
    return replace(analysis, text=text, words=tuple(words)[:MAX_WORDS], corrected=True)
