import pytest

from common.frames import DescribeRequest
from gateway.membership import Membership, State
from tests.gateway.scripted import described


def reply(**changes):
    return described(DescribeRequest(request_id=1, library="Lib"), **changes)


@pytest.fixture
def member():
    membership = Membership("Lib", clock=lambda: 0.0)
    membership.connected()
    return membership


@pytest.fixture
def ready(member):
    member.described_as(reply())
    return member


def test_new_replica_is_down_and_says_why():
    new = Membership("Lib")

    assert (new.state, new.error) == (State.DOWN, "not connected")


def test_connected_replica_is_starting_until_described(member):
    assert member.state is State.STARTING

    member.described_as(reply())

    assert member.ready


def test_disconnect_takes_a_replica_down_and_keeps_what_it_said(ready):
    ready.disconnected()

    assert ready.state is State.DOWN
    assert ready.described is not None


def test_replica_is_unable_from_a_stand_in_on_until_a_worker_describes_itself(ready):
    assert not ready.unable

    ready.disconnected()
    ready.connected()
    ready.cannot_serve("unavailable: no file")
    assert (ready.unable, ready.state, ready.error) == (True, State.DOWN, "unavailable: no file")

    ready.disconnected()
    ready.connected()
    assert ready.unable

    ready.described_as(reply())
    assert ready.ready
    assert not ready.unable


def test_late_description_does_not_raise_the_dead(ready):
    ready.disconnected()

    ready.described_as(reply())

    assert ready.state is State.DOWN


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        pytest.param({"protocol": 99}, "protocol 99", id="other protocol"),
        pytest.param({"library": "Other"}, "'Other'", id="other library"),
    ],
)
def test_foreign_replica_is_refused_and_says_why(member, changes, named):
    member.described_as(reply(**changes))

    assert member.state is State.DOWN
    assert named in member.error


def test_refused_replica_may_come_back_upgraded(member):
    member.described_as(reply(protocol=99))
    member.disconnected()
    member.connected()

    member.described_as(reply())

    assert member.ready
    assert member.error == ""


def test_missed_deadline_makes_a_suspect_and_an_answer_clears_it(ready):
    ready.missed()
    assert ready.state is State.SUSPECT

    ready.answered()

    assert ready.ready


def test_failed_handshake_is_told_until_one_succeeds():
    membership = Membership("Lib", clock=lambda: 0.0)

    membership.not_admitted("refuses our CURVE key")

    assert membership.state is State.DOWN
    assert membership.error == "refuses our CURVE key"
    membership.connected()
    assert membership.error == ""


def test_description_of_a_draining_replica_drains_it(member):
    member.described_as(reply(draining=True))

    assert member.state is State.DRAINING


def test_draining_replica_is_not_made_suspect(ready):
    ready.draining()
    ready.missed()

    assert ready.state is State.DRAINING


def test_renamed_replica_has_to_be_described_again(ready):
    ready.renamed()

    assert ready.state is State.STARTING
