"""What a trial is judged by."""

from typing import Any

import pytest

from tests.cluster.faults.agents import Outcome
from tests.cluster.faults.asks import Ask
from tests.cluster.faults.report import judge, refs_of_degraded, whole_again

SEARCH = Ask("search", "river")
FETCH = Ask("fetch", "corpus://A/x", library="A")


def results(*libraries: str, missing: str = "", reason: str = "unavailable") -> dict[str, Any]:
    rows = [{"ref": f"corpus://{library}/x", "library": library} for library in libraries]
    named = {"degraded": [{"library": missing, "reason": reason}]} if missing else {}
    return {"results": rows, **named}


UNDISTURBED = {SEARCH: results("A", "B"), FETCH: {"ref": "corpus://A/x", "library": "A"}}


def outcome(
    content: dict[str, Any], *, ask: Ask = SEARCH, began: float = 0.0, problem: str = ""
) -> Outcome:
    return Outcome(ask, began, began + 1.0, content, problem)


def test_judge_finds_no_fault_with_the_undisturbed_answers() -> None:
    report = judge([outcome(UNDISTURBED[ask], ask=ask) for ask in UNDISTURBED], UNDISTURBED)

    assert (report.calls, report.failed, report.wrong) == (2, [], [])


def test_judge_counts_what_was_not_answered_as_failed() -> None:
    report = judge([outcome({}, problem="ConnectError")], UNDISTURBED)

    assert len(report.failed) == 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(results("B", "A"), id="another order"),
        pytest.param(results("A"), id="nothing named"),
        pytest.param(results("A", missing="C"), id="another named"),
    ],
)
def test_judge_calls_an_answer_wrong_that_lacks_more_than_it_says(content: dict[str, Any]) -> None:
    assert len(judge([outcome(content)], UNDISTURBED).wrong) == 1


def test_judge_accepts_an_answer_that_names_what_it_lacks() -> None:
    report = judge([outcome(results("A", "C", missing="B"))], UNDISTURBED)

    assert report.wrong == []
    assert (report.degraded_answers, report.blamed) == (1, {"B"})


def test_judge_accepts_an_answer_of_after_the_fault() -> None:
    later = {**UNDISTURBED, SEARCH: results("B", "A")}

    report = judge([outcome(results("B", "A"))], UNDISTURBED, later)

    assert report.wrong == []


def test_judge_calls_a_ref_wrong_that_nobody_can_fetch() -> None:
    report = judge([], UNDISTURBED, lost_refs=["corpus://A/x"])

    assert len(report.wrong) == 1


def test_judge_holds_the_victim_to_nothing_and_the_others_to_everything() -> None:
    broken = [
        outcome({}, ask=FETCH, problem="library_unavailable"),
        outcome(results("B")),
        outcome(results("A")),
    ]

    report = judge(broken, UNDISTURBED, victim="A")

    assert report.suffered == 2
    assert (len(report.failed), len(report.wrong)) == (0, 1)


def test_slower_than_the_others_is_no_blame() -> None:
    report = judge([outcome(results("A", missing="B", reason="timeout"))], UNDISTURBED)

    assert report.degraded_answers == 1
    assert report.blamed == set()


def test_refs_of_degraded_are_those_of_answers_that_lack_a_library() -> None:
    refs = refs_of_degraded([outcome(results("A", "B")), outcome(results("A", missing="B"))])

    assert refs == {"corpus://A/x"}


def test_whole_again_is_the_end_of_the_first_whole_search_after_the_last_that_was_not() -> None:
    searches = [
        outcome(results("A", "B"), began=9.0),
        outcome(results("A", missing="B"), began=10.1),
        outcome(results("A", "B"), began=10.3),
        outcome(results("A", missing="B"), began=10.5),
        outcome(results("A", "B"), began=11.0),
        outcome(results("A", "B"), began=12.0),
        outcome(results("A", missing="B", reason="timeout"), began=13.0),
        outcome(results("A", missing="B"), began=19.5),
    ]

    assert whole_again(searches, "B", 10.0, 20.0) == pytest.approx(2.0)
    assert whole_again(searches, "A", 10.0, 20.0) == pytest.approx(1.1)


def test_whole_again_is_unknown_while_every_search_lacks_the_library() -> None:
    assert whole_again([outcome(results(missing="B"), began=10.1)], "B", 10.0, 20.0) is None
