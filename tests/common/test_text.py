"""Words and folding, as the index sees them."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import text


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        pytest.param(
            "How do I purify water?", ["how", "do", "i", "purify", "water"], id="question"
        ),
        pytest.param("AT&T's C++ and C#", ["at&t's", "c++", "and", "c#"], id="infix and suffix"),
        pytest.param("std::vector::push_back", ["std", "vector", "push_back"], id="symbol"),
        pytest.param("json.dumps(3.14, x)", ["json", "dumps", "3.14", "x"], id="points in numbers"),
        pytest.param("__init__ .NET", ["__init__", "net"], id="underscores"),
        pytest.param("Ў Мінску", ["ў", "мінску"], id="Cyrillic"),
        pytest.param("北京 首都", ["北京", "首都"], id="CJK runs stay whole"),
        pytest.param("Straße", ["strasse"], id="casefold"),
        pytest.param(
            "rock ’n’ roll, don’t", ["rock", "n", "roll", "don't"], id="curly apostrophes"
        ),
        pytest.param("สัตว์บก हिन्दी", ["สัตว์บก", "हिन्दी"], id="marks of any script"),
        pytest.param("مُحَمَّد שָׁלוֹם", ["مُحَمَّد", "שָׁלוֹם"], id="vowel points"),
        pytest.param("?!… — ", [], id="nothing"),
    ],
)
def test_words_splits_as_the_index_does(given_text: str, expected: list[str]) -> None:
    assert text.words(given_text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hit_the_Road_Jack", "hit the road jack"),
        ("Crème brûlée", "creme  brulee"),
        ("AC/DC", "ac dc"),
        ("Ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("What's that?", "what s that"),
        (".NET", "net"),
    ],
)
def test_fold_makes_two_spellings_of_a_title_one(one: str, other: str) -> None:
    assert text.fold(one) == text.fold(other)


@pytest.mark.parametrize(("one", "other"), [("C", "C++"), ("C", "C#"), ("C++", "C#"), ("?", "!")])
def test_fold_keeps_different_titles_apart(one: str, other: str) -> None:
    assert text.fold(one) != text.fold(other)


@given(st.text(st.characters(max_codepoint=127)))
def test_fold_of_ascii_is_that_of_any_text(given_text: str) -> None:
    beside = text.fold(f"{given_text} é")

    assert beside.removesuffix("e").rstrip() in (text.fold(given_text), "")


@given(st.text())
def test_fold_is_stable(given_text: str) -> None:
    once = text.fold(given_text)

    assert text.fold(once) == once


@given(st.text())
def test_normalise_leaves_no_control_characters(given_text: str) -> None:
    categories = {unicodedata.category(char) for char in text.normalise(given_text)}

    assert not categories & {"Cc", "Cf", "Cs"}


def test_normalise_drops_what_cannot_be_sent() -> None:
    assert text.normalise("a\x00b\ud800c\u200bd\n\te") == "a bcd e"


@given(st.text())
def test_words_are_words_of_the_casefolded_text(given_text: str) -> None:
    assert all(word == word.casefold() or "'" in word for word in text.words(given_text))


def test_is_cjk_tells_scripts_in_ngrams() -> None:
    assert text.is_cjk("abc 漢字")
    assert text.is_cjk("한국")
    assert not text.is_cjk("Мінск é")


@pytest.mark.parametrize("word", ["ไทย", "ລາວ", "ខ្មែរ", "မြန်မာ"])
def test_scripts_without_spaces_are_told_apart(word: str) -> None:
    assert text.is_unspaced(word)
    assert not text.is_cjk(word)


@pytest.mark.parametrize("word", ["Thai", "日本", "한국", "हिन्दी", "кот", "3"])
def test_other_scripts_have_spaces_or_pairs(word: str) -> None:
    assert not text.is_unspaced(word)


def test_marks_are_all_combining_marks_of_the_basic_plane() -> None:
    is_mark = re.compile(f"[{text.MARKS}]").match
    marks = {chr(code) for code in range(0x10000) if unicodedata.category(chr(code))[0] == "M"}

    assert {char for char in map(chr, range(0x10000)) if is_mark(char)} == marks
