"""When the next worker is forked."""

from shard.backoff import FREE, MOST, Death, delay

SERVED = Death(lived=60.0, ready=True, suspicious=True)
KILLED = Death(lived=0.01, ready=True, suspicious=False)
CANNOT_OPEN = Death(lived=0.01, ready=False, suspicious=True)
BROKE_AT_ONCE = Death(lived=0.01, ready=True, suspicious=True)


def test_a_worker_that_served_is_replaced_at_once():
    assert delay([SERVED] * 50) == 0.0


def test_killing_from_outside_is_no_crash_loop():
    assert delay([KILLED] * 50) == 0.0


def test_a_few_useless_workers_are_replaced_at_once():
    assert delay([CANNOT_OPEN] * FREE) == 0.0


def test_a_crash_loop_slows_down_to_a_bound_and_goes_on_for_ever():
    delays = [delay([CANNOT_OPEN] * count) for count in range(FREE, 3000)]

    assert delays == sorted(delays)
    assert delays[1] > 0
    assert delays[-1] == MOST


def test_a_worker_that_breaks_as_soon_as_it_serves_is_part_of_the_loop():
    assert delay([BROKE_AT_ONCE] * 20) == MOST


def test_a_useful_worker_ends_the_loop():
    assert delay([*[CANNOT_OPEN] * 20, SERVED]) == 0.0
    assert delay([*[CANNOT_OPEN] * 20, SERVED, CANNOT_OPEN]) == 0.0
