import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import InvalidQuery
from gateway.analysis import MAX_WORD_CHARS, MAX_WORDS, analyse


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("Ray Charles", ("ray", "charles"), id="casefolded"),
        pytest.param("How do I purify the water?", ("purify", "water"), id="stop words"),
        pytest.param("the who", ("the", "who"), id="nothing but stop words"),
        pytest.param(
            "vaccines the WHO recommends", ("vaccines", "who", "recommends"), id="capitals"
        ),
        pytest.param("WHY IS THE SKY BLUE", ("sky", "blue"), id="all in capitals"),
        pytest.param("a cat and a cat", ("cat",), id="repeated"),
        pytest.param("ray ray charles", ("ray", "charles"), id="distinct in order"),
        pytest.param("C++ or C#", ("c++", "c#"), id="languages"),
        pytest.param("std::vector::push_back", ("std", "vector", "push_back"), id="symbol"),
        pytest.param("$<TARGET_FILE:tgt>", ("target_file", "tgt"), id="expression"),
        pytest.param("was ist der Unterschied", ("unterschied",), id="German"),
        pytest.param(
            "як утвараюцца лічэбнікі ў эспэранта",
            ("утвараюцца", "лічэбнікі", "эспэранта"),
            id="Belarusian",
        ),
        pytest.param("vitamin c and d", ("vitamin", "c", "d"), id="letters"),
        pytest.param("die hard", ("die", "hard"), id="a stop word of another language"),
        pytest.param("北京的首都", ("北京的首都",), id="CJK"),
        pytest.param("ﬁle", ("file",), id="compatibility forms"),
        pytest.param("หมายเลข हिन्दी", ("หมายเลข", "हिन्दी"), id="marks inside words"),
        pytest.param("🦊 🦊 ♥", ("🦊", "♥"), id="pictures alone"),
        pytest.param("🦊 fox", ("fox",), id="a picture beside a word"),
    ],
)
def test_analyse_gives_the_words_to_search_for(query: str, words: tuple[str, ...]) -> None:
    assert analyse(query).words == words


@pytest.mark.parametrize("query", ["", "  ", "?!", "\0", "‐‐", "\u200b"])
def test_analyse_refuses_a_query_without_words(query: str) -> None:
    with pytest.raises(InvalidQuery):
        analyse(query)


def test_analyse_keeps_the_whole_text_for_titles() -> None:
    assert analyse("  What is\tthe Who? ").text == "What is the Who?"


def test_analyse_bounds_a_huge_query() -> None:
    analysis = analyse(" ".join(f"word{n}" for n in range(100_000)))

    assert len(analysis.words) == MAX_WORDS


def test_analyse_cuts_an_endless_word() -> None:
    assert analyse("x" * 5000).words == ("x" * MAX_WORD_CHARS,)


@given(st.text(max_size=300))
def test_analyse_gives_words_within_the_bounds_or_refuses(query: str) -> None:
    try:
        words = analyse(query).words
    except InvalidQuery:
        return

    assert 1 <= len(words) <= MAX_WORDS
    assert len(set(words)) == len(words)
    assert all(0 < len(word) <= MAX_WORD_CHARS for word in words)
