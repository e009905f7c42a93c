"""The processes of a cluster, found by what stands in their environment.

This works whatever became of supervisord: `kill -9` leaves its children alive. It needs ``/proc``;
where there is none, nothing is found, and supervisord alone is asked.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from deploy.site import CLUSTER_MARK, RunDir

_PROC = Path("/proc")

_TICK = 0.03
"""Seconds between two looks; one takes a few milliseconds."""


class Process(NamedTuple):
    """A process that runs now."""

    pid: int
    command: tuple[str, ...]

    @property
    def is_supervisor(self) -> bool:
        """Whether it is the one that keeps the others running."""
        return "supervisor.supervisord" in self.command


def members(run_dir: RunDir) -> list[Process]:
    """Return every process of the cluster in ``run_dir``, by pid."""
    found = (_member(entry, run_dir) for entry in _pids())
    return sorted(process for process in found if process)


def supervisor(run_dir: RunDir) -> int | None:
    """Return the pid of the cluster's supervisord, or None if it does not run."""
    return next((process.pid for process in members(run_dir) if process.is_supervisor), None)


def end(run_dir: RunDir, seconds: float) -> None:
    """End every process of the cluster: at first politely, after ``seconds`` by force."""
    if seconds > 0:
        send(signal.SIGTERM, members(run_dir))
        if wait(lambda: not members(run_dir), seconds):
            return
    # Whoever is being started just now is met by a later round.
    wait(lambda: not send(signal.SIGKILL, members(run_dir)), 5.0)


def send(number: signal.Signals, processes: Iterable[Process]) -> list[Process]:
    """Send a signal to each process; return them all."""
    processes = list(processes)
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)
    return processes


def wait(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until ``condition`` holds; tell whether it did within ``seconds``."""
    at = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= at:
            return False
        time.sleep(_TICK)
    return True


def _pids() -> list[Path]:
    try:
        return [entry for entry in _PROC.iterdir() if entry.name.isdigit()]
    except OSError:
        return []


def _member(entry: Path, run_dir: RunDir) -> Process | None:
    try:
        environment = (entry / "environ").read_bytes().split(b"\0")
        command = (entry / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        # It has ended meanwhile, or belongs to somebody else.
        return None
    mine = os.fsencode(f"CORPUS_RUN_DIR={run_dir.path}")
    mark = os.fsencode(f"{CLUSTER_MARK}=1")
    if mine not in environment or mark not in environment:
        return None
    return Process(int(entry.name), tuple(os.fsdecode(word) for word in command))
