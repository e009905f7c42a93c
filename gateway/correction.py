"""A query spelt right, when words of it are in no library at all, or in strangely few documents.

Words that work are never touched. Shards suggest, each from its own words; what speaks for a
suggestion is added up over all of them, and the gateway decides.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import log1p
from operator import itemgetter

from common.frames import LightHit, QueryReply, Suggestion
from common.text import is_cjk, is_unspaced
from gateway.analysis import MAX_WORDS, Analysis
from gateway.scoring import GlobalStatistics
from gateway.stopwords import STOP_WORDS

LEAST_CHARS = 4
"""Shorter words are one error away from too many others."""

LEAST_CHARS_FOR_TWO = 8
"""In shorter words two errors are believed only if a title speaks for them: "aikido" is no
"amido"."""

LEAST_CHARS_TO_CHANGE = 6
"""In shorter words another letter is believed only likewise: "kale" is no "sale"."""

RARE_IDF = 8.2
"""Inverse document frequency of a word that one document in 3,600 has."""

RARE_RATIO = 20
"""How many times as frequent the correction of a rare word must be."""

FIT_COMPANY = 0.4
"""Share of the query beside which a rare word is no error. Of 110 public questions with every word
spelt right 2 are asked about in vain."""

ERROR_COST = 5.0
"""What another typing error must be made up for. These weights add logarithms of counts; they were
chosen on half of 550 queries with one word mutated at random, and do as well on the other half:
0.925 of the words come back, by the fewest errors and then the most documents 0.88. Half or twice
of any of them costs at most 0.02."""

DOCUMENTS_WEIGHT = 0.6
TOGETHER_WEIGHT = 1.0
TITLES_WEIGHT = 2.0

_STOP_WORDS = frozenset().union(*STOP_WORDS.values())


def suspects(
    analysis: Analysis, statistics: GlobalStatistics, replies: Iterable[QueryReply]
) -> dict[str, int]:
    """Return the words of the query that may be misspelt, and how many documents have each.

    Those are the words that no document has, and those that strangely few have: rare ones whose
    documents have little of the rest of the query. None of a query that is corrected already.
    """
    if analysis.corrections:
        return {}
    answered = list(replies)
    hits = [hit for reply in answered for hit in (*reply.hits, *reply.titles)]
    found: dict[str, int] = {}
    for place, word in enumerate(analysis.words):
        if not _is_correctable(word):
            continue
        if statistics.missing[place]:
            found[word] = 0
        elif statistics.idf[place] >= RARE_IDF and _company(place, hits, statistics) < FIT_COMPANY:
            found[word] = max(
                1, sum(sum(reply.frequencies[place : place + 1]) for reply in answered)
            )
    return dict(sorted(found.items(), key=itemgetter(1)))


def others(analysis: Analysis, words: Collection[str]) -> list[str]:
    """Return the words of the query that are not suspicious."""
    return [word for word in analysis.words if word not in words]


def choose(
    word: str, known: int, suggested: Iterable[Sequence[Suggestion]], *, alone: bool = False
) -> str:
    """Return what ``word`` most likely was, or nothing; of equally likely words the first.

    Args:
        word: A suspicious word.
        known: Documents that have it.
        suggested: What each library suggests for it.
        alone: There are no other words with which suggestions could go together.
    """
    evidence: dict[str, Suggestion] = {}
    for suggestions in suggested:
        for one in suggestions:
            before = evidence.get(one.word, Suggestion(one.word, one.errors, 0))
            evidence[one.word] = _added(before, one)
    if not known and any(one.errors == 0 for one in evidence.values()):
        # Who did not answer the query has the word.
        return ""
    likely = [
        one
        for one in evidence.values()
        if one.documents > known * RARE_RATIO and _is_plausible(word, one, alone=alone)
        if not known or (one.errors == 1 and one.together > 0)
    ]
    return min(likely, key=lambda one: (-_likelihood(word, one), one.word)).word if likely else ""


def choose_all(
    analysis: Analysis,
    words: Mapping[str, int],
    suggested: Iterable[Sequence[Sequence[Suggestion]]],
) -> dict[str, str]:
    """Return what each suspicious word most likely was; libraries' lists are aligned with them."""
    rows = list(suggested)
    alone = not others(analysis, words)
    return {
        word: choose(word, known, [row[place] for row in rows if place < len(row)], alone=alone)
        for place, (word, known) in enumerate(words.items())
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
    by_word = {word: by.split() for word, by in made}
    words = dict.fromkeys(each for word in analysis.words for each in by_word.get(word, [word]))
    return replace(analysis, text=text, words=tuple(words)[:MAX_WORDS], corrections=tuple(made))


def told(analysis: Analysis) -> str:
    """Return what the agent should know of the corrections; empty if there are none."""
    changes = [f'"{by}" instead of "{word}"' for word, by in analysis.corrections]
    return f"showing results for {' and '.join(changes)}" if changes else ""


def _is_correctable(word: str) -> bool:
    if len(word) < LEAST_CHARS or any(map(str.isdigit, word)):
        return False
    return word not in _STOP_WORDS and not (is_cjk(word) or is_unspaced(word))


def _added(one: Suggestion, other: Suggestion) -> Suggestion:
    return Suggestion(
        one.word,
        min(one.errors, other.errors),
        max(0, one.documents) + max(0, other.documents),
        max(0, one.together) + max(0, other.together),
        max(0, one.titles) + max(0, other.titles),
    )


def _is_plausible(word: str, one: Suggestion, *, alone: bool) -> bool:
    """Tell whether ``one`` may be taken for ``word`` at all.

    Words that no library has are mostly names and words of other fields, spelt right. Of 335 such
    words 42 are taken for others, without the rules for short ones 69; that costs 2 of 550 typing
    errors.
    """
    if one.word in _STOP_WORDS:
        return False
    if one.errors > 1 and len(word) < LEAST_CHARS_FOR_TWO:
        return not alone and one.titles > 0
    if len(word) < LEAST_CHARS_TO_CHANGE and _is_changed(word, one.word):
        return (one.titles if alone else one.together) > 0
    return True


def _company(place: int, hits: Iterable[LightHit], statistics: GlobalStatistics) -> float:
    """Return the share (0 to 1) of the other words, by weight, that stand beside one at best."""
    rest = sum(statistics.idf) - statistics.idf[place]
    beside = (
        sum(idf for count, idf in zip(hit.counts, statistics.idf, strict=False) if count > 0)
        for hit in hits
        if sum(hit.counts[place : place + 1]) > 0
    )
    return (max(beside, default=0.0) - statistics.idf[place]) / rest if rest else 1.0


def _is_changed(typed: str, meant: str) -> bool:
    """Tell whether the first letter is another, or one was typed instead of another."""
    replaced = len(typed) == len(meant) and sorted(typed) != sorted(meant)
    return replaced or typed[:1] != meant[:1]


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
