"""The order of work, its bound, and what is dropped."""

import math

import pytest

from common.deadline import Deadline
from common.errors import Overloaded
from shard.queue import DESCRIBE_BUDGET, MAX_BUDGET, MAX_BYTES, Job, RequestQueue, deadline
from tests.shard import requests


def job(request, clock, budget=10.0) -> Job:
    return Job(peer=b"p", request=request, deadline=Deadline.after(budget, clock=clock))


def test_queue_gives_the_most_urgent_first_and_keeps_order_within_a_lane(clock):
    queue = RequestQueue(10)
    asked = [
        requests.document(number=1),
        requests.preview("a", number=2),
        requests.query(number=3),
        requests.document(number=4),
        requests.describe(5),
        requests.preview("b", number=6),
        requests.spell("wrod", number=7),
    ]
    for request in asked:
        queue.put(job(request, clock))

    order = [queue.take().request.request_id for _ in asked]

    assert order == [3, 5, 7, 2, 6, 1, 4]
    assert queue.take() is None


def test_queue_lets_a_query_pass_work_that_was_put_back(clock):
    queue = RequestQueue(10)
    queue.put(job(requests.document(number=1), clock))
    queue.put(job(requests.document(number=2), clock))
    begun = queue.take()
    queue.put_back(begun)
    queue.put(job(requests.query(number=3), clock))

    assert [queue.take().request.request_id for _ in range(3)] == [3, 1, 2]


def test_queue_turns_away_what_it_has_no_place_for(clock):
    queue = RequestQueue(2)
    queue.put(job(requests.document(), clock))
    queue.put(job(requests.document(), clock))

    with pytest.raises(Overloaded):
        queue.put(job(requests.query(), clock))


def test_queue_takes_back_work_that_was_begun_even_when_it_is_full(clock):
    queue = RequestQueue(1)
    queue.put(job(requests.document(number=1), clock))
    begun = queue.take()
    queue.put(job(requests.document(number=2), clock))
    queue.put_back(begun)

    assert [queue.take().request.request_id for _ in range(2)] == [1, 2]


def test_queue_drops_expired_work_before_it_turns_anybody_away(clock):
    queue = RequestQueue(1)
    queue.put(job(requests.document(number=1), clock, budget=1.0))
    clock.now += 2
    queue.put(job(requests.query(number=2), clock))

    assert queue.take().request.request_id == 2
    assert queue.expired == 1


def test_queue_skips_and_closes_expired_work(clock):
    closed = []

    def steps():
        try:
            yield None
        finally:
            closed.append(True)

    queue = RequestQueue(5)
    stale = job(requests.document(number=1), clock, budget=1.0)
    stale.steps = steps()
    next(stale.steps)
    queue.put_back(stale)
    queue.put(job(requests.document(number=2), clock))
    clock.now += 1

    assert queue.take().request.request_id == 2
    assert closed == [True]
    assert queue.expired == 1


@pytest.mark.parametrize(
    ("budget", "seconds"),
    [
        pytest.param(3.0, 3.0, id="plain"),
        pytest.param(-1.0, 0.0, id="negative"),
        pytest.param(math.nan, 0.0, id="not a number"),
        pytest.param(math.inf, MAX_BUDGET, id="endless"),
    ],
)
def test_deadline_bounds_the_budget(clock, budget, seconds):
    assert deadline(requests.query(budget=budget), clock=clock).remaining() == seconds


def test_deadline_of_a_describe_is_its_own(clock):
    assert deadline(requests.describe(), clock=clock).remaining() == DESCRIBE_BUDGET


def test_queue_bounds_the_bytes_that_wait(clock):
    queue = RequestQueue(10)
    large = job(requests.document(number=1), clock)
    large.size = MAX_BYTES - 100
    queue.put(large)
    small = job(requests.query(number=2), clock)
    small.size = 101
    with pytest.raises(Overloaded):
        queue.put(small)
    assert queue.take() is large
    queue.put_back(large)
    with pytest.raises(Overloaded):
        queue.put(small)
    assert queue.take() is large

    queue.put(small)


def test_queue_makes_room_of_large_requests_that_expired(clock):
    queue = RequestQueue(10)
    large = job(requests.document(number=1), clock, budget=1.0)
    large.size = MAX_BYTES
    queue.put(large)
    clock.now += 2.0
    small = job(requests.query(number=2), clock)
    small.size = MAX_BYTES

    queue.put(small)
