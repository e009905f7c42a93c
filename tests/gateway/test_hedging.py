import pytest

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
