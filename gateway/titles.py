"""What a title says about a query: whether it is the query, and how much of it it covers.

Lexical on purpose: titles are short, and the gateway has no stemmer of the archive's language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from common.text import fold, is_cjk
from gateway.analysis import Analysis
from gateway.stopwords import likely_stop_words

SHARED_PREFIX = 2 / 3
"""Share of the longer word that two inflections of one word have in common ("computing",
"computer"): below it unrelated words meet ("general", "generous")."""

LEAST_PREFIX = 3
"""Letters that two inflections have in common at least ("cat", "cats")."""

LONGEST_SUFFIX = 3
"""Letters in which they may differ at the end ("ing")."""

_TRAILING_PARENTHESIS = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")
_LISTING = re.compile(
    r"^(list|lists|index|outline|category|tag|template|user|portal)\b(?=( of|:))"
    r"|\((disambiguation|homonymie|begriffsklärung|значения|desambiguación|disambigua)\)$"
    r"|^(genindex|general index|alphabetical index|search page)$",
    re.IGNORECASE,
)


class TitleMatch(IntEnum):
    """How exactly a title is the query; a higher one stands before a lower one."""

    NONE = 0
    CONTENT = 1
    """The same words apart from stop words, inflection, order and a bracketed qualifier."""
    ALIAS = 2
    """The title of a redirect to the page, folded, is the query."""
    TITLE = 3
    """The folded title is the query."""


@dataclass(frozen=True, slots=True)
class TitleQuery:
    """A query as titles are compared with it.

    Attributes:
        folded: The whole query in the form in which equal titles are equal.
        words: The folded parts of each of its words.
        weights: How much covering each word is worth; they add up to 1.
        stop: Words of a title that do not count.
    """

    folded: str
    words: tuple[tuple[str, ...], ...]
    weights: tuple[float, ...]
    stop: frozenset[str]


@dataclass(frozen=True, slots=True)
class TitleEvidence:
    """What the title, or a redirect's, says.

    Attributes:
        match: Whether it is the query.
        coverage: Share (0 to 1) of the query's weight that it covers.
        precision: Share (0 to 1) of its content words that the query has.
        words: Words of the query that it covers, each 0 to 1.
    """

    match: TitleMatch
    coverage: float
    precision: float
    words: float


def title_query(analysis: Analysis, idf: Sequence[float]) -> TitleQuery:
    """Prepare a query; a word that nothing has weighs as much as the rarest there is.

    Otherwise a title that holds only the rest of a misspelt query would pass for the whole.
    """
    heaviest = max(idf, default=0.0) or 1.0
    weights = [weight or heaviest for weight in idf]
    total = sum(weights)
    return TitleQuery(
        folded=fold(analysis.text),
        words=tuple(_parts(word) for word in analysis.words),
        weights=tuple(weight / total for weight in weights),
        stop=likely_stop_words(fold(analysis.text).split()) - set(analysis.words),
    )


def title_evidence(query: TitleQuery, title: str, alias: str = "") -> TitleEvidence:
    """Compare the title of a page, and the redirect that led to it, with the query."""
    best = _compare(query, title, TitleMatch.TITLE)
    if alias:
        best = max(best, _compare(query, alias, TitleMatch.ALIAS), key=_strength)
    return best


def is_listing(title: str, query: TitleQuery) -> bool:
    """Tell whether the page only lists others and the query does not ask for such a page."""
    found = _LISTING.search(title)
    if found is None:
        return False
    asked = query.folded.split()
    return not any(part in asked for part in fold(found.group()).split() if part != "of")


def same_word(one: str, other: str) -> bool:
    """Tell whether two folded words are equal or look like inflections of one word."""
    if one == other:
        return True
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    longer = max(len(one), len(other))
    suffix = longer - shared
    return shared >= max(LEAST_PREFIX, SHARED_PREFIX * longer) and suffix <= LONGEST_SUFFIX


def _strength(evidence: TitleEvidence) -> tuple[int, float, float]:
    return evidence.match, evidence.coverage, evidence.precision


def _parts(word: str) -> tuple[str, ...]:
    return tuple(fold(word).split())


def _compare(query: TitleQuery, title: str, exact: TitleMatch) -> TitleEvidence:
    folded = fold(title)
    if folded == query.folded:
        return TitleEvidence(exact, 1.0, 1.0, float(len(query.words)))
    present = folded.split()
    covered = [_covered(parts, present) for parts in query.words]
    coverage = sum(w * c for w, c in zip(query.weights, covered, strict=True))
    precision = _precision(query, title)
    whole = all(share == 1 for share in covered) and precision == 1
    match = TitleMatch.CONTENT if whole else TitleMatch.NONE
    return TitleEvidence(match, coverage, precision, sum(covered))


def _covered(parts: Sequence[str], present: Sequence[str]) -> float:
    """Return the share of a query word's parts that the title has; CJK goes by pairs."""
    if not parts:
        return 0.0
    if any(is_cjk(part) for part in parts):
        return _covered_pairs("".join(parts), "".join(present))
    return sum(any(same_word(part, word) for word in present) for part in parts) / len(parts)


def _covered_pairs(word: str, title: str) -> float:
    pairs = [word[i : i + 2] for i in range(len(word) - 1)] or [word]
    return sum(pair in title for pair in pairs) / len(pairs)


def _precision(query: TitleQuery, title: str) -> float:
    bare = fold(_TRAILING_PARENTHESIS.sub("", title)).split()
    content = [word for word in bare if word not in query.stop] or bare
    asked = [part for parts in query.words for part in parts]
    known = [any(_meets(word, part) for part in asked) for word in content]
    return sum(known) / len(known) if known else 0.0


def _meets(word: str, part: str) -> bool:
    return same_word(word, part) or (is_cjk(word) and (word in part or part in word))
