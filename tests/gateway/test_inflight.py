import asyncio

from common.deadline import Deadline
from common.errors import ShardUnavailable
from common.frames import ErrorReply
from gateway.inflight import InFlight
from tests.gateway.scripted import run


def reply(request_id):
    return ErrorReply(request_id=request_id, code="overloaded", message="")


def add(in_flight, clock, request_id, *, seconds=5.0, late=lambda _: None):
    future = asyncio.get_running_loop().create_future()
    in_flight.add(request_id, Deadline.after(seconds, clock=clock), future, late)
    return future


def test_reply_reaches_its_asker_once(clock):
    async def main():
        in_flight = InFlight(clock=clock)
        future = add(in_flight, clock, 1)
        return [in_flight.resolve(reply(1)), in_flight.resolve(reply(1))], await future, in_flight

    told, got, in_flight = run(main())

    assert told == [True, False]
    assert got == reply(1)
    assert len(in_flight) == 0


def test_request_that_nobody_waits_for_counts_until_it_is_answered(clock):
    heard = []

    async def main():
        in_flight = InFlight(clock=clock)
        add(in_flight, clock, 1, late=heard.append).cancel()
        in_flight.leave(1)
        before = in_flight.owed
        told = in_flight.resolve(reply(1))
        return before, told, in_flight.owed

    assert run(main()) == (1, False, 0)
    assert heard == [reply(1)]


def test_request_that_nobody_waits_for_counts_until_its_deadline(clock):
    async def main():
        in_flight = InFlight(clock=clock)
        add(in_flight, clock, 1, seconds=5.0).cancel()
        in_flight.leave(1)
        clock.now += 5.0
        return in_flight.owed, len(in_flight), in_flight.oldest

    assert run(main()) == (0, 0, None)


def test_request_without_interest_in_a_late_reply_is_no_work(clock):
    async def main():
        in_flight = InFlight(clock=clock)
        future = add(in_flight, clock, 1, late=None)
        waiting = in_flight.owed, len(in_flight)
        future.cancel()
        in_flight.leave(1)
        return waiting, len(in_flight)

    assert run(main()) == ((0, 1), 0)


def test_oldest_is_when_the_first_unanswered_work_was_sent(clock):
    async def main():
        in_flight = InFlight(clock=clock)
        add(in_flight, clock, 1, late=None)
        for request_id in (2, 3):
            clock.now += 1.0
            add(in_flight, clock, request_id)
        oldest = in_flight.oldest
        in_flight.resolve(reply(2))
        return oldest, in_flight.oldest

    assert run(main()) == (101.0, 102.0)


def test_gone_peer_owes_nothing_and_everybody_is_told(clock):
    async def main():
        in_flight = InFlight(clock=clock)
        left = add(in_flight, clock, 1)
        left.cancel()
        in_flight.leave(1)
        waiting = [add(in_flight, clock, 2), add(in_flight, clock, 3)]
        in_flight.fail(lambda: ShardUnavailable("gone"))
        return len(in_flight), await asyncio.gather(*waiting, return_exceptions=True)

    count, errors = run(main())

    assert count == 0
    assert [type(error) for error in errors] == [ShardUnavailable] * 2
    assert errors[0] is not errors[1]
