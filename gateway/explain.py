"""Why a search came out as it did, for people: what is known of each hit, as JSON. Pure."""

from collections.abc import Iterator

import msgspec

from gateway.answers import Degraded
from gateway.fusion import Candidate
from gateway.search import Search

_DIGITS = 4


class Word(msgspec.Struct, frozen=True):
    """A word of the query and how much it tells: its inverse document frequency."""

    word: str
    weight: float


class Places(msgspec.Struct, frozen=True):
    """Where a hit stood, from 1: in its library's own list, after fusion, and in the end.

    A hit that only its title gave comes after the others of its library.
    """

    library: int
    fused: int
    final: int


class Title(msgspec.Struct, frozen=True):
    """What the title says about the query.

    Attributes:
        match: ``title`` or ``alias`` (a redirect's title) if it is the query, ``content`` if it
            has the same words, else ``none``.
        alias: Title of the redirect under which it was found, or empty.
        coverage: Share of the query's weight that it covers.
        precision: Share of its own words that the query has.
    """

    match: str
    alias: str
    coverage: float
    precision: float


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """A hit, and what brought it where it is.

    Attributes:
        score: What the final order is by, before diversity; higher is better.
        fused: The same before its text was read.
        evidence: What its library weighs, 0 to 1: the square of its best score under the
            statistics of all, relative to the best library's.
        bm25: Its own score under the statistics of all.
        matched: Words of the query that it has.
        passage: Share of the query's weight that one passage holds.
        heading: How well (0 to 1) a section's heading says what the query says.
    """

    library: str
    ref: str
    title: str
    score: float
    fused: float
    evidence: float
    bm25: float
    matched: list[str]
    title_evidence: Title
    passage: float
    heading: float
    places: Places


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """A search explained: the query as it was asked in the end, and its hits, best first."""

    query: str
    words: list[Word]
    hits: list[Explained]
    degraded: list[Degraded]
    note: str


def explanation(search: Search) -> Explanation:
    """Return what is known of the hits of a search."""
    words = zip(search.analysis.words, search.ranked.weights, strict=True)
    return Explanation(
        query=search.analysis.text,
        words=[Word(word, _short(weight)) for word, weight in words],
        hits=list(_hits(search)),
        degraded=search.degraded(),
        note=search.ranked.note,
    )


def _hits(search: Search) -> Iterator[Explained]:
    fused = {c.ref: (place, c) for place, c in enumerate(search.ranked.candidates, start=1)}
    for final, candidate in enumerate(search.best, start=1):
        place, before = fused[candidate.ref]
        places = Places(candidate.rank, place, final)
        yield _explained(candidate, before.score, search.analysis.words, places)


def _explained(
    candidate: Candidate, fused: float, words: tuple[str, ...], places: Places
) -> Explained:
    evidence = candidate.evidence
    matched = zip(words, candidate.matched, strict=True)
    return Explained(
        library=candidate.library,
        ref=candidate.ref,
        title=candidate.title,
        score=_short(candidate.score),
        fused=_short(fused),
        evidence=_short(candidate.weight),
        bm25=_short(candidate.bm25),
        matched=[word for word, is_matched in matched if is_matched],
        title_evidence=Title(
            evidence.match.name.lower(),
            candidate.alias,
            _short(evidence.coverage),
            _short(evidence.precision),
        ),
        passage=_short(candidate.passage),
        heading=_short(candidate.heading),
        places=places,
    )


def _short(number: float) -> float:
    return round(number, _DIGITS)
