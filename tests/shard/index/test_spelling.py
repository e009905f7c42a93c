import pytest
from hypothesis import given
from hypothesis import strategies as st

from shard.index.spelling import Spelling, edits, spellings

KNOWN = {"stout": 7, "thoroughbred": 1, "италия": 2, "toolchains": 3, "stoat": 2, "stour": 2}


def known(word: str) -> int:
    return KNOWN.get(word, 0)


@pytest.mark.parametrize(
    ("word", "spelling"),
    [
        pytest.param("thorughbred", "thoroughbred", id="left out"),
        pytest.param("thoroughbreed", "thoroughbred", id="added"),
        pytest.param("thoroughbrad", "thoroughbred", id="changed"),
        pytest.param("toolchians", "toolchains", id="swapped"),
        pytest.param("италя", "италия", id="Cyrillic"),
    ],
)
def test_a_word_one_edit_away_is_found(word: str, spelling: str) -> None:
    assert [one.word for one in spellings(word, known, 5)] == [spelling]


def test_the_most_frequent_spelling_comes_first_then_by_alphabet() -> None:
    frequencies = {"parlour": 2, "parlous": 2, "parlours": 7}

    found = spellings("parloux", lambda word: frequencies.get(word, 0), 5)

    assert found == [Spelling("parlour", 2), Spelling("parlous", 2)]
    assert spellings("parlour", known, 5) == []


@pytest.mark.parametrize(
    ("word", "proposed"),
    [
        pytest.param("stuot", ["stout"], id="swapped"),
        pytest.param("stot", ["stoat", "stout"], id="left out"),
        pytest.param("stoot", [], id="changed"),
        pytest.param("tsout", [], id="first letter"),
    ],
)
def test_in_a_short_word_no_letter_is_changed(word: str, proposed: list[str]) -> None:
    assert sorted(one.word for one in spellings(word, known, 5)) == proposed


@pytest.mark.parametrize("word", ["sto", "", "x" * 100, "cmp0077", "北京市天气"])
def test_a_word_that_is_no_typing_error_is_left_alone(word: str) -> None:
    assert spellings(word, lambda _: 1, 5) == []


def test_no_more_than_the_limit_is_proposed() -> None:
    assert len(spellings("stoutly", lambda _: 1, 3)) == 3


@given(st.text(alphabet="abcdeéжя", min_size=4, max_size=12))
def test_edits_are_bounded_and_of_like_length(word: str) -> None:
    made = list(edits(word))

    assert len(made) <= (2 * len(word) + 1) * 300
    assert all(abs(len(one) - len(word)) <= 1 for one in made)
