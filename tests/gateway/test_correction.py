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
    return candidates(replies, analyse(query)).suspects


def test_words_that_no_library_has_are_suspicious() -> None:
    assert suspects("oister stout", 0, 40) == ("oister",)


@pytest.mark.parametrize("word", ["abc", "cmp0077", "3.14159", "北京市天气", "where", "pourquoi"])
def test_what_is_no_typing_error_is_not_suspicious(word: str) -> None:
    assert suspects(f"{word} oyster", *[0] * len(analyse(f"{word} oyster").words)) == ("oyster",)


def test_a_query_that_is_a_title_is_not_suspicious() -> None:
    found = {"a": reply(titles=[hit("Oister", [0])], frequencies=[0])}

    assert candidates(found, analyse("oister")).suspects == ()


def test_a_corrected_query_is_not_suspicious_again() -> None:
    spelt = corrected(analyse("oister stuot"), {"oister": "oyster"})

    assert candidates({"a": reply(frequencies=[0, 0])}, spelt).suspects == ()


def test_fewer_errors_weigh_more_than_more_documents() -> None:
    near, far = Suggestion("stout", 1, 3), Suggestion("statue", 2, 500)

    assert choose("stuot", [[far, near]]) == "stout"


def test_documents_are_added_up_over_libraries() -> None:
    many = [[Suggestion("parlour", 1, 60)], [Suggestion("parlous", 1, 40)]]

    assert choose("parloux", [*many, [Suggestion("parlous", 1, 40)]]) == "parlous"


def test_the_word_that_goes_together_with_the_others_wins() -> None:
    alone, together = Suggestion("heat", 1, 60, 0, 0), Suggestion("heart", 1, 20, 9, 3)

    assert choose("heatr", [[alone, together]]) == "heart"


def test_the_first_letter_is_trusted() -> None:
    assert choose("bear", [[Suggestion("aear", 1, 5), Suggestion("beer", 1, 5)]]) == "beer"


def test_no_word_is_taken_for_a_stop_word() -> None:
    assert choose("whie", [[Suggestion("with", 1, 9000), Suggestion("white", 1, 5)]]) == "white"


def test_without_suggestions_there_is_no_correction() -> None:
    assert choose("stuot", [[], []]) == ""
    assert choose_all(["stuot", "oister"], [[], [[]]]) == {"stuot": "", "oister": ""}


@given(lists=st.lists(SUGGESTIONS, max_size=4))
def test_the_choice_does_not_depend_on_who_answered_first(lists: list[list[Suggestion]]) -> None:
    chosen = {choose("stuot", order) for order in permutations(lists)}

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
