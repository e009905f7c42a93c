"""What stands around every step of a worker that has a keeper."""

import pytest

from shard.guard import KeptGuard
from shard.record import Record
from shard.watchdog import Watchdog


@pytest.fixture
def record_and_watchdog():
    return Record(), Watchdog(60.0)


def test_kept_guard_refuses_until_the_sentence_ends(record_and_watchdog):
    now = [10.0]
    guard = KeptGuard(*record_and_watchdog, {b"x" * 16: 20.0}, clock=lambda: now[0])
    before = (guard.refuses(b"x" * 16), guard.refused(), guard.refuses(b"y" * 16))
    now[0] = 20.0

    assert before == (True, 1, False)
    assert (guard.refuses(b"x" * 16), guard.refused()) == (False, 0)


def test_kept_guard_narrows_without_losing_the_beginning(record_and_watchdog):
    record, _ = record_and_watchdog
    now = [10.0]
    guard = KeptGuard(*record_and_watchdog, {}, clock=lambda: now[0])
    guard.begin(b"x" * 16, "preview")
    now[0] = 11.0
    guard.narrow(b"y" * 16, "page")
    seen = (record.subject, record.label, record.began)
    guard.end()

    assert seen == (b"y" * 16, "page", 10.0)
    assert record.began == 0.0
