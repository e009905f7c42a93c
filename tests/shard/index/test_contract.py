"""What every index must answer, whatever is behind it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.text import words as split
from shard.archive import Archive, EntryHead
from shard.index import HAS_XAPIAN, Index, TitlesIndex, open_index, open_titles
from shard.index.titles import ListedTitles
from tests.shard.index.conftest import ALIASES, ODD_TITLES
from tests.support.zims import Entry, build_zim

LIMIT = 10


def is_page(head: EntryHead) -> bool:
    return head.mimetype.startswith("text/html")


def _xapian(archive: Archive) -> Index:
    if not HAS_XAPIAN:
        pytest.skip("the Xapian bindings are not installed")
    return open_index(archive)


def _libzim(archive: Archive) -> Index:
    return open_index(archive, bindings=False)


def _titles(archive: Archive) -> Index:
    return TitlesIndex(archive, open_titles(archive), "asked for")


def _listed(archive: Archive) -> Index:
    return TitlesIndex(archive, ListedTitles(archive), "asked for")


@pytest.fixture(params=[_xapian, _libzim], ids=["xapian", "libzim"])
def index(request, pages_archive) -> Index:
    return request.param(pages_archive)


@pytest.fixture(
    params=[_xapian, _libzim, _titles, _listed], ids=["xapian", "libzim", "titles", "listed"]
)
def any_index(request, pages_archive) -> Index:
    return request.param(pages_archive)


def _paths(index: Index, *words: str, limit: int = LIMIT) -> list[str]:
    return [hit.path for hit in index.query(words, limit, is_page).hits]


def test_query_finds_pages_that_have_any_of_the_words(index) -> None:
    assert set(_paths(index, "heron", "sett")) == {"Heron", "Badger", "Badger_sett"}


def test_query_ranks_the_page_with_all_words_first(index) -> None:
    assert _paths(index, "river", "otter", "badger")[0] == "Otter"


def test_query_finds_other_forms_of_a_word(index) -> None:
    assert _paths(index, "swim") == ["Otter"]


@pytest.mark.parametrize("word", ["café", "cafe", "CAFÉ".casefold()])
def test_query_ignores_accents(index, word) -> None:
    assert _paths(index, word) == ["Café"]


def test_query_counts_the_documents_of_each_word(index) -> None:
    answer = index.query(["badger", "sett", "heron", "zebra"], LIMIT, is_page)

    assert answer.frequencies == (4, 2, 1, 0)


def test_query_aligns_counts_with_the_words(index) -> None:
    answer = index.query(["zebra", "heron", "river"], LIMIT, is_page)

    counts = {hit.path: [count > 0 for count in hit.counts] for hit in answer.hits}
    assert counts == {"Heron": [False, True, True], "Otter": [False, False, True]}


def test_query_that_finds_nothing_is_empty(any_index) -> None:
    answer = any_index.query(["zebra"], LIMIT, is_page)

    assert answer.hits == ()
    assert answer.frequencies == (0,)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_query_returns_no_more_than_asked_for(any_index, limit) -> None:
    assert len(_paths(any_index, "badger", "river", limit=limit)) == limit


def test_query_replaces_refused_pages_by_the_next_ones(index) -> None:
    best = _paths(index, "badger", limit=2)

    def refuse_best(head: EntryHead) -> bool:
        return head.path not in best

    rest = [hit.path for hit in index.query(["badger"], 2, refuse_best).hits]
    assert len(rest) == 2
    assert not set(rest) & set(best)


def test_query_answers_the_same_twice(any_index) -> None:
    words = ["badger", "river", "a", "plain"]

    assert any_index.query(words, 5, is_page) == any_index.query(words, 5, is_page)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["a" * 64], id="long word"),
        pytest.param([f"word{n}" for n in range(32)], id="many words"),
        pytest.param(['"', "*", "-river", "+", "not", "or", "near"], id="query syntax"),
        pytest.param(["xor:river", "title:heron", "a*b"], id="prefixes"),
        pytest.param(["\u0301", "\u200d", "🦊", "٣"], id="no letters"),
        pytest.param([], id="none"),
    ],
)
def test_query_takes_any_word(any_index, words) -> None:
    answer = any_index.query(words, LIMIT, is_page)

    assert len(answer.frequencies) == len(words)
    assert all(len(hit.counts) == len(words) for hit in answer.hits)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=40))
def test_any_text_keeps_the_counting_invariants(any_index, text) -> None:
    words = list(dict.fromkeys(split(text)))[:32]

    answer = any_index.query(words, 5, is_page)
    titles = any_index.titles(text, 5, is_page)

    assert len(answer.frequencies) == len(words)
    assert len({hit.path for hit in answer.hits}) == len(answer.hits) <= 5
    assert len({hit.path for hit in titles}) == len(titles) <= 5
    assert all(len(hit.counts) == len(words) for hit in answer.hits)


@pytest.mark.parametrize("title", ODD_TITLES)
def test_titles_find_an_exact_title_first(any_index, title) -> None:
    assert any_index.titles(title, LIMIT, is_page)[0].title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("ray charles", "Ray Charles"),
        ("the who", "The Who"),
        ("at&t", "AT&T"),
        ("c#", "C#"),
        ("c++", "C++"),
        ("ac/dc", "AC/DC"),
        ("badger_sett", "Badger sett"),
        ("cafe", "Café"),
    ],
)
def test_titles_fold_case_accents_and_punctuation(any_index, text, title) -> None:
    assert any_index.titles(text, LIMIT, is_page)[0].title == title


def test_titles_tell_the_redirect_that_matched(any_index) -> None:
    hit = any_index.titles("brock", LIMIT, is_page)[0]

    assert (hit.path, hit.title, hit.alias) == ("Badger", "Badger", "Brock")


def test_titles_follow_chains_of_redirects(any_index) -> None:
    hit = any_index.titles("lutra", LIMIT, is_page)[0]

    assert (hit.path, hit.alias) == ("Otter", "Lutra")


def test_titles_name_a_page_once_however_many_redirects_lead_there(any_index) -> None:
    found = any_index.titles("river number", ALIASES, is_page)

    assert [hit.path for hit in found] == ["Heron"]


def test_titles_find_beginnings_after_exact_matches(any_index) -> None:
    assert [hit.path for hit in any_index.titles("badger", LIMIT, is_page)][:2] == [
        "Badger",
        "Badger_sett",
    ]


def test_titles_find_a_last_word_that_is_not_complete(any_index) -> None:
    assert any_index.titles("ray cha", LIMIT, is_page)[0].title == "Ray Charles"


def test_titles_leave_refused_pages_out(any_index) -> None:
    assert any_index.titles("badger", LIMIT, lambda _: False) == []


def test_titles_of_nothing_are_none(any_index) -> None:
    assert any_index.titles("", LIMIT, is_page) == []
    assert any_index.titles("badger " * 100, LIMIT, is_page) == []


def test_index_tells_why_it_is_not_xapian(any_index) -> None:
    assert bool(any_index.reason) == (any_index.kind != "xapian")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        pytest.param("bagder", "badger", id="swapped"),
        pytest.param("badgger", "badger", id="added"),
        pytest.param("bdger", "badger", id="left out"),
        pytest.param("nadger", "badger", id="first letter"),
    ],
)
def test_spellings_are_words_of_titles(any_index, typed, meant) -> None:
    assert meant in [one.word for one in any_index.spellings(typed, (), LIMIT)]


def test_spellings_of_a_text_are_words_not_stems(pages_archive) -> None:
    index = _xapian(pages_archive)

    assert [one.word for one in index.spellings("swiming", (), LIMIT)] == ["swimming"]
    assert [one.word for one in index.spellings("besied", (), LIMIT)] == ["beside"]


def test_spellings_tell_what_they_go_together_with(any_index) -> None:
    found = {one.word: one for one in any_index.spellings("stet", ("badger",), LIMIT)}

    assert found["sett"].errors == 1
    assert found["sett"].documents >= found["sett"].together >= 1
    assert found["sett"].titles == 1


def test_spellings_keep_accents_of_other_letters(tmp_path) -> None:
    page = "<html><body><p>Стандартнай бібліятэкай.</p></body></html>"
    path = build_zim(tmp_path / "be.zim", [Entry("a", "a", page)], language="bel")
    index = _xapian(Archive(path))

    assert [one.word for one in index.spellings("стандртнай", (), LIMIT)] == ["стандартнай"]


def test_spellings_take_words_apart(any_index) -> None:
    assert "badger sett" in [one.word for one in any_index.spellings("badgersett", (), LIMIT)]


def test_spellings_of_nothing_close_are_none(any_index) -> None:
    assert any_index.spellings("qqqqqqqq", ("badger",), LIMIT) == []


@given(word=st.text(max_size=40))
@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_spellings_of_any_text_are_no_more_than_asked_for(any_index, word) -> None:
    assert len(any_index.spellings(word, ("badger", "", word), 2)) <= 2
