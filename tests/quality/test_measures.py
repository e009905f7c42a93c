"""The measures, on lists whose worth is known by hand."""

import math

import pytest

from tests.quality.measures import (
    Found,
    hijack_figures,
    is_hijacked,
    judged_figures,
    misses,
    question_figures,
)
from tests.quality.questions import Hijack, Judged, Question, read_hijacks

A, B, C = ("z.zim", "a"), ("z.zim", "b"), ("y.zim", "c")


def found(*documents, hints=()) -> Found:
    return Found(list(documents), [path for _, path in documents], [list(hints) for _ in documents])


def question(query: str, group: str = "deep", section: str = "") -> Question:
    return Question(group, query, frozenset({A}), section)


def test_question_figures_count_by_class_and_together() -> None:
    questions = [question("one"), question("two", "typo"), question("none", "typo")]
    lists = {"one": found(A, B), "two": found(B, C, A), "none": found()}

    figures = question_figures(questions, lists)

    assert figures["questions, deep"] == {
        "success@1": 1, "success@5": 1, "MRR": 1, "answered": 1,
    }  # fmt: skip
    assert figures["questions, typo"] == pytest.approx(
        {"success@1": 0, "success@5": 0.5, "MRR": 1 / 6, "answered": 0.5}
    )
    assert figures["questions, all"]["success@5"] == pytest.approx(2 / 3)


def test_hints_count_where_the_page_was_found() -> None:
    questions = [question(name, section="Use") for name in ("right", "wrong", "absent")]
    lists = {"right": found(A, hints=["3. Use"]), "wrong": found(A), "absent": found(B)}

    assert question_figures(questions, lists)["sections"] == {"right hint": 0.5}


def test_gain_is_linear_and_the_mean_is_over_all_queries() -> None:
    collections = {
        "x": [Judged("graded", {A: 1, B: 4}), Judged("nothing", {A: 1})],
        "y": [Judged("negative", {A: 1, B: -1})],
    }
    lists = {"graded": found(A, B), "nothing": found(), "negative": found(B, A)}
    graded = (1 + 4 / math.log2(3)) / (4 + 1 / math.log2(3))
    negative = 1 / math.log2(3)

    assert judged_figures(collections, lists) == pytest.approx(
        {"x": graded / 2, "y": negative, "all": (graded + negative) / 3}
    )


@pytest.mark.parametrize(
    ("documents", "hijacked"),
    [
        pytest.param([A, B], False, id="after the answer"),
        pytest.param([B, A], True, id="before the answer"),
        pytest.param([C, A], False, id="another page before it"),
        pytest.param([C], False, id="no answer, nor the titled page"),
        pytest.param([C, B], True, id="no answer"),
        pytest.param([("x.zim", "TIME")], True, id="a page of that title that was not known of"),
    ],
)
def test_hijack_is_a_one_word_title_before_the_answer(documents, hijacked: bool) -> None:
    one = Hijack("what happens over time", "time", frozenset({A}), frozenset({B}))

    assert is_hijacked(one, found(*documents)) is hijacked


def test_hijack_figures_are_shares() -> None:
    one = Hijack("q", "time", frozenset({A}), frozenset({B}))

    assert hijack_figures([one], {"q": found(B, A)}) == {"not hijacked": 0, "success@5": 1}


def test_misses_are_what_is_not_first() -> None:
    lists = {"first": found(A), "second": found(B, A), "absent": found(B)}

    lines = misses([question(name) for name in lists], lists)

    assert [line.split()[1] for line in lines] == ["2", "-"]


def test_each_hijack_begins_or_ends_with_its_word() -> None:
    hijacks = read_hijacks()

    assert len(hijacks) == 30
    for one in hijacks:
        assert one.word in {one.query.split()[0], one.query.split()[-1]}
        assert one.answers
        assert one.titled
        assert not one.answers & one.titled
