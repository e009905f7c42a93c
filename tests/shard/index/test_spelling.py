"""Which words are suggested, over a lexicon that a test writes."""

from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shard.index.spelling import (
    MAX_OPENED,
    Spelling,
    edits,
    ending_like,
    errors,
    spellings,
)

WORDS = st.text(alphabet="abcdeéжя", min_size=0, max_size=9)


class Written:
    """A lexicon of words with the number of documents; forms of one stem share its documents."""

    def __init__(
        self,
        documents: Mapping[str, int],
        *,
        titles: Sequence[str] = (),
        stems: Mapping[str, str] | None = None,
    ) -> None:
        self.opened: list[str] = []
        self._stems = stems or {}
        self._documents = {self.stem(word): number for word, number in documents.items()}
        self._written = [*documents]
        self._titles = sorted(titles)

    def stem(self, word: str) -> str:
        return self._stems.get(word, word)

    def documents_with(self, word: str) -> int:
        return self._documents.get(self.stem(word), 0)

    def titles_with(self, word: str) -> int:
        return self._titles.count(word)

    def words(self, start: str, but: str) -> Iterator[str]:
        return _between(self._titles, start, but)

    def stems(self, start: str, but: str) -> Iterator[str]:
        return _between(sorted(self._documents), start, but)

    def forms(self, stem: str, beside: Sequence[str]) -> set[str]:
        self.opened.append(stem)
        return {word for word in self._written if self.stem(word) == stem}

    def together(self, words: Sequence[str]) -> tuple[int, int]:
        return self.documents_with(words[-1]), self.titles_with(words[-1])


def _between(words: Sequence[str], start: str, but: str) -> Iterator[str]:
    return (w for w in words if w.startswith(start) and not (but and w.startswith(but)))


KNOWN = Written({"stout": 7, "thoroughbred": 1, "италия": 2, "toolchains": 3, "schopenhauer": 4})


def words(lexicon: Written, typed: str, limit: int = 5) -> list[str]:
    return [one.word for one in spellings(lexicon, typed, (), limit)]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        pytest.param("thorughbred", "thoroughbred", id="left out"),
        pytest.param("thoroughbreed", "thoroughbred", id="added"),
        pytest.param("thoroughbrad", "thoroughbred", id="changed"),
        pytest.param("toolchians", "toolchains", id="swapped"),
        pytest.param("yoolchains", "toolchains", id="first letter"),
        pytest.param("италя", "италия", id="Cyrillic"),
        pytest.param("shopenhaur", "schopenhauer", id="two"),
        pytest.param("thóroughbréd", "thoroughbred", id="accents"),
    ],
)
def test_a_word_a_few_errors_away_is_suggested(typed: str, meant: str) -> None:
    assert words(KNOWN, typed) == [meant]


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param("sto", id="short"),
        pytest.param("", id="empty"),
        pytest.param("x" * 100, id="long"),
        pytest.param("stuto", id="two errors in a short word"),
        pytest.param("schonhaur", id="three errors"),
    ],
)
def test_nothing_is_suggested_for_what_is_close_to_nothing(typed: str) -> None:
    assert words(Written({"stoutly": 1, "schopenhauer": 1, "xx": 1}), typed) == []


def test_more_documents_come_first_and_fewer_errors_weigh_more() -> None:
    lexicon = Written({"parlour": 2, "parlous": 9, "parlance": 12, "parse": 9000})

    assert words(lexicon, "parloux") == ["parlous", "parlour"]


def test_a_suggestion_says_what_speaks_for_it() -> None:
    lexicon = Written({"stout": 7}, titles=["stout", "stout"])

    assert spellings(lexicon, "stuot", ("oyster",), 5) == [Spelling("stout", 1, 7, 7, 2)]


def test_a_word_that_is_there_comes_first_without_errors() -> None:
    lexicon = Written({"stuot": 1, "stout": 7})

    assert [(one.word, one.errors) for one in spellings(lexicon, "stuot", (), 5)] == [
        ("stuot", 0),
        ("stout", 1),
    ]


def test_two_words_of_one_title_typed_as_one_are_suggested_apart() -> None:
    lexicon = Written({"heritage": 3, "site": 2}, titles=["heritage", "site"])

    assert words(lexicon, "heritagesite") == ["heritage site"]


def test_a_known_stem_whose_form_stands_nowhere_is_not_suggested() -> None:
    lexicon = Written({"off": 50, "office": 3}, stems={"offe": "off"})

    assert words(lexicon, "offce") == ["office"]


def test_the_form_that_is_written_is_suggested_not_its_stem() -> None:
    stems = {"schopenhauer": "schopenhau", "schopenhaue": "schopenhau"}

    assert words(Written({"schopenhauer": 1}, stems=stems), "schopenhaur") == ["schopenhauer"]


def test_a_form_in_a_title_needs_no_page_to_be_opened() -> None:
    lexicon = Written({"stout": 7}, titles=["stout"])

    assert words(lexicon, "stuot") == ["stout"]
    assert lexicon.opened == []


def test_pages_are_opened_for_a_few_words_only() -> None:
    lexicon = Written({f"parlou{char}": 1 for char in "abcdefghijklmno"})

    assert len(words(lexicon, "parlouz", limit=50)) == MAX_OPENED
    assert len(lexicon.opened) == MAX_OPENED


def test_no_more_than_the_limit_is_suggested() -> None:
    assert len(words(Written({f"parlou{char}": 1 for char in "abcdef"}), "parlouz", limit=3)) == 3


def test_the_examination_ends_after_so_many_words() -> None:
    crowd = {f"schop{number:05}": 1 for number in range(300)}
    lexicon = Written({**crowd, "schopenhauer": 1})

    assert [one.word for one in spellings(lexicon, "shopenhaur", (), 5, examined=100)] == []


@given(one=WORDS, other=WORDS)
def test_errors_are_those_of_a_plain_table(one: str, other: str) -> None:
    assert errors(one, other) == _table(one, other)


@given(word=st.text(alphabet="abcdeéжя", min_size=4, max_size=12))
def test_edits_are_bounded_and_one_error_away(word: str) -> None:
    made = list(edits(word))

    assert len(made) <= (2 * len(word) + 1) * 300
    assert all(errors(word, one) == 1 for one in made[:: len(made) // 50 + 1] if one != word)


@pytest.mark.parametrize(
    ("term", "stem", "word", "written"),
    [
        ("philosoph", "philosof", "philosofers", "philosophers"),
        ("librari", "libari", "libary", "library"),
        ("run", "runnnig", "runnnig", "run"),
    ],
)
def test_a_stem_gets_the_ending_of_what_was_typed(
    term: str, stem: str, word: str, written: str
) -> None:
    assert ending_like(term, stem, word) == written


def _table(one: str, other: str) -> int:
    cost: dict[tuple[int, int], int] = {}
    for a in range(len(one) + 1):
        for b in range(len(other) + 1):
            if not a or not b:
                cost[a, b] = a + b
                continue
            changed = cost[a - 1, b - 1] + (one[a - 1] != other[b - 1])
            cost[a, b] = min(changed, cost[a - 1, b] + 1, cost[a, b - 1] + 1)
            if a > 1 and b > 1 and one[a - 1] == other[b - 2] and one[a - 2] == other[b - 1]:
                cost[a, b] = min(cost[a, b], cost[a - 2, b - 2] + 1)
    return cost[len(one), len(other)]
