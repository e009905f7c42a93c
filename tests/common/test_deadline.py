"""A deadline is one point in time, whoever asks."""

from common.deadline import Deadline
from tests.support.clock import Clock


def test_deadline_counts_down_and_stops_at_zero() -> None:
    clock = Clock()
    deadline = Deadline.after(5, clock=clock)

    clock.now += 3
    assert deadline.remaining() == 2
    assert not deadline.expired()
    clock.now += 3
    assert deadline.remaining() == 0
    assert deadline.expired()


def test_deadline_share_takes_its_part_of_what_is_left() -> None:
    clock = Clock()
    deadline = Deadline.after(8, clock=clock)
    clock.now += 4

    assert deadline.share(0.5).at == 106
