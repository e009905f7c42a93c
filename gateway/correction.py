"""A query spelt right, when words of it are in no library at all.

Words that work are never touched. Shards suggest, each from its own words; what speaks for a
suggestion is added up over all of them, and the gateway decides.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log1p

from common.frames import Suggestion
from common.text import is_cjk
from gateway.analysis import MAX_WORDS, Analysis
from gateway.scoring import GlobalStatistics
from gateway.stopwords import STOP_WORDS

LEAST_CHARS = 4
"""Shorter words are one error away from too many others."""

ERROR_COST = 5.0
"""What another typing error must be made up for. These weights add logarithms of counts; they were
chosen on half of 570 queries with one word mutated at random, and do as well on the other half.
0.91 of the words come back (0.86 with the fewest errors, then the most documents; 0.95 are among
the suggestions at all). Half or twice of any of them costs less than 0.01."""

DOCUMENTS_WEIGHT = 0.6
TOGETHER_WEIGHT = 1.0
TITLES_WEIGHT = 2.0

_STOP_WORDS = frozenset().union(*STOP_WORDS.values())


def suspects(analysis: Analysis, statistics: GlobalStatistics) -> tuple[str, ...]:
    """Return the words of the query that may be misspelt; none of a query corrected already."""
    if analysis.corrections:
        return ()
    pairs = zip(analysis.words, statistics.missing, strict=True)
    return tuple(word for word, is_missing in pairs if is_missing and _is_correctable(word))


def choose(word: str, suggested: Iterable[Sequence[Suggestion]]) -> str:
    """Return what ``word`` most likely was, or nothing; of equally likely words the first.

    Args:
        word: A suspicious word.
        suggested: What each library suggests for it.
    """
    evidence: dict[str, Suggestion] = {}
    for suggestions in suggested:
        for one in suggestions:
            known = evidence.get(one.word, Suggestion(one.word, one.errors, 0))
            evidence[one.word] = _added(known, one)
    likely = [one for one in evidence.values() if one.documents and one.word not in _STOP_WORDS]
    return min(likely, key=lambda one: (-_likelihood(word, one), one.word)).word if likely else ""


def choose_all(
    words: Sequence[str], suggested: Iterable[Sequence[Sequence[Suggestion]]]
) -> dict[str, str]:
    """Return what each word most likely was; each library's lists are aligned with the words."""
    rows = list(suggested)
    return {
        word: choose(word, [row[place] for row in rows if place < len(row)])
        for place, word in enumerate(words)
    }


def corrected(analysis: Analysis, corrections: Mapping[str, str]) -> Analysis:
    """Return the query with words replaced, in its text as well; unchanged if none is."""
    made = [(word, by) for word, by in corrections.items() if by and word in analysis.words]
    if not made:
        return analysis
    text = analysis.text
    for word, by in made:
        whole = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        text = whole.sub(lambda _, to=by: to, text)  # type: ignore[misc]
    words = dict.fromkeys(dict(made).get(word, word) for word in analysis.words)
    return replace(analysis, text=text, words=tuple(words)[:MAX_WORDS], corrections=tuple(made))


def told(analysis: Analysis) -> str:
    """Return what the agent should know of the corrections; empty if there are none."""
    changes = [f'"{by}" instead of "{word}"' for word, by in analysis.corrections]
    return f"showing results for {' and '.join(changes)}" if changes else ""


def _is_correctable(word: str) -> bool:
    if len(word) < LEAST_CHARS or is_cjk(word) or any(map(str.isdigit, word)):
        return False
    return word not in _STOP_WORDS


def _added(one: Suggestion, other: Suggestion) -> Suggestion:
    return Suggestion(
        one.word,
        min(one.errors, other.errors),
        max(0, one.documents) + max(0, other.documents),
        max(0, one.together) + max(0, other.together),
        max(0, one.titles) + max(0, other.titles),
    )


def _likelihood(word: str, one: Suggestion) -> float:
    """Return how likely it is that ``one`` was meant, on the scale of a logarithm."""
    documents = log1p(one.documents)
    # A word that stands alone is together with nothing, which is no evidence.
    alone = one.together >= one.documents
    beside = 0.0 if alone else log1p(one.together) - documents / 2
    return (
        DOCUMENTS_WEIGHT * documents
        + TOGETHER_WEIGHT * beside
        + TITLES_WEIGHT * log1p(one.titles)
        - ERROR_COST * one.errors
        - _slip(word, one.word)
    )


def _slip(typed: str, meant: str) -> float:
    """Return how unusual the error is: the first letter is seldom wrong, letters are often lost."""
    return (
        (typed[:1] != meant[:1])
        - (sorted(typed) == sorted(meant))
        - (len(meant) > len(typed)) / 2
        - (set(typed) == set(meant)) / 2
    )
