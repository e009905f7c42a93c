import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.analysis import analyse
from gateway.titles import (
    TitleEvidence,
    TitleMatch,
    TitleQuery,
    heading_evidence,
    is_listing,
    same_word,
    title_evidence,
    title_query,
)


def asked(query: str) -> TitleQuery:
    analysis = analyse(query)
    return title_query(analysis, [1.0] * len(analysis.words))


def evidence(query: str, title: str, alias: str = "") -> TitleEvidence:
    return title_evidence(asked(query), title, alias)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        pytest.param("ray charles", "Ray Charles", id="case"),
        pytest.param("beyonce", "Beyoncé", id="accents"),
        pytest.param("Ray_Charles", "Ray Charles", id="underscore"),
        pytest.param("ray film", "Ray (film)", id="brackets"),
        pytest.param("add_library", "add_library()", id="call"),
        pytest.param("the who", "The Who", id="stop words"),
        pytest.param("C++", "C++", id="plus"),
        pytest.param(".net", ".NET", id="dot"),
        pytest.param("node.js", "Node.js", id="dot inside"),
        pytest.param("at&t", "AT&T", id="ampersand"),
        pytest.param("北京", "北京", id="CJK"),
    ],
)
def test_a_title_that_folds_to_the_query_is_the_query(query: str, title: str) -> None:
    assert evidence(query, title).match is TitleMatch.TITLE


@pytest.mark.parametrize(
    ("query", "title"),
    [
        pytest.param("what is a virus", "Virus", id="question"),
        pytest.param("viruses", "Virus", id="inflection"),
        pytest.param("moonlight in vermont", "Moonlight in Vermont (song)", id="qualifier"),
        pytest.param("ice beer", "What is ice beer?", id="thread"),
        pytest.param("Charles Ray", "Ray Charles", id="order"),
    ],
)
def test_a_title_of_the_same_content_matches(query: str, title: str) -> None:
    assert evidence(query, title).match is TitleMatch.CONTENT


@pytest.mark.parametrize(
    ("query", "title"),
    [
        pytest.param("C", "C++", id="C is not C++"),
        pytest.param("C++", "C#", id="C++ is not C#"),
        pytest.param("how do I feed my cat", "Cat", id="tail"),
        pytest.param("cat", "Cat food", id="more than the query"),
        pytest.param("", "", id="empty title"),
    ],
)
def test_another_title_is_no_match(query: str, title: str) -> None:
    assert evidence(query or "x", title).match is TitleMatch.NONE


PHRASES = st.lists(
    st.sampled_from(
        ["Ray", "Charles", "rays", "C++", "don't", "Beyoncé", "雷", "(film)", "of", "_"]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)


@given(PHRASES.filter(lambda phrase: phrase.strip("_ ()") != ""), PHRASES)
def test_no_title_matches_that_could_not_be_the_query(query: str, title: str) -> None:
    assert asked(query).could_be(title) or not evidence(query, title).match


def test_the_title_of_a_redirect_matches_below_a_title() -> None:
    assert evidence("boulder dam", "Hoover Dam", "Boulder Dam").match is TitleMatch.ALIAS


def test_coverage_is_the_weight_of_the_words_a_title_has() -> None:
    query = title_query(analyse("feed cat"), [3.0, 1.0])

    assert title_evidence(query, "Cat").coverage == pytest.approx(0.25)


def test_a_word_that_nothing_has_still_counts_as_asked_for() -> None:
    query = title_query(analyse("thorughbred horse"), [0.0, 2.0])

    assert title_evidence(query, "Horse").coverage == pytest.approx(0.5)


def test_precision_is_the_share_of_a_title_that_was_asked_for() -> None:
    assert evidence("ice beer", "The beer garden").precision == pytest.approx(0.5)


def test_coverage_of_cjk_goes_by_pairs() -> None:
    assert evidence("北京天气", "北京").coverage == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("cat", "cats", True),
        ("computer", "computing", True),
        ("virus", "viruses", True),
        ("art", "heart", False),
        ("general", "generous", False),
        ("car", "carpet", False),
        ("c", "c++", False),
        ("ab", "abs", False),
        ("feed", "feeding", True),
    ],
)
def test_same_word_knows_inflections(one: str, other: str, same: bool) -> None:
    assert same_word(one, other) is same
    assert same_word(other, one) is same


@pytest.mark.parametrize(
    ("title", "query", "listing"),
    [
        ("Mercury (disambiguation)", "mercury", True),
        ("List of birds", "birds", True),
        ("List of birds", "list of birds", False),
        ("list", "python", False),
        ("Listing files", "files", False),
        ("Index of refraction", "index of refraction", False),
    ],
)
def test_a_page_that_only_lists_is_known_unless_asked_for(
    title: str, query: str, listing: bool
) -> None:
    assert is_listing(title, asked(query)) is listing


@pytest.mark.parametrize(
    ("query", "title", "heading", "evidence"),
    [
        pytest.param("json.dumps", "json", "json.dumps", 1.0, id="symbol"),
        pytest.param("add_library", "Commands", "command:add_library", 1.0, id="label"),
        pytest.param("list comprehension", "Data", "5.1.3. List Comprehensions", 1.0, id="number"),
        pytest.param("ray charles awards", "Ray Charles", "Awards", 1.0, id="with the title"),
        pytest.param("how do I feed a cat", "Animals", "Cat", 0.0, id="one word of several"),
        pytest.param("feed cat", "Animals", "Feeding a cat in winter", 2 / 3, id="and more"),
        pytest.param("feed cat", "Feeding cats", "Notes", 0.0, id="title alone"),
    ],
)
def test_a_heading_is_weighed_with_the_title_of_its_page(
    query: str, title: str, heading: str, evidence: float
) -> None:
    found = heading_evidence(asked(query), title, ["Unrelated", heading])

    assert found == pytest.approx(evidence)


def test_no_heading_is_no_evidence() -> None:
    assert heading_evidence(asked("feed cat"), "Cat", []) == 0
