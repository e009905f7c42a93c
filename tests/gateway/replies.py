"""Replies of shards for the tests of the ranking, in one line each, and strategies for odd ones."""

from collections.abc import Sequence

from hypothesis import strategies as st

from common.frames import LightHit, Preview, QueryReply
from gateway.fusion import Candidate
from gateway.ranking import Ranked
from gateway.titles import TitleEvidence, TitleMatch


def hit(
    path: str, counts: Sequence[int] = (1,), *, title: str = "", length: int = 100, alias: str = ""
) -> LightHit:
    return LightHit(path, title or path, length, list(counts), alias)


def reply(
    hits: Sequence[LightHit] = (),
    titles: Sequence[LightHit] = (),
    *,
    documents: int = 1000,
    total_length: int = 100_000,
    frequencies: Sequence[int] = (10,),
    counted: bool = True,
) -> QueryReply:
    return QueryReply(
        request_id=1,
        documents=documents,
        total_length=total_length,
        frequencies=list(frequencies),
        counted=counted,
        hits=list(hits),
        titles=list(titles),
    )


def candidate(ref: str, library: str, score: float) -> Candidate:
    return Candidate(
        library=library,
        path=ref,
        title=ref,
        ref=ref,
        score=score,
        rank=1,
        bm25=score,
        evidence=TitleEvidence(TitleMatch.NONE, 0.0, 0.0, 0.0),
        matched=(),
        length=0,
    )


def previews(ranked: Ranked, passage: float = 0.0) -> dict[str, Preview]:
    return {c.ref: Preview(path=c.path, passage=passage) for c in ranked.candidates}


NAMES = st.sampled_from(["Wikipedia", "C++ & co", "Бібліятэка", "coffee"])
TITLES = st.sampled_from(["Ray Charles", "ray_charles", "Jazz", "", "list of birds", "雷·查尔斯"])
PATHS = st.one_of(st.text(max_size=6), st.sampled_from(["A/Ray_Charles", "Ray_Charles", "a?b#c"]))
HITS = st.builds(
    LightHit,
    path=PATHS.filter(lambda path: not any(0xD800 <= ord(char) < 0xE000 for char in path)),
    title=TITLES,
    length=st.integers(-1, 500),
    counts=st.lists(st.integers(-1, 9), max_size=4),
    alias=TITLES,
)
REPLIES = st.dictionaries(
    NAMES,
    st.builds(
        reply,
        hits=st.lists(HITS, max_size=6),
        titles=st.lists(HITS, max_size=3),
        documents=st.integers(-1, 1000),
        total_length=st.integers(-1, 100_000),
        frequencies=st.lists(st.integers(-1, 2000), max_size=4),
        counted=st.booleans(),
    ),
    max_size=4,
)
"""Replies of which some break the counting invariants of `common.frames`."""
