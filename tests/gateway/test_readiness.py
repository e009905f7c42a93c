import pytest

from gateway.readiness import STARTUP_GRACE, Readiness


@pytest.fixture
def readiness(clock):
    return Readiness(clock=clock)


def test_gateway_is_starting_until_every_library_is_ready(readiness):
    assert readiness.phase(["a"], 2) == "starting"
    assert readiness.phase(["a", "b"], 2) == "ready"


def test_gateway_serves_degraded_after_the_grace(readiness, clock):
    clock.now += STARTUP_GRACE

    assert readiness.phase(["a"], 2) == "degraded"


def test_gateway_without_any_library_stays_starting(readiness, clock):
    clock.now += 10 * STARTUP_GRACE

    assert readiness.phase([], 2) == "starting"


def test_gateway_never_goes_back_to_starting(readiness):
    readiness.phase(["a"], 1)

    assert readiness.phase([], 1) == "degraded"


def test_draining_hides_everything_else(readiness):
    readiness.drain()

    assert readiness.phase(["a"], 1) == "draining"
