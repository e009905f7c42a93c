"""One ranking out of many: weighted reciprocal rank fusion, titles, duplicates.

An archive knows best in which order its own documents answer, and the gateway knows best which
archive answers: each keeps its order, and its weight is what its best hit scores under the
statistics of all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import NamedTuple

import msgspec

from common.frames import LightHit, QueryReply
from common.refs import format_ref
from common.text import fold
from gateway.scoring import GlobalStatistics, aligned, bm25
from gateway.titles import TitleEvidence, TitleQuery, is_listing, title_evidence

RRF_K = 60
"""Rank offset of reciprocal rank fusion, from Cormack, Clarke and Büttcher (2009); 20 and 100 are
within 0.004 of it."""

EVIDENCE_EXPONENT = 2
"""Power to which a library's best score weighs its ranks. Over eleven archives the judged
collections reach 0.14 without weight, 0.471 with 1 and 0.474 with 2; 3 is no better."""

TITLE_WEIGHT = 1.0
"""What a title that covers the whole query adds to a hit, as a share of its fused score. Without,
the judged collections fall from 0.474 to 0.453 and titles with a word left out from a mean
reciprocal rank of 0.96 to 0.80; 0.5 to 1.5 are alike."""

LISTING_FACTOR = 0.5
"""What is left of the score of a page that only lists others."""

MATCH_LIFT = 10.0
"""Added per level of `TitleMatch`: more than ranks, titles and passages add up to."""

FULLER_SHARE = 0.5
"""Of two editions of one page the longer stays if it has this share of the other's score."""

_NAMELESS = frozenset(
    {
        "index",
        "home",
        "main page",
        "about",
        "introduction",
        "overview",
        "contents",
        "glossary",
        "faq",
        "getting started",
        "installation",
        "changelog",
        "release notes",
        "license",
        "search",
        "help",
        "readme",
        "tutorial",
        "reference",
    }
)
"""Titles that pages of any two sites share."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit on its way to the result list, with what brought it there.

    Attributes:
        library: Name of the library.
        path: Entry path, as the shard gave it.
        title: Title of the page.
        ref: Its reference; `common.refs.parse_ref` gives library and path back.
        score: What it is ranked by, higher is better.
        rank: Place in its shard's own list, from 1; title hits come after the others.
        bm25: Score under the statistics of all libraries.
        evidence: What its title, or its alias, says.
        matched: Words of the query that it has, aligned with the query's words.
        length: Words in the document, 0 if unknown.
        alias: Title of the redirect under which it was found, else empty.
        weight: What its library's evidence weighs, 0 to 1.
        passage: Share of the query's weight that one passage holds; 0 before the fetch phase.
        heading: How well (0 to 1) a section's heading says what the query says; likewise.
    """

    library: str
    path: str
    title: str
    ref: str
    score: float
    rank: int
    bm25: float
    evidence: TitleEvidence
    matched: tuple[bool, ...]
    length: int
    alias: str = ""
    weight: float = 1.0
    passage: float = 0.0
    heading: float = 0.0


class _Listed(NamedTuple):
    """A hit in the list of its shard; ``score`` is what its place there gives it."""

    library: str
    rank: int
    hit: LightHit
    bm25: float
    weight: float
    score: float


class _Scored(NamedTuple):
    listed: _Listed
    title: TitleEvidence
    score: float


def order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates best first; ties by ref, so never by who answered first."""
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.ref))


def fuse(
    replies: Mapping[str, QueryReply],
    statistics: GlobalStatistics,
    query: TitleQuery,
    *,
    most: int | None = None,
) -> list[Candidate]:
    """Return one ranking of what the libraries found; no page stands in it twice.

    A hit at rank r of its shard's list gets w / (RRF_K + r), where w is the square of the shard's
    best score under the statistics of all, relative to the best shard's. Its title adds to that.
    With ``most`` only that many are returned, the best.
    """
    listed = sorted(_listed(replies, statistics, query), key=lambda one: -one.score)
    scored = [_scored(one, query) for one in listed[:most]]
    if most is not None and len(listed) > most:
        least = min((one.score for one in scored), default=0.0)
        rest = (one for one in listed[most:] if _competes(one, least, query))
        scored += [_scored(one, query) for one in rest]
        # Ties at the end are broken by ref, which only a candidate has.
        least = nlargest(most, (one.score for one in scored))[-1]
        scored = [one for one in scored if one.score >= least]
    return order(_candidate(one, query) for one in scored)[:most]


def collapse(
    candidates: Sequence[Candidate], families: Mapping[str, str] | None = None
) -> list[Candidate]:
    """Drop all but one of the editions of the same page; order is kept.

    Pages of two libraries are editions of one if title and path are the same, apart from what
    schemes of paths add, and if the libraries are of the same family (language and kind, as the
    caller tells; unknown ones are all alike). The longer one stays, at the better one's place,
    unless it answers much worse.
    """
    kept: dict[tuple[str, str, str], Candidate] = {}
    for candidate in candidates:
        key = _page(candidate, families or {})
        first = kept.setdefault(key, candidate)
        competes = candidate.score >= FULLER_SHARE * first.score
        if competes and candidate.length > first.length > 0:
            kept[key] = replace(candidate, score=first.score)
    return order(kept.values())


def _merged(reply: QueryReply) -> list[LightHit]:
    """Return a shard's hits in its own order, then what only its titles gave; no path twice."""
    merged: dict[str, LightHit] = {}
    for hit in (*reply.hits, *reply.titles):
        known = merged.setdefault(hit.path, hit)
        if hit.alias and not known.alias:
            merged[hit.path] = msgspec.structs.replace(known, alias=hit.alias)
    return list(merged.values())


def _listed(
    replies: Mapping[str, QueryReply], statistics: GlobalStatistics, query: TitleQuery
) -> Iterator[_Listed]:
    lists = {
        library: [(hit, _bm25(hit, statistics, query)) for hit in _merged(reply)]
        for library, reply in replies.items()
    }
    best = {library: max((s for _, s in hits), default=0.0) for library, hits in lists.items()}
    top = max(best.values(), default=0.0)
    for library, hits in lists.items():
        weight = (best[library] / top if top else 1.0) ** EVIDENCE_EXPONENT
        for rank, (hit, known) in enumerate(hits, start=1):
            score = weight * (RRF_K + 1) / (RRF_K + rank)
            yield _Listed(library, rank, hit, known, weight, score)


def _bm25(hit: LightHit, statistics: GlobalStatistics, query: TitleQuery) -> float:
    if any(hit.counts):
        return bm25(hit, statistics)
    # A page that only its title gave comes without counts: its title is all that is known of it.
    return title_evidence(query, hit.title, hit.alias).coverage * sum(statistics.idf)


def _competes(listed: _Listed, least: float, query: TitleQuery) -> bool:
    """Tell whether any title could lift a hit to the score ``least``.

    Comparing titles is most of the work, and with many libraries most hits have no chance.
    """
    if listed.score * (1 + TITLE_WEIGHT) >= least:
        return True
    hit = listed.hit
    return query.could_be(hit.title) or (hit.alias != "" and query.could_be(hit.alias))


def _scored(listed: _Listed, query: TitleQuery) -> _Scored:
    title = title_evidence(query, listed.hit.title, listed.hit.alias)
    # A title that is not telling gives nothing, or tails of questions would hijack them.
    bonus = TITLE_WEIGHT * title.coverage * title.precision if title.telling else 0.0
    score = listed.score * (1 + bonus)
    if is_listing(listed.hit.title, query):
        score *= LISTING_FACTOR
    return _Scored(listed, title, score + MATCH_LIFT * title.match)


def _candidate(scored: _Scored, query: TitleQuery) -> Candidate:
    listed = scored.listed
    hit = listed.hit
    return Candidate(
        library=listed.library,
        path=hit.path,
        title=hit.title,
        ref=format_ref(listed.library, hit.path),
        score=scored.score,
        rank=listed.rank,
        bm25=listed.bm25,
        evidence=scored.title,
        matched=tuple(count > 0 for count in aligned(hit.counts, len(query.words))),
        length=max(0, hit.length),
        alias=hit.alias,
        weight=listed.weight,
    )


def _page(candidate: Candidate, families: Mapping[str, str]) -> tuple[str, str, str]:
    title = fold(candidate.title)
    if title in _NAMELESS or not any(char.isalpha() for char in title):
        return ("", "", candidate.ref)
    path = fold(candidate.path.removeprefix("A/").removesuffix(".html"))
    return (families.get(candidate.library, ""), title, path)


def unlifted(candidates: Iterable[Candidate]) -> Iterator[float]:
    """Yield the scores without what `TitleMatch` added: the part that evidence is a share of."""
    return (candidate.score - MATCH_LIFT * candidate.evidence.match for candidate in candidates)
