"""The memory between a worker and its keeper."""

import os

from shard.fingerprint import NOTHING
from shard.record import Record

SUBJECT = b"s" * 16


def test_record_holds_what_is_running():
    record = Record()
    record.begin(SUBJECT, "query ünïcode", 12.5)

    assert (record.subject, record.label, record.began) == (SUBJECT, "query ünïcode", 12.5)


def test_record_holds_nothing_after_the_end():
    record = Record()
    record.begin(SUBJECT, "query", 12.5)
    record.end()

    assert (record.subject, record.label, record.began) == (NOTHING, "", 0.0)


def test_record_cuts_long_texts_between_characters():
    record = Record()
    record.begin(SUBJECT, "é" * 1000, 1.0)
    record.reason = "€" * 1000

    assert set(record.label) == {"é"}
    assert set(record.reason) == {"€"}
    assert record.subject == SUBJECT


def test_record_starts_afresh():
    record = Record()
    record.begin(SUBJECT, "query", 1.0)
    record.ready, record.reason = True, "why"
    record.clear()

    assert (record.subject, record.ready, record.reason) == (NOTHING, False, "")


def test_record_passes_from_a_forked_process():
    record = Record()
    child = os.fork()
    if child == 0:
        record.begin(SUBJECT, "query", 1.0)
        record.ready = True
        os._exit(0)
    os.waitpid(child, 0)

    assert (record.subject, record.ready) == (SUBJECT, True)
