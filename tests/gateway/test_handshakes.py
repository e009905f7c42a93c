import pytest

from gateway import handshakes
from gateway.handshakes import FIRST_PAUSE, LONGEST_PAUSE, PATIENCE, Handshakes


@pytest.fixture
def attempts(clock):
    return Handshakes(encrypted=True, clock=clock)


def reach(attempts, clock, seconds, *, every):
    for _ in range(round(seconds / every) + 1):
        attempts.reached()
        clock.now += every


def test_first_attempts_are_nothing_to_tell(attempts, clock):
    reach(attempts, clock, PATIENCE - 0.1, every=0.02)

    assert attempts.reason == ""
    assert not attempts.hangs_up


@pytest.mark.parametrize(
    ("encrypted", "reason"),
    [
        pytest.param(True, handshakes.SILENT_ENCRYPTED, id="curve"),
        pytest.param(False, handshakes.SILENT, id="plain"),
    ],
)
def test_stopped_peer_is_told_and_tried_on(clock, encrypted, reason):
    attempts = Handshakes(encrypted=encrypted, clock=clock)

    reach(attempts, clock, PATIENCE, every=1.0)

    assert attempts.reason == reason
    assert not attempts.hangs_up


def test_peer_that_hangs_up_at_once_is_not_tried_in_a_hurry(attempts, clock):
    reach(attempts, clock, PATIENCE + 0.1, every=0.02)
    assert attempts.hangs_up

    reach(attempts, clock, 100, every=LONGEST_PAUSE)

    assert attempts.hangs_up


def test_peer_that_was_away_is_given_its_time_again(attempts, clock):
    reach(attempts, clock, PATIENCE - 0.1, every=0.02)
    clock.now += PATIENCE + 1

    reach(attempts, clock, PATIENCE - 0.1, every=0.02)

    assert attempts.reason == ""


@pytest.mark.parametrize(
    ("event", "encrypted", "reason"),
    [
        pytest.param(Handshakes.refused, True, handshakes.REFUSED, id="refused"),
        pytest.param(Handshakes.mismatched, True, handshakes.PLAIN, id="plain peer"),
        pytest.param(Handshakes.mismatched, False, handshakes.ENCRYPTED, id="encrypted peer"),
        pytest.param(Handshakes.foreign, False, handshakes.FOREIGN, id="foreign"),
    ],
)
def test_known_reason_is_told_at_once_and_kept(clock, event, encrypted, reason):
    attempts = Handshakes(encrypted=encrypted, clock=clock)

    event(attempts)
    reach(attempts, clock, 2 * PATIENCE, every=1.0)

    assert attempts.reason == reason


def test_handshake_forgets_everything(attempts, clock):
    reach(attempts, clock, PATIENCE + 0.1, every=0.02)
    attempts.paused()

    attempts.succeeded()

    assert (attempts.reason, attempts.hangs_up, attempts.pause) == ("", False, FIRST_PAUSE)


def test_pauses_grow_to_a_bound(attempts):
    pauses = []
    for _ in range(8):
        pauses.append(attempts.pause)
        attempts.paused()

    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0]
