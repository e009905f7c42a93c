"""What a title says about a query: whether it is the query, and how much of it it covers.

Lexical on purpose: titles are short, and the gateway has no stemmer of the archive's language.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import mul

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

_ENDINGS = frozenset({"s", "es", "ed", "er", "ers", "ing", "ings"})
"""What makes an inflection also of a short word ("feed", "feeding")."""

_TRAILING_PARENTHESIS = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")
_HEADING_LABEL = re.compile(r"^(?:\w+:(?!:)(?=\S)|[\d.]+\s+)")
"""What tools put before the words of a heading: "command:add_library", "5.1.3. Comprehensions"."""

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


class TitleQuery:
    """A query as titles are compared with it.

    Hundreds of titles share most of their words, so what a word meets is remembered.

    Attributes:
        folded: The whole query in the form in which equal titles are equal.
        words: The folded parts of each of its words.
        weights: How much covering each word is worth; they add up to 1.
        stop: Words of a title that do not count.
    """

    def __init__(
        self,
        folded: str,
        words: Sequence[Sequence[str]],
        weights: Sequence[float],
        stop: frozenset[str],
    ) -> None:
        self.folded = folded
        self.words = words
        self.weights = weights
        self.stop = stop
        self.cjk = is_cjk(folded)
        self._parts = frozenset(part for parts in words for part in parts)
        self._met: dict[str, frozenset[str]] = {}

    def met_by(self, word: str) -> frozenset[str]:
        """Return the parts of the query that a folded word of a title is a form of."""
        met = self._met.get(word)
        if met is None:
            met = frozenset(part for part in self._parts if self._meets(word, part))
            self._met[word] = met
        return met

    def _meets(self, word: str, part: str) -> bool:
        overlap = self.cjk and is_cjk(word) and (word in part or part in word)
        return overlap or same_word(word, part)


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

    @property
    def telling(self) -> bool:
        """Whether it says anything: one word of several may stand in any title."""
        return self.words > 1 or self.coverage == 1


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


def heading_evidence(query: TitleQuery, title: str, headings: Iterable[str]) -> float:
    """Return how well (0 to 1) the best of a page's headings says what the query says.

    A heading is read together with the page's title, but all of its own words must be asked for.
    """
    return max((_heading(query, title, heading) for heading in headings), default=0.0)


def is_listing(title: str, query: TitleQuery) -> bool:
    """Tell whether the page only lists others and the query does not ask for such a page."""
    found = _LISTING.search(title)
    if found is None:
        return False
    asked = query.folded.split()
    return not any(part in asked for part in fold(found.group()).split() if part != "of")


def same_word(one: str, other: str) -> bool:
    """Tell whether two folded words are equal or look like inflections of one word."""
    if one == other or one[:LEAST_PREFIX] != other[:LEAST_PREFIX]:
        return one == other
    shorter, longer = sorted((one, other), key=len)
    if longer.startswith(shorter) and longer[len(shorter) :] in _ENDINGS:
        return True
    shared = _shared_prefix(one, other)
    return shared >= SHARED_PREFIX * len(longer) and len(longer) - shared <= LONGEST_SUFFIX


def _shared_prefix(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _heading(query: TitleQuery, title: str, heading: str) -> float:
    bare = _HEADING_LABEL.sub("", heading)
    alone = _compare(query, bare, TitleMatch.TITLE)
    if alone.match or not alone.words:
        return float(alone.words > 0)
    both = _compare(query, f"{title} {bare}", TitleMatch.TITLE)
    return both.coverage * alone.precision if both.telling else 0.0


def _strength(evidence: TitleEvidence) -> tuple[int, float, float]:
    return evidence.match, evidence.coverage, evidence.precision


def _parts(word: str) -> tuple[str, ...]:
    return tuple(fold(word).split())


def _compare(query: TitleQuery, title: str, exact: TitleMatch) -> TitleEvidence:
    folded = fold(title)
    if folded == query.folded:
        return TitleEvidence(exact, 1.0, 1.0, float(len(query.words)))
    present = folded.split()
    met = frozenset[str]().union(*map(query.met_by, present))
    covered = [_covered(parts, met, folded, cjk=query.cjk) for parts in query.words]
    coverage = sum(map(mul, query.weights, covered))
    precision = _precision(query, title, present) if met else 0.0
    whole = precision == 1 and min(covered) == 1
    match = TitleMatch.CONTENT if whole else TitleMatch.NONE
    return TitleEvidence(match, coverage, precision, sum(covered))


def _covered(parts: Sequence[str], met: frozenset[str], title: str, *, cjk: bool) -> float:
    """Return the share of a query word's parts that the title has; CJK goes by pairs."""
    if cjk and any(map(is_cjk, parts)):
        return _covered_pairs("".join(parts), title.replace(" ", ""))
    return sum(part in met for part in parts) / len(parts) if parts else 0.0


def _covered_pairs(word: str, title: str) -> float:
    pairs = [word[i : i + 2] for i in range(len(word) - 1)] or [word]
    return sum(pair in title for pair in pairs) / len(pairs)


def _precision(query: TitleQuery, title: str, present: list[str]) -> float:
    """Return the share of the title's content words that were asked for.

    A qualifier in brackets at its end is not held against it.
    """
    bare = fold(_TRAILING_PARENTHESIS.sub("", title)).split() if title.endswith(")") else present
    content = [word for word in bare if word not in query.stop] or bare
    return sum(1 for word in content if query.met_by(word)) / len(content) if content else 0.0
