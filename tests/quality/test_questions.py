"""Floors of the ranking over real archives: only ever raised."""

import pytest

from tests.quality.local import Corpus
from tests.quality.measure import hint_share, judged_figures, open_corpus, question_figures
from tests.quality.questions import Figures, table
from tests.support.data import real_data

pytestmark = pytest.mark.real

SUCCESS_AT_1 = 0.92
SUCCESS_AT_5 = 0.95
RIGHT_HINTS = 0.80
NDCG_AT_10 = 0.46


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    real_data()
    return open_corpus()


@pytest.fixture(scope="module")
def figures(corpus: Corpus) -> dict[str, Figures]:
    found, _ = question_figures(corpus)
    print("\n" + table(found))  # noqa: T201
    return found


def test_questions_find_their_page_among_the_first_five(figures: dict[str, Figures]) -> None:
    five = sum(one.five for one in figures.values())

    assert five / _asked(figures) >= SUCCESS_AT_5


def test_questions_find_their_page_first(figures: dict[str, Figures]) -> None:
    first = sum(one.first for one in figures.values())

    assert first / _asked(figures) >= SUCCESS_AT_1


def test_no_question_finds_nothing(figures: dict[str, Figures]) -> None:
    assert [name for name, one in figures.items() if one.empty] == []


def test_hints_name_the_right_section(corpus: Corpus) -> None:
    assert hint_share(corpus) >= RIGHT_HINTS


@pytest.mark.parametrize("group", ["exact_title", "redirect"])
def test_a_title_finds_its_page_first(figures: dict[str, Figures], group: str) -> None:
    assert figures[group].first == figures[group].asked


def test_judged_collections_keep_their_order_among_other_libraries(corpus: Corpus) -> None:
    assert judged_figures(corpus, max_consecutive=10)["all"] >= NDCG_AT_10


def _asked(figures: dict[str, Figures]) -> int:
    return sum(one.asked for one in figures.values())
