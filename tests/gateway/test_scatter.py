import asyncio

import pytest

from common.deadline import Deadline
from common.errors import DeadlineExceeded, ShardUnavailable
from gateway.call import Answer
from gateway.scatter import LEAST_PATIENCE, UNKNOWN_USUAL, patience, scatter
from tests.gateway.scripted import run

ANSWER = Answer(reply="reply", described="described")  # type: ignore[arg-type]


class FakeCall:
    """Answers at once, fails, breaks, or hangs until it is cancelled."""

    def __init__(self, outcome=ANSWER, *, usual=0.01):
        self.started = None
        self.was_cut = False
        self._outcome = outcome
        self._usual = usual

    async def run(self, deadline, place=None):
        async with place:
            self.started = asyncio.get_running_loop().time()
            if self._outcome is None:
                await asyncio.Event().wait()
            if isinstance(self._outcome, Exception):
                raise self._outcome
            return self._outcome

    def usual(self):
        return self._usual

    def cut_off(self):
        self.was_cut = True


def gather(calls, *, seconds=5.0, workers=0):
    async def main():
        return await scatter(calls, Deadline.after(seconds), workers=workers)

    return run(main())


def test_scatter_returns_every_answer():
    gathered = gather({"a": FakeCall(), "b": FakeCall()})

    assert gathered.answers == {"a": ANSWER, "b": ANSWER}
    assert gathered.failures == {}


def test_scatter_keeps_the_rest_when_a_library_fails():
    failure = ShardUnavailable("gone")

    gathered = gather({"a": FakeCall(failure), "b": FakeCall()})

    assert gathered.failures == {"a": failure}
    assert list(gathered.answers) == ["b"]


def test_scatter_leaves_a_straggler_once_most_have_answered():
    straggler = FakeCall(None)

    gathered = gather({"a": straggler, "b": FakeCall()}, seconds=15)

    assert straggler.was_cut
    assert isinstance(gathered.failures["a"], DeadlineExceeded)


def test_scatter_waits_for_its_deadline_while_nobody_has_answered():
    silent = FakeCall(None)

    gathered = gather({"a": silent}, seconds=0.05)

    assert not silent.was_cut
    assert isinstance(gathered.failures["a"], DeadlineExceeded)


def test_stragglers_do_not_keep_the_others_from_being_asked():
    calls = {"a": FakeCall(None), "b": FakeCall(), "c": FakeCall(), "d": FakeCall()}
    calls["a"].started = 0.0

    gathered = gather(calls, workers=2)

    assert list(gathered.answers) == ["b", "c", "d"]


def test_scatter_asks_no_more_libraries_at_once_than_workers():
    asked = []

    class Counting(FakeCall):
        async def run(self, deadline, place=None):
            async with place:
                asked.append(1)
                at_once = len(asked)
                await asyncio.sleep(0)
                asked.pop()
            return at_once

    gathered = gather({str(i): Counting() for i in range(9)}, workers=3)

    assert max(gathered.answers.values()) == 3


def test_bug_in_a_call_is_no_failure_of_a_library():
    with pytest.raises(ZeroDivisionError):
        gather({"a": FakeCall(ZeroDivisionError()), "b": FakeCall()})


@pytest.mark.parametrize(
    ("others", "usual", "expected"),
    [
        pytest.param(0.001, 0.001, LEAST_PATIENCE, id="all fast"),
        pytest.param(0.5, 0.001, 1.5, id="all slow"),
        pytest.param(0.001, 0.5, 1.5, id="known to be slow"),
        pytest.param(0.001, None, 3 * UNKNOWN_USUAL, id="unknown"),
    ],
)
def test_patience(others, usual, expected):
    assert patience(others, usual) == pytest.approx(expected)
