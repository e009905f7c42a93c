"""Reading the logs that supervisord writes for each program."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

_TAIL_BYTES = 256 * 1024
"""Read from the end of a log: more than a thousand lines."""

_TICK = 0.2


def tail(path: Path, lines: int) -> list[str]:
    """Return the last ``lines`` lines of a log; none if it is not there."""
    if lines < 1:
        return []
    return _end(path).splitlines()[-lines:]


def last_words(path: Path) -> str:
    """Return what a program said last, on one line, for a message."""
    said = [line.strip() for line in tail(path, 20) if line.strip()]
    return _plain(said[-1])[:300] if said else f"see {path}"


def follow(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """Return each line that is added to a log after this call, with its log, without end.

    A log that is rotated or only made later is followed too.
    """
    return _lines([_Reader(path) for path in paths])


def _lines(readers: list["_Reader"]) -> Iterator[tuple[Path, str]]:
    while True:
        found = [(reader.path, line) for reader in readers for line in reader.lines()]
        yield from found
        if not found:
            time.sleep(_TICK)


class _Reader:
    """Follows one log from its present end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rest = b""
        self._inode, self._at = _identity(path)

    def lines(self) -> list[str]:
        """Return the complete lines since the last call."""
        inode, size = _identity(self.path)
        if inode != self._inode or size < self._at:
            self._inode, self._at, self._rest = inode, 0, b""
        if size == self._at:
            return []
        with self.path.open("rb") as file:
            file.seek(self._at)
            data = file.read(size - self._at)
        self._at += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode(errors="replace") for line in lines]


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_ino, found.st_size


def _end(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _TAIL_BYTES))
            return file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""


def _plain(line: str) -> str:
    """Return a structured log line as a sentence; any other as it is."""
    try:
        event = json.loads(line)
    except ValueError:
        return line
    if not isinstance(event, dict):
        return line
    rest = (str(event[key]) for key in ("error", "reason", "message") if event.get(key))
    return ": ".join([str(event.get("event", line)), *rest])
