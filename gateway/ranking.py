"""The ranking of one search, as two pure steps around the fetch phase.

`candidates` turns what every library found into the best candidates, `results` places them with
what their text shows. Neither depends on which library answered first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from common.frames import Preview, QueryReply
from common.text import normalise
from gateway.analysis import Analysis
from gateway.correction import suspects, told
from gateway.diversity import diversify
from gateway.fusion import Candidate, collapse, fuse, order, unlifted
from gateway.scoring import LibraryStatistics, combine, library_statistics
from gateway.stopwords import STOP_WORDS
from gateway.titles import TitleMatch, TitleQuery, heading_evidence, title_query

CANDIDATES = 15
"""Hits whose text is read in the fetch phase: with 20 or 25 no figure changes."""

CONSIDERED = 4 * CANDIDATES
"""Hits among which duplicates are looked for: enough to fill the candidates from four editions."""

CANDIDATES_IN_A_ROW = 4
"""Candidates from one library before another one's competitive hit is let in, so that the final
list has something to choose from."""

PASSAGE_WEIGHT = 0.5
"""What a passage with the whole query adds, as a share of the top score. On the public questions
0.5 to 1 do equally well and none costs 0.01 of success@1; on 700 queries made from random passages
it lifts the mean reciprocal rank from 0.81 to 0.86. Above it the judged collections lose."""

HEADING_WEIGHT = 0.5
"""What a section adds whose heading is the query, likewise: success@1 0.88 to 0.91 on the public
questions; beyond 0.75 headings begin to beat titles."""

SPELLING_LIFT = 4.0
"""Added to a title that is the query for the same punctuation, and again for the same capitals:
more than ranks, titles and passages add up to, and less than `fusion.MATCH_LIFT` in all."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the first scatter came to.

    Attributes:
        candidates: Best first, at most `CANDIDATES`.
        weights: How much each word of the query tells, aligned with its words: for the previews.
        query: What the headings of the candidates are compared with.
        text: The query, for titles that are equal but for how they are written.
        note: What the agent should know of words that nothing has; empty if there is nothing.
        suspects: Words of the query that may be misspelt, with the documents that have each; none
            if the query is a title all the same, or has been corrected.
    """

    candidates: list[Candidate]
    weights: list[float]
    query: TitleQuery = field(compare=False)
    text: str = ""
    note: str = ""
    suspects: Mapping[str, int] = field(default_factory=dict)


def candidates(
    replies: Mapping[str, QueryReply],
    analysis: Analysis,
    *,
    remembered: Iterable[LibraryStatistics] = (),
    families: Mapping[str, str] | None = None,
) -> Ranked:
    """Rank what the libraries found.

    Args:
        replies: By library name.
        analysis: The query.
        remembered: `scoring.StatisticsMemory.recall` of each library that did not answer.
        families: By library name, what two libraries must share to be editions of one another
            (`fusion.collapse`).
    """
    count = len(analysis.words)
    answered = [library_statistics(reply, count) for reply in replies.values()]
    statistics = combine([*answered, *remembered], count)
    query = title_query(analysis, statistics.idf)
    fused = fuse(replies, statistics, query, most=CONSIDERED)
    distinct = collapse(fused, families)
    chosen = diversify(distinct, max_consecutive=CANDIDATES_IN_A_ROW)[:CANDIDATES]
    is_known = _is_known(chosen)
    return Ranked(
        candidates=order(chosen),
        weights=_weights(statistics.idf),
        query=query,
        text=analysis.text,
        note=_note(analysis, () if is_known else statistics.missing),
        suspects={} if is_known else suspects(analysis, statistics, replies.values()),
    )


def results(
    ranked: Ranked, previews: Mapping[str, Preview], *, limit: int, max_consecutive: int
) -> list[Candidate]:
    """Place the candidates with what their text shows, best first, at most ``limit``.

    Args:
        ranked: What `candidates` returned.
        previews: By ref; a candidate whose preview failed or is not there is left out.
        limit: Most results.
        max_consecutive: Most in a row from one library while others compete.
    """
    readable = [c for c in ranked.candidates if c.ref in previews and not previews[c.ref].failed]
    top = max(unlifted(readable), default=0.0)
    placed = order(_placed(c, previews[c.ref], ranked, top) for c in readable)
    return diversify(placed, max_consecutive=max_consecutive)[: max(0, limit)]


def _is_known(found: Iterable[Candidate]) -> bool:
    return any(candidate.evidence.match >= TitleMatch.ALIAS for candidate in found)


def _placed(candidate: Candidate, preview: Preview, ranked: Ranked, top: float) -> Candidate:
    held = min(1.0, max(0.0, preview.passage))
    headings = (section.title for section in preview.sections)
    heading = heading_evidence(ranked.query, candidate.title, headings)
    evidence = PASSAGE_WEIGHT * held + HEADING_WEIGHT * heading
    score = candidate.score + top * evidence + _spelling(candidate, ranked.text)
    return replace(candidate, score=score, passage=held, heading=heading)


def _spelling(candidate: Candidate, text: str) -> float:
    """Return what a title that is the query gets for being written like it.

    ".NET", "NET" and "Net" are equal titles. Capitals tell only in a query that has some.
    """
    if candidate.evidence.match < TitleMatch.TITLE:
        return 0.0
    title, text = (normalise(one).replace("’", "'") for one in (candidate.title, text))
    same = title == text and text != text.lower()
    return SPELLING_LIFT * ((title.casefold() == text.casefold()) + same)


def _weights(idf: Iterable[float]) -> list[float]:
    """Return the idf of each word; all alike if no word is known, as where only titles count."""
    weights = list(idf)
    return weights if any(weights) else [1.0] * len(weights)


def _note(analysis: Analysis, missing: Iterable[bool]) -> str:
    notes = [told(analysis)] if analysis.corrections else []
    absent = [word for word, is_missing in zip(analysis.words, missing, strict=False) if is_missing]
    telling = [w for w in absent if not any(w in listed for listed in STOP_WORDS.values())]
    if telling:
        notes.append(f"no page has all the words; without: {', '.join(telling)}")
    return "; ".join(notes)
