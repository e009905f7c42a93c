"""Which words are suspicious, what they were, and what becomes of the query."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.frames import Suggestion
from gateway.analysis import analyse
from gateway.correction import choose, choose_all, corrected
from gateway.ranking import candidates
from tests.gateway.replies import hit, reply

SUGGESTIONS = st.lists(
    st.builds(
        Suggestion,
        word=st.sampled_from(["stout", "stoat", "shout", "with", "x"]),
        errors=st.integers(0, 3),
        documents=st.integers(-1, 10_000),
        together=st.integers(-1, 10_000),
        titles=st.integers(-1, 20),
    ),
    max_size=5,
)


def suspects(query: str, *frequencies: int) -> tuple[str, ...]:
    found = [reply([], frequencies=frequencies), reply([], frequencies=[0] * len(frequencies))]
    replies = {str(number): one for number, one in enumerate(found)}
    return tuple(candidates(replies, analyse(query)).suspects)


def test_words_that_no_library_has_are_suspicious() -> None:
    assert suspects("oister stout", 0, 40) == ("oister",)


@pytest.mark.parametrize(
    "word", ["abc", "cmp0077", "3.14159", "北京市天气", "ประเทศไทย", "where", "pourquoi"]
)
def test_what_is_no_typing_error_is_not_suspicious(word: str) -> None:
    assert suspects(f"{word} oyster", *[0] * len(analyse(f"{word} oyster").words)) == ("oyster",)


def rare(counts: list[int]) -> dict[str, int]:
    """Return the suspects of a query whose first word one document has, with what else it has."""
    found = reply([hit("x", counts)], documents=10_000, frequencies=[1, 90, 90])
    return dict(candidates({"a": found}, analyse("oister stout brewery")).suspects)


def test_a_rare_word_without_the_rest_of_the_query_is_suspicious() -> None:
    assert rare([1, 0, 0]) == {"oister": 1}


@pytest.mark.parametrize("counts", [[1, 1, 0], [1, 1, 1]])
def test_a_rare_word_in_fit_company_is_not_suspicious(counts: list[int]) -> None:
    assert rare(counts) == {}


@pytest.mark.parametrize(
    ("suggestion", "chosen"),
    [
        pytest.param(Suggestion("oyster", 1, 90, 4), "oyster", id="far more frequent"),
        pytest.param(Suggestion("oyster", 1, 30, 4), "", id="not frequent enough"),
        pytest.param(Suggestion("oyster", 1, 90, 0), "", id="not together"),
        pytest.param(Suggestion("ouster", 2, 90, 4), "", id="two errors"),
    ],
)
def test_a_rare_word_is_only_corrected_for_good_reasons(
    suggestion: Suggestion, chosen: str
) -> None:
    assert choose("oister", 2, [[suggestion]]) == chosen


def test_a_query_that_is_a_title_is_not_suspicious() -> None:
    found = {"a": reply(titles=[hit("Oister", [0])], frequencies=[0])}

    assert candidates(found, analyse("oister")).suspects == {}


def test_a_corrected_query_is_not_suspicious_again() -> None:
    spelt = corrected(analyse("oister stuot"), {"oister": "oyster"})

    assert candidates({"a": reply(frequencies=[0, 0])}, spelt).suspects == {}


def test_fewer_errors_weigh_more_than_more_documents() -> None:
    near, far = Suggestion("stout", 1, 3), Suggestion("statue", 2, 500)

    assert choose("stuot", 0, [[far, near]], alone=False) == "stout"


def test_documents_are_added_up_over_libraries() -> None:
    many = [[Suggestion("parlour", 1, 60)], [Suggestion("parlous", 1, 40)]]

    assert choose("parloux", 0, [*many, [Suggestion("parlous", 1, 40)]], alone=True) == "parlous"


def test_the_word_that_goes_together_with_the_others_wins() -> None:
    alone, together = Suggestion("heat", 1, 60, 0, 0), Suggestion("heart", 1, 20, 9, 3)

    assert choose("heatr", 0, [[alone, together]], alone=False) == "heart"


def test_the_first_letter_is_trusted() -> None:
    other, same = Suggestion("aear", 1, 5, 5, 1), Suggestion("beer", 1, 5, 5, 1)

    assert choose("bear", 0, [[other, same]], alone=True) == "beer"


@pytest.mark.parametrize(
    ("typed", "meant", "errors"),
    [
        pytest.param("kale", "sale", 1, id="first letter of a short word"),
        pytest.param("tamp", "temp", 1, id="letter of a short word"),
        pytest.param("aikido", "amido", 2, id="two errors in a word of six"),
    ],
)
def test_an_unlikely_error_needs_a_title_or_company(typed: str, meant: str, errors: int) -> None:
    bare = Suggestion(meant, errors, 40, 0, 0)
    titled = Suggestion(meant, errors, 40, 1, 1)

    assert choose(typed, 0, [[bare]], alone=False) == ""
    assert choose(typed, 0, [[titled]], alone=False) == meant


def test_no_word_is_taken_for_a_stop_word() -> None:
    assert (
        choose("whie", 0, [[Suggestion("with", 1, 9000), Suggestion("white", 1, 5)]], alone=True)
        == "white"
    )


def test_without_suggestions_there_is_no_correction() -> None:
    assert choose("stuot", 0, [[], []], alone=True) == ""
    assert choose_all(analyse("stuot oister"), {"stuot": 0, "oister": 0}, [[], [[]]]) == {
        "stuot": "",
        "oister": "",
    }


def test_a_word_that_a_late_library_has_is_left_alone() -> None:
    late, other = Suggestion("stuot", 0, 1, 1), Suggestion("stout", 1, 90, 9, 3)

    assert choose("stuot", 0, [[other], [late]]) == ""
    assert choose("stuot", 1, [[other], [late]]) == "stout"


def test_two_words_replace_one_that_lacks_a_space() -> None:
    spelt = corrected(analyse("a heritagesite nearby"), {"heritagesite": "heritage site"})

    assert spelt.words == ("heritage", "site", "nearby")
    assert spelt.text == "a heritage site nearby"


@given(lists=st.lists(SUGGESTIONS, max_size=4))
def test_the_choice_does_not_depend_on_who_answered_first(lists: list[list[Suggestion]]) -> None:
    chosen = {choose("stuot", 0, order, alone=True) for order in permutations(lists)}

    assert len(chosen) == 1
    assert chosen <= {"", *(one.word for each in lists for one in each)}


def test_a_corrected_query_has_the_new_words_and_text() -> None:
    spelt = corrected(analyse("What is Oister stuot?"), {"oister": "oyster", "stuot": "stout"})

    assert spelt.words == ("oyster", "stout")
    assert spelt.text == "What is oyster stout?"
    assert spelt.corrections == (("oister", "oyster"), ("stuot", "stout"))


def test_a_query_without_corrections_stays_as_it_is() -> None:
    analysis = analyse("oister stout")

    assert corrected(analysis, {"oister": ""}) is analysis


def test_only_whole_words_are_replaced() -> None:
    assert corrected(analyse("stuo stuoo"), {"stuo": "stout"}).text == "stout stuoo"


def test_two_words_that_become_one_are_one() -> None:
    assert corrected(analyse("stout stuot"), {"stuot": "stout"}).words == ("stout",)


def test_the_note_tells_what_is_shown_instead() -> None:
    spelt = corrected(analyse("oister stuot zzz"), {"oister": "oyster", "stuot": "stout"})

    ranked = candidates({"a": reply([hit("x", [1, 1, 0])], frequencies=[2, 2, 0])}, spelt)

    assert ranked.note == (
        'showing results for "oyster" instead of "oister" and "stout" instead of "stuot"; '
        "no page has all the words; without: zzz"
    )
