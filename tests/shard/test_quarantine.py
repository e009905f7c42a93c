"""Which deaths convict, whom, and for how long; and what counts as the same request."""

import signal

import pytest

from shard import fingerprint
from shard.fingerprint import NOTHING
from shard.quarantine import SENTENCE, WINDOW, Suspicion, is_suspicious, remembered, sentences
from tests.shard import requests

POISON = b"p" * 16
OTHER = b"o" * 16


def test_one_death_convicts_nobody():
    assert sentences([Suspicion(10, POISON)], 11) == {}


def test_two_deaths_within_the_window_convict():
    deaths = [Suspicion(10, POISON), Suspicion(10 + WINDOW, POISON)]

    assert sentences(deaths, 11 + WINDOW) == {POISON: 10 + WINDOW + SENTENCE}


def test_two_deaths_too_far_apart_do_not_convict():
    deaths = [Suspicion(10, POISON), Suspicion(10.1 + WINDOW, POISON)]

    assert sentences(deaths, 11 + WINDOW) == {}


def test_deaths_of_different_requests_do_not_add_up():
    assert sentences([Suspicion(10, POISON), Suspicion(11, OTHER)], 12) == {}


def test_a_death_of_another_request_in_between_does_not_acquit():
    deaths = [Suspicion(10, POISON), Suspicion(11, OTHER), Suspicion(12, POISON)]

    assert sentences(deaths, 13) == {POISON: 12 + SENTENCE}


def test_a_sentence_ends():
    deaths = [Suspicion(10, POISON), Suspicion(11, POISON)]

    assert sentences(deaths, 11 + SENTENCE) == {}


def test_a_third_death_prolongs_the_sentence():
    deaths = [Suspicion(10, POISON), Suspicion(11, POISON), Suspicion(12, POISON)]

    assert sentences(deaths, 13) == {POISON: 12 + SENTENCE}


def test_work_that_is_nobodys_request_is_never_refused():
    assert sentences([Suspicion(1, NOTHING), Suspicion(2, NOTHING)], 3) == {}


def test_remembered_keeps_what_can_matter_and_nothing_else():
    deaths = [Suspicion(0, POISON), Suspicion(WINDOW, POISON), Suspicion(WINDOW + 1, OTHER)]
    now = WINDOW + SENTENCE + 0.5

    assert remembered(deaths, now) == deaths[1:]
    assert sentences(remembered(deaths, WINDOW + 1), WINDOW + 1) == sentences(deaths, WINDOW + 1)


@pytest.mark.parametrize(
    ("status", "ended_by", "overdue", "expected"),
    [
        pytest.param(0, signal.SIGSEGV, False, True, id="segmentation fault"),
        pytest.param(0, signal.SIGABRT, False, True, id="abort"),
        pytest.param(0, signal.SIGBUS, False, True, id="bus error"),
        pytest.param(0, signal.SIGILL, False, True, id="illegal instruction"),
        pytest.param(0, signal.SIGALRM, False, True, id="watchdog backstop"),
        pytest.param(1, 0, False, True, id="watchdog or exit status"),
        pytest.param(0, signal.SIGKILL, True, True, id="killed by the keeper"),
        pytest.param(0, signal.SIGKILL, False, False, id="killed from outside"),
        pytest.param(0, signal.SIGTERM, False, False, id="terminated"),
        pytest.param(0, 0, False, False, id="drained"),
    ],
)
def test_suspicion_depends_on_how_the_worker_ended(status, ended_by, overdue, expected):
    assert is_suspicious(status=status, ended_by=ended_by, overdue=overdue) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            requests.query("a b", 1, budget=1), requests.query("a b", 2, limit=3), id="query"
        ),
        pytest.param(
            requests.document("p", 1), requests.document("p", 2, sections=("s",)), id="document"
        ),
        pytest.param(requests.preview("p"), requests.preview("p", number=9), id="preview"),
    ],
)
def test_fingerprint_is_the_same_for_what_meets_the_same_fault(one, other):
    assert fingerprint.of_request(one) == fingerprint.of_request(other)


def test_fingerprint_tells_different_work_apart():
    different = [
        requests.query("a b"),
        requests.query("ab"),
        requests.query("a b", archive="another edition"),
        requests.document("a b"),
        requests.document("p"),
        requests.preview("p"),
        requests.preview("p", "q"),
        requests.preview("q", words=("word", "p")),
    ]

    assert len({fingerprint.of_request(each) for each in different}) == len(different)


def test_fingerprint_of_a_describe_is_nothing():
    assert fingerprint.of_request(requests.describe()) == NOTHING


def test_fingerprint_of_a_document_is_that_of_its_page():
    request = requests.document("p")

    assert fingerprint.of_request(request) == fingerprint.of_page(request.archive, "p")


def test_label_leaves_out_the_query_where_it_may_not_be_logged():
    request = requests.query("private")

    assert "private" in fingerprint.label(request, with_text=True)
    assert "private" not in fingerprint.label(request, with_text=False)
