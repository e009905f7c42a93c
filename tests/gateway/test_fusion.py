from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.frames import QueryReply
from gateway.analysis import analyse
from gateway.fusion import Candidate, collapse, fuse
from gateway.scoring import combine, library_statistics
from gateway.titles import title_query
from tests.gateway.replies import REPLIES, hit, reply


def fused(
    query: str, replies: Mapping[str, QueryReply], most: int | None = None
) -> list[Candidate]:
    analysis = analyse(query)
    count = len(analysis.words)
    statistics = combine([library_statistics(r, count) for r in replies.values()], count)
    return fuse(replies, statistics, title_query(analysis, statistics.idf), most=most)


def refs(candidates: list[Candidate]) -> list[str]:
    return [c.ref for c in candidates]


def test_fuse_keeps_each_shard_in_its_own_order() -> None:
    replies = {"a": reply([hit("weak", [1]), hit("strong", [9])])}

    assert refs(fused("beer", replies)) == ["corpus://a/weak", "corpus://a/strong"]


def test_fuse_puts_the_library_with_more_evidence_first() -> None:
    replies = {
        "a": reply([hit("a1", [1, 0]), hit("a2", [1, 0])], frequencies=[50, 0]),
        "b": reply([hit("b1", [3, 4]), hit("b2", [2, 4])], frequencies=[5, 5]),
    }

    order = refs(fused("stout oysters", replies))

    assert order == ["corpus://b/b1", "corpus://b/b2", "corpus://a/a1", "corpus://a/a2"]


def test_fuse_breaks_ties_by_ref() -> None:
    replies = {name: reply([hit("same")]) for name in ("wiki", "stack")}

    assert refs(fused("word", replies)) == ["corpus://stack/same", "corpus://wiki/same"]


@given(
    REPLIES,
    st.sampled_from(["ray charles", "jazz", "what did ray charles record", "雷", "list of birds"]),
    st.integers(1, 8),
)
def test_fuse_returns_the_first_of_all_when_told_how_many(
    replies: Mapping[str, QueryReply], query: str, most: int
) -> None:
    assert fused(query, replies, most) == fused(query, replies)[:most]


def test_fuse_finds_an_exact_title_in_a_library_without_weight() -> None:
    strong = [hit(f"s{n}", [3, 3], title=f"Stout {n}") for n in range(20)]
    replies = {
        "strong": reply(strong, frequencies=[20, 20]),
        "weak": reply([hit("w", [1, 0], title="Oysters, stout")], frequencies=[900, 0]),
    }

    assert refs(fused("stout oysters", replies, 5))[0] == "corpus://weak/w"


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(hit("page", [0], title="Oyster stout"), id="title"),
        pytest.param(hit("page", [0], title="Stout", alias="Oyster Stout"), id="redirect"),
    ],
)
def test_fuse_places_an_exact_match_above_all_words(found: object) -> None:
    replies = {
        "a": reply([hit("long", [9, 9], title="Everything on oysters")], frequencies=[3, 3]),
        "b": reply([], [found], frequencies=[0, 0]),  # type: ignore[list-item]
    }

    assert fused("oyster stout", replies)[0].ref == "corpus://b/page"


def test_fuse_never_lets_one_word_of_a_title_beat_a_hit_that_covers_more() -> None:
    replies = {
        "a": reply([hit("right", [2, 2, 2], title="Feeding animals")], frequencies=[9, 9, 9]),
        "b": reply([hit("tail", [0, 0, 5], title="Cat")], frequencies=[0, 0, 9]),
    }

    assert fused("how do I feed a hungry cat", replies)[0].ref == "corpus://a/right"


def test_fuse_merges_what_words_and_titles_found() -> None:
    page = hit("dam", [3], title="Hoover Dam")
    replies = {"a": reply([page], [hit("dam", [3], title="Hoover Dam", alias="Boulder")])}

    (candidate,) = fused("boulder", replies)

    assert candidate.alias == "Boulder"


def test_fuse_demotes_pages_that_only_list_others() -> None:
    replies = {
        "a": reply([hit("list", [5], title="List of birds"), hit("owl", [3], title="Owl birds")])
    }

    assert fused("birds", replies)[0].ref == "corpus://a/owl"


def test_fuse_ranks_titles_where_nothing_else_is_known() -> None:
    found = [
        hit("other", [0], title="Oyster sauce"),
        hit("stout", [0], title="Oyster stout (beer)"),
    ]
    replies = {"a": reply([], found, frequencies=[0, 0], counted=False, total_length=0)}

    assert fused("oyster stout", replies)[0].ref == "corpus://a/stout"


def test_collapse_keeps_the_fuller_edition_at_the_better_place() -> None:
    replies = {
        "mini": reply([hit("A/Ray_Charles", [5], title="Ray Charles", length=90)]),
        "maxi": reply([hit("Ray_Charles", [9], title="Ray Charles", length=900)]),
    }

    (kept,) = collapse(fused("ray charles", replies))

    assert kept.library == "maxi"


def test_collapse_leaves_pages_of_other_families_alone() -> None:
    replies = {name: reply([hit("Paris", [5], title="Paris")]) for name in ("english", "french")}
    families = {"english": "article/en", "french": "article/fr"}

    assert len(collapse(fused("paris", replies), families)) == 2


@pytest.mark.parametrize("title", ["Index", "42", "Introduction"])
def test_collapse_leaves_titles_alone_that_any_site_has(title: str) -> None:
    replies = {name: reply([hit("page", [5], title=title)]) for name in ("a", "b")}

    assert len(collapse(fused("word", replies))) == 2
