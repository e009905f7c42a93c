"""What a title says about a query: whether it is the query, and how much of it it covers.

Lexical on purpose: titles are short, and the gateway has no stemmer of the archive's language.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from operator import mul, or_
from typing import NamedTuple

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

    Hundreds of titles share most of their words, so what a word meets is remembered, as a number
    with a bit for each part of the query, and so is what follows from the parts that a title has.

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
        distinct = dict.fromkeys(part for parts in words for part in parts)
        self._bits = {part: 1 << place for place, part in enumerate(distinct)}
        self._alike = frozenset(part[:LEAST_PREFIX] for part in self._bits)
        self._met: dict[str, int] = {}
        self._coverage: dict[int, _Coverage] = {}
        self._anchors = (max(folded.split(), key=len, default=""), self._rarest()[:LEAST_PREFIX])

    def could_be(self, title: str) -> bool:
        """Tell, in a moment, whether the title may be the query: False is sure, True is not."""
        if self.cjk or not title.isascii():
            return True
        small = title.lower()
        return any(anchor in small for anchor in self._anchors)

    def meeting(self, words: Iterable[str]) -> list[int]:
        """Return the parts of the query that folded words of a title are forms of, as bits.

        One number for each word that is a form of any.
        """
        if not self.cjk:
            # Forms of one word begin alike, so most words need no comparison.
            words = [word for word in words if word[:LEAST_PREFIX] in self._alike]
        return [met for word in words if (met := self._met_by(word))]

    def coverage(self, met: int, title: str) -> "_Coverage":
        """Return what the parts ``met`` of a folded title cover; CJK goes by pairs."""
        if self.cjk:
            return self._cover(met, title.replace(" ", ""))
        covered = self._coverage.get(met)
        if covered is None:
            covered = self._coverage[met] = self._cover(met, title)
        return covered

    def _cover(self, met: int, title: str) -> "_Coverage":
        shares = [self._share(parts, met, title) for parts in self.words]
        weighed = sum(map(mul, self.weights, shares))
        return _Coverage(weighed, sum(shares), whole=min(shares, default=0.0) == 1)

    def _share(self, parts: Sequence[str], met: int, title: str) -> float:
        if self.cjk and any(map(is_cjk, parts)):
            return _covered_pairs("".join(parts), title)
        return sum(met & self._bits[part] > 0 for part in parts) / len(parts) if parts else 0.0

    def _rarest(self) -> str:
        """Return a part of the word that weighs most: a title without it is not the query."""
        words = [
            (weight, parts) for weight, parts in zip(self.weights, self.words, strict=True) if parts
        ]
        return max(words, default=(0.0, ("",)))[1][0]

    def _met_by(self, word: str) -> int:
        met = self._met.get(word)
        if met is None:
            met = sum(bit for part, bit in self._bits.items() if self._meets(word, part))
            self._met[word] = met
        return met

    def _meets(self, word: str, part: str) -> bool:
        overlap = self.cjk and is_cjk(word) and (word in part or part in word)
        return overlap or same_word(word, part)


class _Coverage(NamedTuple):
    """What a title covers: share of the query's weight, words, and whether every one of them."""

    weight: float
    words: float
    whole: bool


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


_NOTHING = TitleEvidence(TitleMatch.NONE, 0.0, 0.0, 0.0)


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
    met = reduce(or_, query.meeting(present), 0)
    if not met and not query.cjk:
        return _NOTHING
    covered = query.coverage(met, folded)
    precision = _precision(query, title, present) if met else 0.0
    whole = precision == 1 and covered.whole
    match = TitleMatch.CONTENT if whole else TitleMatch.NONE
    return TitleEvidence(match, covered.weight, precision, covered.words)


def _covered_pairs(word: str, title: str) -> float:
    pairs = [word[i : i + 2] for i in range(len(word) - 1)] or [word]
    return sum(pair in title for pair in pairs) / len(pairs)


def _precision(query: TitleQuery, title: str, present: list[str]) -> float:
    """Return the share of the title's content words that were asked for.

    A qualifier in brackets at its end is not held against it.
    """
    bare = fold(_TRAILING_PARENTHESIS.sub("", title)).split() if title.endswith(")") else present
    content = [word for word in bare if word not in query.stop] or bare
    return len(query.meeting(content)) / len(content) if content else 0.0
