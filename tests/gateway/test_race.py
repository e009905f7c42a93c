import asyncio

import pytest

from common.errors import Overloaded, RefNotFound, ShardFault
from gateway.race import hedged
from tests.gateway.scripted import run


class Request:
    """A request that a test answers, fails or leaves alone."""

    def __init__(self, outcome=None, *, silent=False):
        self.began = self.ended = False
        self._outcome = outcome
        self._silent = silent

    async def __call__(self):
        self.began = True
        try:
            if self._silent:
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            if isinstance(self._outcome, Exception):
                raise self._outcome
            return self._outcome
        finally:
            self.ended = True


SILENT = {"silent": True}


def race(first, second, delay=0.0):
    return run(hedged(first(), second, delay))


def test_quick_answer_needs_no_second_request():
    second = Request("second")

    assert race(Request("first"), second, delay=60.0) == "first"
    assert not second.began


def test_second_answer_ends_the_first_request():
    first = Request(**SILENT)

    assert race(first, Request("second")) == "second"
    assert first.ended


def test_first_answer_ends_the_second_request():
    second = Request(**SILENT)

    async def main():
        first = asyncio.get_running_loop().create_future()
        call = asyncio.create_task(hedged(first, second, 0.0))
        while not second.began:  # noqa: ASYNC110 - one turn of the loop, or a few
            await asyncio.sleep(0)
        first.set_result("first")
        return await call

    assert run(main()) == "first"
    assert second.ended


def test_nobody_else_to_ask_leaves_the_first_alone():
    async def main():
        first = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.02, first.set_result, "first")
        return await hedged(first, lambda: None, 0.0)

    assert run(main()) == "first"


def test_failed_second_request_leaves_the_first_alone():
    async def main():
        first = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.02, first.set_result, "first")
        return await hedged(first, Request(ShardFault("")), 0.0)

    assert run(main()) == "first"


def failing_first(second, error):
    async def main():
        first = asyncio.get_running_loop().create_future()
        call = asyncio.create_task(hedged(first, second, 0.0))
        while not second.began:  # noqa: ASYNC110 - one turn of the loop, or a few
            await asyncio.sleep(0)
        first.set_exception(error)
        return await call

    return run(main())


def test_failed_first_request_waits_for_the_second():
    assert failing_first(Request("second"), ShardFault("")) == "second"


def test_failure_of_both_is_that_of_the_first():
    with pytest.raises(ShardFault, match="mine"):
        failing_first(Request(Overloaded("")), ShardFault("mine"))


def test_failure_before_the_second_request_is_told_at_once():
    second = Request("second")

    with pytest.raises(Overloaded):
        race(Request(Overloaded("")), second, delay=60.0)

    assert not second.began


def test_request_that_is_wrong_for_the_second_is_wrong_for_the_first():
    with pytest.raises(RefNotFound):
        race(Request(**SILENT), Request(RefNotFound("nowhere")))


def test_request_that_is_wrong_for_the_first_is_wrong_for_the_second():
    with pytest.raises(RefNotFound):
        failing_first(Request(**SILENT), RefNotFound("nowhere"))


def test_bug_in_the_second_request_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        race(Request(**SILENT), Request(ZeroDivisionError()))


def test_cancelled_caller_ends_both_requests():
    first, second = Request(**SILENT), Request(**SILENT)

    async def main():
        call = asyncio.create_task(hedged(first(), second, 0.0))
        while not second.began:  # noqa: ASYNC110 - one turn of the loop, or a few
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        return call.cancelled()

    assert run(main())
    assert first.ended
    assert second.ended
