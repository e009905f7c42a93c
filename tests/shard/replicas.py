"""Replicas as real processes, and what they log."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from shard.keeper import DRAIN_LIMIT
from tests.shard.peers import PATIENCE

ROOT = Path(__file__).parents[2]


class Replica:
    """A keeper with its worker; its log is read line by line."""

    def __init__(self, *command: str, **environment: str) -> None:
        self.noise: list[str] = []
        self._rest = b""
        self._lines: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env={**os.environ, **environment},
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._log = self._process.stderr.fileno()

    @property
    def pid(self) -> int:
        return self._process.pid

    def event(self, name: str) -> dict[str, Any]:
        """Return the next log line with this event; lines before it are gone."""
        until = time.monotonic() + PATIENCE
        while True:
            while self._lines:
                line = self._lines.pop(0)
                with suppress(ValueError):
                    found = json.loads(line)
                    if found["event"] == name:
                        return found
                self.noise.append(line)
            self._read_log(until - time.monotonic(), name)

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def wait(self) -> int:
        """Return the exit status of the keeper; the rest of the log becomes noise."""
        _, rest = self._process.communicate(timeout=PATIENCE + DRAIN_LIMIT)
        self.noise += [*self._lines, *(self._rest + rest).decode().splitlines()]
        return self._process.returncode

    def end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.communicate(timeout=PATIENCE)

    def _read_log(self, seconds: float, wanted: str) -> None:
        readable, _, _ = select.select([self._log], [], [], max(0.0, seconds))
        data = os.read(self._log, 65536) if readable else b""
        if not data:
            raise TimeoutError(f"no event {wanted!r}, but {self.noise}")
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines += [line.decode() for line in lines]


@contextmanager
def rigged(endpoint: str, broken: Path | None = None, **environment: str) -> Iterator[Replica]:
    """Run a rigged shard; whatever the test does, no process stays."""
    broken_argument = [str(broken)] if broken else []
    replica = Replica("tests.shard.rigged", endpoint, *broken_argument, **environment)
    try:
        yield replica
    finally:
        replica.end()


def child_of(pid: int) -> int:
    """Return the only child of a process, waiting for it to be there."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
    raise TimeoutError(f"process {pid} has no child")


def stop(pid: int) -> None:
    """Stop a process; return once it stands still."""
    os.kill(pid, signal.SIGSTOP)
    until = time.monotonic() + PATIENCE
    while any(_state(thread) != "T" for thread in Path(f"/proc/{pid}/task").iterdir()):
        if time.monotonic() > until:
            raise TimeoutError(f"process {pid} cannot be stopped")


def _state(process: Path) -> str:
    return (process / "stat").read_text().rpartition(") ")[2][0]


def is_gone(pid: int) -> bool:
    """Wait until a process that is not ours has ended; tell whether it has."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], PATIENCE)[0])
    finally:
        os.close(descriptor)
