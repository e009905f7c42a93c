"""Logs are JSON lines on stderr, whoever writes them; stdout stays untouched."""

import json
import os
import subprocess
import sys
from typing import Any

HEADER = "import logging; from common import logs; logs.configure({level!r}, role='shard')\n"


def logged(code: str, level: str = "INFO") -> list[dict[str, Any]]:
    """Run ``code`` in a process of its own and return what it logged."""
    result = subprocess.run(
        [sys.executable, "-c", HEADER.format(level=level) + code],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert result.stdout == ""
    return [json.loads(line) for line in result.stderr.splitlines()]


def test_event_has_its_fields_level_time_and_role() -> None:
    (line,) = logged("logs.get_logger().info('shard ready', library='Лиса', pid=7)")

    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "shard ready",
        "level": "info",
        "library": "Лиса",
        "pid": 7,
        "role": "shard",
    }


def test_less_severe_events_are_left_out() -> None:
    (line,) = logged("log = logs.get_logger(); log.info('a'); log.warning('b')", "WARNING")

    assert line["event"] == "b"


def test_exception_stands_in_its_line() -> None:
    (line,) = logged("try: 1 / 0\nexcept ZeroDivisionError: logs.get_logger().exception('broken')")

    assert line["level"] == "error"
    assert "ZeroDivisionError" in line["exception"]


def test_loggers_of_other_libraries_write_the_same_lines_from_warning_on() -> None:
    (line,) = logged("log = logging.getLogger('other'); log.info('a'); log.warning('b %d', 1)")

    assert (line["event"], line["level"], line["role"]) == ("b 1", "warning", "shard")


def test_value_that_json_does_not_know_is_written_as_text() -> None:
    (line,) = logged("from pathlib import Path; logs.get_logger().info('a', path=Path('/x'))")

    assert line["path"] == "/x"


def process_on(stderr: int) -> "subprocess.Popen[str]":
    """Log more than a pipe holds, and then say so on stdout."""
    code = (
        "log = logs.get_logger()\n"
        "for _ in range(200): log.info('a', text='x' * 999)\n"
        "try: 1 / 0\n"
        "except ZeroDivisionError: logging.getLogger('other').exception('b')\n"
        "print('done')"
    )
    return subprocess.Popen(
        [sys.executable, "-c", HEADER.format(level="INFO") + code],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def test_nobody_reading_the_log_ends_no_work() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with process_on(writer) as running:
        os.close(writer)
        said, _ = running.communicate(timeout=30)

    assert (said, running.returncode) == ("done\n", 0)


def test_reader_that_has_stopped_reading_holds_up_no_work() -> None:
    reader, writer = os.pipe()
    with process_on(writer) as running:
        os.close(writer)
        said, _ = running.communicate(timeout=30)
    first = os.read(reader, 4096).splitlines()[0]
    os.close(reader)

    assert (said, running.returncode) == ("done\n", 0)
    assert json.loads(first)["event"] == "a"


def test_reader_that_keeps_up_gets_every_line() -> None:
    reader, writer = os.pipe()
    with process_on(writer) as running, os.fdopen(reader) as log:
        os.close(writer)
        events = [json.loads(line)["event"] for line in log]
        running.communicate(timeout=30)

    assert events == ["a"] * 200 + ["b"]
