from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from common.frames import Preview, QueryReply, SectionEntry
from common.refs import parse_ref
from gateway.analysis import analyse
from gateway.ranking import CANDIDATES, candidates, results
from gateway.scoring import LibraryStatistics
from tests.gateway.replies import REPLIES, hit, previews, reply

QUERIES = st.sampled_from(
    ["ray charles", "jazz", "what did ray charles record", "雷", "list of birds"]
)


@given(REPLIES, QUERIES)
def test_the_order_never_depends_on_who_answered_first(
    replies: Mapping[str, QueryReply], query: str
) -> None:
    backwards = dict(reversed(replies.items()))

    assert candidates(replies, analyse(query)) == candidates(backwards, analyse(query))


@given(REPLIES, QUERIES)
def test_every_candidate_is_a_hit_and_none_comes_twice(
    replies: Mapping[str, QueryReply], query: str
) -> None:
    found = candidates(replies, analyse(query)).candidates

    assert len(found) <= CANDIDATES
    assert len({c.ref for c in found}) == len(found)
    for c in found:
        assert parse_ref(c.ref) == (c.library, c.path)
        sent = replies[c.library]
        assert c.path in {h.path for h in (*sent.hits, *sent.titles)}


@given(REPLIES, QUERIES, st.integers(0, 20), st.integers(1, 3), st.floats(0, 1))
def test_results_are_candidates_within_the_limit(
    replies: Mapping[str, QueryReply], query: str, limit: int, most: int, passage: float
) -> None:
    ranked = candidates(replies, analyse(query))

    final = results(ranked, previews(ranked, passage), limit=limit, max_consecutive=most)

    assert len(final) == min(limit, len(ranked.candidates))
    assert {c.ref for c in final} <= {c.ref for c in ranked.candidates}


@given(REPLIES, QUERIES)
def test_weights_are_aligned_and_never_all_zero(
    replies: Mapping[str, QueryReply], query: str
) -> None:
    analysis = analyse(query)

    weights = candidates(replies, analysis).weights

    assert len(weights) == len(analysis.words)
    assert max(weights) > 0
    assert min(weights) >= 0


def test_results_leave_out_what_cannot_be_read() -> None:
    ranked = candidates({"a": reply([hit("good"), hit("bad"), hit("silent")])}, analyse("word"))
    shown = {
        "corpus://a/good": Preview(path="good"),
        "corpus://a/bad": Preview(path="bad", failed=True),
    }

    final = results(ranked, shown, limit=5, max_consecutive=2)

    assert [c.path for c in final] == ["good"]


def test_results_put_the_page_first_whose_passage_holds_the_query() -> None:
    ranked = candidates({"a": reply([hit("note"), hit("article")])}, analyse("word"))
    shown = {
        "corpus://a/note": Preview(path="note", passage=0.3),
        "corpus://a/article": Preview(path="article", passage=1.0),
    }

    final = results(ranked, shown, limit=5, max_consecutive=2)

    assert [c.path for c in final] == ["article", "note"]


def test_results_put_the_page_first_that_has_a_section_of_that_name() -> None:
    ranked = candidates({"a": reply([hit("mention"), hit("json")])}, analyse("json.dumps"))
    sections = [SectionEntry(id="json.dumps", title="json.dumps")]
    shown = {
        "corpus://a/mention": Preview(path="mention", passage=1.0),
        "corpus://a/json": Preview(path="json", passage=1.0, sections=sections),
    }

    final = results(ranked, shown, limit=5, max_consecutive=2)

    assert [c.path for c in final] == ["json", "mention"]


def test_no_passage_beats_an_exact_title() -> None:
    replies = {"a": reply([hit("other", [9], title="Other"), hit("jazz", [1], title="Jazz")])}
    ranked = candidates(replies, analyse("jazz"))
    shown = {
        "corpus://a/other": Preview(path="other", passage=1.0),
        "corpus://a/jazz": Preview(path="jazz", passage=0.0),
    }

    assert results(ranked, shown, limit=1, max_consecutive=2)[0].path == "jazz"


def test_a_note_names_the_words_that_nothing_has() -> None:
    replies = {"a": reply([hit("bell", [1, 0])], frequencies=[4, 0])}

    ranked = candidates(replies, analyse("bell loophole"))

    assert ranked.note == "no page has all the words; without: loophole"


def test_no_note_where_the_query_is_a_title() -> None:
    replies = {"a": reply([hit("p", title="Ray Charles", counts=[0])], frequencies=[0])}

    assert candidates(replies, analyse("ray_charles")).note == ""


def test_of_equal_titles_the_one_written_like_the_query_leads() -> None:
    titles = [".NET", "NET", "Net"]
    replies = {"a": reply([hit(f"p{n}", title=title) for n, title in enumerate(titles)])}

    for query in titles:
        ranked = candidates(replies, analyse(query))
        previews = {c.ref: Preview(path=c.path) for c in ranked.candidates}
        (first, *_) = results(ranked, previews, limit=3, max_consecutive=3)
        assert first.title == query


def test_no_note_where_every_word_is_somewhere() -> None:
    replies = {"a": reply([], frequencies=[4, 0]), "b": reply([], frequencies=[0, 1])}

    assert candidates(replies, analyse("bell loophole")).note == ""


def test_the_others_keep_their_order_while_a_library_is_down() -> None:
    words = analyse("stout oysters")
    a = reply([hit("a1", [4, 0])], frequencies=[2, 0])
    b = reply([hit("b1", [0, 4])], frequencies=[0, 3])
    down = reply([hit("c1", [1, 0])], frequencies=[900, 0])
    whole = candidates({"a": a, "b": b, "c": down}, words)
    last_known = LibraryStatistics(1000, 100_000, (900, 0))

    without = candidates({"a": a, "b": b}, words, remembered=[last_known])
    forgotten = candidates({"a": a, "b": b}, words)

    assert [c.ref for c in without.candidates] == [
        c.ref for c in whole.candidates if c.library != "c"
    ]
    assert forgotten.candidates[0].library != without.candidates[0].library


def test_nobody_answering_gives_nothing() -> None:
    ranked = candidates({}, analyse("word"))

    assert ranked.candidates == []
    assert results(ranked, {}, limit=5, max_consecutive=2) == []
