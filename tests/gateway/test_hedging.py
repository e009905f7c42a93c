from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.hedging import ENOUGH, EXTRA_SHARE, WINDOW, HedgeBudget, Latencies, percentile


def test_latencies_tell_nothing_until_there_are_enough():
    latencies = Latencies()
    for _ in range(ENOUGH - 1):
        latencies.add(1.0)
    assert latencies.p95() is None

    latencies.add(1.0)

    assert latencies.p95() == 1.0


def test_latencies_forget_old_ones():
    latencies = Latencies()
    for _ in range(WINDOW):
        latencies.add(9.0)
    assert latencies.p95() == 9.0

    for _ in range(WINDOW):
        latencies.add(1.0)

    assert latencies.p95() == 1.0


def test_hedges_are_a_twentieth_of_the_requests():
    budget = HedgeBudget()
    granted = 0
    for _ in range(1000):
        budget.earn()
        granted += budget.spend()

    assert granted == pytest.approx(1000 * EXTRA_SHARE, abs=2)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 60)), max_size=40))
def test_saved_up_hedges_never_make_more_than_ten_above_a_twentieth(bursts):
    """``bursts``: ordinary requests, then calls that would all like a hedge."""
    budget = HedgeBudget()
    earned = granted = 0
    windows = [(0, 0)]
    for quiet, slow in bursts:
        for _ in range(quiet):
            budget.earn()
        for _ in range(slow):
            budget.earn()
            granted += budget.spend()
        earned += quiet + slow
        # Since any moment, not only since the beginning.
        assert all(granted - g <= (earned - e) * EXTRA_SHARE + 10 + 1e-6 for e, g in windows)
        windows.append((earned, granted))

    assert granted <= earned * EXTRA_SHARE + 1 + 1e-6


def test_quiet_years_save_up_ten_hedges_and_no_more():
    budget = HedgeBudget()
    for _ in range(100_000):
        budget.earn()

    assert sum(budget.spend() for _ in range(1000)) == 10


@pytest.mark.parametrize("slow", [0.0, 0.05, 0.5, 1.0], ids=lambda share: f"{share:.0%} slow")
def test_hedges_of_many_calls_stay_within_a_twentieth(slow):
    random = Random(7)
    latencies, budget = Latencies(), HedgeBudget()
    hedges = 0
    for _ in range(5000):
        budget.earn()
        seconds = 1.0 if random.random() < slow else random.uniform(0.001, 0.01)
        usual = latencies.p95()
        if usual is not None and seconds > usual and budget.spend():
            hedges += 1
            seconds = usual + random.uniform(0.001, 0.01)
        latencies.add(seconds)

    assert hedges <= 5000 * EXTRA_SHARE + 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([], 0.0, id="none"),
        pytest.param([3.0], 3.0, id="one"),
        pytest.param([float(i) for i in range(100)], 95.0, id="hundred"),
    ],
)
def test_percentile(values, expected):
    assert percentile(values, 0.95) == expected
