"""Floors follow the figures upwards, and downwards only when told to."""

import pytest

from tests.quality import floors

FLOORS = {"questions": {"success@1": 0.9, "success@5": 0.95}}


def test_figures_at_their_floors_fall_short_of_none() -> None:
    assert floors.shortfalls({"questions": {"success@1": 0.9, "success@5": 0.99}}, FLOORS) == []


def test_figure_within_epsilon_is_no_shortfall() -> None:
    figures = {"questions": {"success@1": 0.9 - floors.EPSILON / 2, "success@5": 0.95}}

    assert floors.shortfalls(figures, FLOORS) == []


@pytest.mark.parametrize(
    "figures",
    [
        pytest.param({"questions": {"success@1": 0.89, "success@5": 1.0}}, id="lower"),
        pytest.param({"questions": {"success@5": 1.0}}, id="not measured"),
    ],
)
def test_shortfall_names_figure_and_floor(figures) -> None:
    assert len(short := floors.shortfalls(figures, FLOORS)) == 1
    assert short[0].startswith("questions: success@1 is ")
    assert short[0].endswith("its floor 0.9000")


def test_one_question_or_one_judged_query_is_more_than_epsilon() -> None:
    assert floors.EPSILON < 1 / 125
    assert floors.EPSILON < (1 - 0.63) / 110


def test_floors_are_raised_and_never_lowered() -> None:
    measured = {"questions": {"success@1": 0.95678, "success@5": 0.5, "MRR": 0.9}, "new": {"a": 1}}

    assert floors.raised(measured, FLOORS) == {
        "questions": {"success@1": 0.9567, "success@5": 0.95, "MRR": 0.9},
        "new": {"a": 1},
    }


def test_floors_of_what_was_not_measured_stay() -> None:
    assert floors.raised({}, FLOORS) == FLOORS


def test_floors_are_lowered_when_that_is_allowed() -> None:
    measured = {"questions": {"success@1": 0.5}}

    assert floors.raised(measured, FLOORS, allow_lower=True) == measured


def test_file_reads_as_it_was_written(tmp_path) -> None:
    pinned = {"data": {"questions": "abc"}, "floors": {"auto": FLOORS}}

    floors.write(pinned, tmp_path / "floors.json")

    assert floors.read(tmp_path / "floors.json") == pinned
    assert floors.read(tmp_path / "absent.json") == {"data": {}, "floors": {}}
