import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gateway.breaker import BAD_ENDS, FIRST_PAUSE, LONGEST_PAUSE, Breaker, BreakerState
from tests.support.clock import Clock


@pytest.fixture
def breaker(clock):
    return Breaker(clock=clock)


@pytest.fixture
def opened(breaker):
    for _ in range(BAD_ENDS):
        breaker.ended_badly(breaker.sent())
    return breaker


@pytest.fixture
def half_open(opened, clock):
    clock.now += FIRST_PAUSE
    return opened


def test_new_breaker_is_closed(breaker):
    assert breaker.state is BreakerState.CLOSED
    assert breaker.lets_through


def test_bad_ends_in_a_row_open_it(breaker):
    for _ in range(BAD_ENDS - 1):
        breaker.ended_badly(breaker.sent())
    assert breaker.lets_through

    breaker.ended_badly(breaker.sent())

    assert breaker.state is BreakerState.OPEN
    assert not breaker.lets_through
    assert breaker.openings == 1


def test_answer_between_bad_ends_keeps_it_closed(breaker):
    for _ in range(100):
        breaker.ended_badly(breaker.sent())
        breaker.ended_badly(breaker.sent())
        breaker.answered()

    assert breaker.openings == 0


def test_one_fault_under_many_requests_counts_once(breaker):
    for ticket in [breaker.sent() for _ in range(50)]:
        breaker.ended_badly(ticket)

    assert breaker.state is BreakerState.CLOSED


def test_request_that_nobody_waits_for_says_nothing(breaker):
    for _ in range(100):
        breaker.given_up(breaker.sent())

    assert breaker.state is BreakerState.CLOSED


def test_open_breaker_is_half_open_after_its_pause(opened, clock):
    clock.now += FIRST_PAUSE - 0.001
    assert opened.state is BreakerState.OPEN

    clock.now += 0.001

    assert opened.state is BreakerState.HALF_OPEN
    assert opened.lets_through


def test_half_open_breaker_lets_one_request_through_at_a_time(half_open):
    probe = half_open.sent()

    assert half_open.is_probe(probe)
    assert not half_open.lets_through


def test_answered_probe_closes_it_and_forgets(half_open):
    half_open.sent()

    half_open.answered()

    assert half_open.state is BreakerState.CLOSED
    half_open.ended_badly(half_open.sent())
    assert half_open.lets_through
    assert half_open.pause == FIRST_PAUSE


@pytest.mark.parametrize(
    "end", [Breaker.ended_badly, Breaker.given_up], ids=lambda end: end.__name__
)
def test_probe_without_an_answer_opens_it_for_twice_as_long(half_open, clock, end):
    end(half_open, half_open.sent())

    clock.now += 2 * FIRST_PAUSE - 0.001
    assert half_open.state is BreakerState.OPEN
    clock.now += 0.001
    assert half_open.state is BreakerState.HALF_OPEN
    assert half_open.openings == 2


def test_pause_is_bounded(half_open, clock):
    for _ in range(20):
        half_open.ended_badly(half_open.sent())
        clock.now += LONGEST_PAUSE

    assert half_open.pause == LONGEST_PAUSE
    assert half_open.lets_through


def test_probe_that_was_not_sent_makes_room_for_another(half_open):
    half_open.withdrawn(half_open.sent())

    assert half_open.lets_through


def test_old_request_that_ends_while_half_open_decides_nothing(breaker, clock):
    old = breaker.sent()
    for _ in range(BAD_ENDS):
        breaker.ended_badly(breaker.sent())
    clock.now += FIRST_PAUSE

    breaker.ended_badly(old)

    assert breaker.state is BreakerState.HALF_OPEN


def test_late_answer_closes_an_open_breaker(opened):
    opened.answered()

    assert opened.state is BreakerState.CLOSED


def test_new_connection_shortens_a_long_pause(half_open, clock):
    for _ in range(6):
        half_open.ended_badly(half_open.sent())
        clock.now += LONGEST_PAUSE
    half_open.ended_badly(half_open.sent())

    half_open.reconnected()

    assert half_open.state is BreakerState.OPEN
    clock.now += FIRST_PAUSE
    assert half_open.state is BreakerState.HALF_OPEN


def test_new_connection_opens_nothing(breaker):
    breaker.reconnected()

    assert breaker.state is BreakerState.CLOSED


@given(st.lists(st.floats(0.001, 5.0), max_size=200))
def test_replica_that_never_answers_costs_one_request_per_pause(steps):
    clock = Clock()
    breaker = Breaker(clock=clock)
    sent = 0
    for step in steps:
        clock.now += step
        if breaker.lets_through:
            sent += 1
            breaker.ended_badly(breaker.sent())

    assert sent <= BAD_ENDS + max(0, breaker.openings - 1)
    assert breaker.openings <= 1 + sum(steps) / FIRST_PAUSE


class AnyOrder(RuleBasedStateMachine):
    """Events as they may come: in any order, for requests that are long over as well."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.breaker = Breaker(clock=self.clock)
        self.waiting = []
        self.over = [0]

    @precondition(lambda self: self.breaker.lets_through)
    @rule()
    def send(self):
        self.waiting.append(self.breaker.sent())

    @precondition(lambda self: self.waiting)
    @rule(end=st.sampled_from([Breaker.ended_badly, Breaker.given_up, Breaker.withdrawn]))
    def end(self, end):
        ticket = self.waiting.pop(0)
        end(self.breaker, ticket)
        self.over.append(ticket)

    @rule(end=st.sampled_from([Breaker.ended_badly, Breaker.given_up]), data=st.data())
    def end_again(self, end, data):
        ticket = data.draw(st.sampled_from(self.over))
        if not self.breaker.is_probe(ticket):
            end(self.breaker, ticket)

    @rule()
    def answer(self):
        self.breaker.answered()
        assert self.breaker.state is BreakerState.CLOSED

    @rule()
    def reconnect(self):
        self.breaker.reconnected()

    @rule(seconds=st.floats(0, 40))
    def wait(self, seconds):
        self.clock.now += seconds

    @invariant()
    def lets_through_what_its_state_says(self):
        state = self.breaker.state
        assert self.breaker.lets_through or state is not BreakerState.CLOSED
        assert not (self.breaker.lets_through and state is BreakerState.OPEN)
        assert FIRST_PAUSE <= self.breaker.pause <= LONGEST_PAUSE

    @invariant()
    def never_stays_shut(self):
        if not self.waiting and not any(map(self.breaker.is_probe, self.over)):
            now, self.clock.now = self.clock.now, self.clock.now + LONGEST_PAUSE
            assert self.breaker.lets_through
            self.clock.now = now


TestAnyOrder = AnyOrder.TestCase
