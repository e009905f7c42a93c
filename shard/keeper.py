"""The keeper: a small parent that forks the worker, and the next one when that dies.

It has no threads, no sockets and no archive open; what it has is everything imported, so that a
new worker serves within milliseconds. It passes signals on, ends a worker that its own watchdog did
not end, and takes the worker along when it goes. What it decides stands in `shard.backoff` and
`shard.quarantine`; this module only forks, waits and kills.
"""

import ctypes
import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from common.deadline import Clock
from common.logs import get_logger
from shard import backoff, quarantine
from shard.backoff import Death
from shard.fingerprint import NOTHING
from shard.quarantine import Suspicion
from shard.record import Record
from shard.watchdog import keeper_limit

DRAIN_LIMIT = 8.0
"""Seconds a worker may take to drain; supervisors kill the keeper after ten."""

REPEAT = 60.0
"""Seconds between two log lines about the same crash loop."""

_HISTORY = 64
_STOP = frozenset({signal.SIGTERM, signal.SIGINT})
_HEEDED = _STOP | {signal.SIGCHLD}
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Seat:
    """What a keeper gives to a worker.

    Attributes:
        restarts: Workers before this one.
        sentences: Fingerprints of refused requests, with the end of the refusal on the monotonic
            clock.
        since: When the keeper set out to have this worker, on the monotonic clock.
        quiet: Whether the same failure has been logged already.
    """

    keeper_pid: int
    restarts: int
    record: Record
    sentences: Mapping[bytes, float]
    since: float
    quiet: bool


Work = Callable[[Seat], int]
"""Runs in the forked process; returns its exit status."""


class Keeper:
    """Keeps one worker alive until SIGTERM or SIGINT.

    Args:
        work: What the worker does.
        watchdog_seconds: After which a worker ends itself when it is stuck.
        since: When this process set out to serve, for the first worker's ready line.
    """

    def __init__(
        self,
        work: Work,
        *,
        watchdog_seconds: float,
        since: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._work = work
        self._limit = keeper_limit(watchdog_seconds)
        self._clock = clock
        self._since = clock() if since is None else since
        self._record = Record()
        self._deaths: list[Death] = []
        self._suspicions: list[Suspicion] = []
        self._forks = 0
        self._worker = 0
        self._forked_at = 0.0
        self._overdue = False
        self._kill_at: float | None = None
        self._news: list[tuple[str, dict[str, Any]]] = []
        self._reported: tuple[str, float] = ("", -REPEAT)
        self._wake_reader, self._wake_writer = os.pipe()
        self._logger = get_logger()

    def run(self) -> int:
        """Fork, wait, fork again; return 0 once told to stop and the worker has finished."""
        self._heed_signals()
        # The worker shares these pages; a collection would copy them for nothing.
        gc.collect()
        gc.freeze()
        while True:
            self._fork()
            self._tell()
            status = self._await_death()
            if self._kill_at is not None:
                return self._farewell(status)
            self._note_death(status)
            if not self._paused(backoff.delay(self._deaths)):
                return 0

    def _heed_signals(self) -> None:
        for descriptor in (self._wake_reader, self._wake_writer):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        for number in _HEEDED:
            # The wake-up descriptor says which one came; a handler only has to be there.
            signal.signal(number, _ignore)

    def _fork(self) -> None:
        now = self._clock()
        self._suspicions = quarantine.remembered(self._suspicions, now)
        seat = Seat(
            keeper_pid=os.getpid(),
            restarts=self._forks,
            record=self._record,
            sentences=quarantine.sentences(self._suspicions, now),
            since=self._since,
            quiet=backoff.delay(self._deaths) > 0,
        )
        self._record.clear()
        self._forked_at, self._overdue = now, False
        self._forks += 1
        # Blocked, so that none is lost between the fork and the worker's own handlers.
        signal.pthread_sigmask(signal.SIG_BLOCK, _HEEDED)
        self._worker = os.fork()
        if self._worker == 0:
            self._become_worker(seat)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEEDED)

    def _become_worker(self, seat: Seat) -> NoReturn:
        """Do the work and end this process; never returns."""
        status = 1
        try:
            _die_with(seat.keeper_pid)
            signal.set_wakeup_fd(-1)
            os.close(self._wake_reader)
            os.close(self._wake_writer)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            status = self._work(seat)
        except Exception as exc:  # the top of a process
            self._record.reason = f"{type(exc).__name__}: {exc}"
            if not seat.quiet:
                self._logger.exception("worker failed")
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(status)

    def _await_death(self) -> int:
        """Return the wait status of the worker; pass signals on meanwhile."""
        while True:
            pid, status = os.waitpid(self._worker, os.WNOHANG)
            if pid:
                return status
            self._end_stuck_worker()
            for number in self._signals(self._patience()):
                self._pass_on(number)

    def _patience(self) -> float:
        """Return the seconds for which nothing but a signal can need attention."""
        now = self._clock()
        # Work that has not begun yet cannot be overdue before a whole limit has passed.
        waits = [(self._record.began or now) + self._limit - now]
        if self._kill_at is not None:
            waits.append(self._kill_at - now)
        return max(0.05, min(waits))

    def _signals(self, seconds: float) -> bytes:
        """Return the numbers of the signals that came, waiting up to ``seconds`` for one."""
        with suppress(InterruptedError):
            select.select([self._wake_reader], [], [], seconds)
        with suppress(BlockingIOError):
            return os.read(self._wake_reader, 512)
        return b""

    def _pass_on(self, number: int) -> None:
        if number in _STOP:
            self._kill_at = self._kill_at or self._clock() + DRAIN_LIMIT
            os.kill(self._worker, signal.SIGTERM)

    def _end_stuck_worker(self) -> None:
        """Kill a worker that neither its watchdog nor a drain has ended in time."""
        now, began = self._clock(), self._record.began
        self._overdue = bool(began) and now - began >= self._limit
        drained = self._kill_at is None or now < self._kill_at
        if self._overdue or not drained:
            os.kill(self._worker, signal.SIGKILL)

    def _paused(self, seconds: float) -> bool:
        """Wait; tell whether the time passed without a signal to stop."""
        if seconds:
            self._tell()
        until = self._clock() + seconds
        while (left := until - self._clock()) > 0:
            if any(number in _STOP for number in self._signals(left)):
                return False
        self._since = self._clock()
        return True

    def _farewell(self, status: int) -> int:
        ended_by, code = _how(status)
        self._logger.info("shard stopped", signal=ended_by, status=code)
        # A worker that never served has nothing to finish.
        return 1 if self._record.ready and (ended_by or code) else 0

    def _note_death(self, status: int) -> None:
        """Remember the death of a worker, and what was running."""
        ended_by, code = _how(status)
        now, record = self._clock(), self._record
        suspicious = quarantine.is_suspicious(status=code, ended_by=ended_by, overdue=self._overdue)
        death = Death(now - self._forked_at, ready=record.ready, suspicious=suspicious)
        self._deaths = [*self._deaths[1 - _HISTORY :], death]
        self._report(death, ended_by, code)
        if suspicious and record.subject != NOTHING:
            self._suspicions.append(Suspicion(now, record.subject))
            if record.subject in quarantine.sentences(self._suspicions, now):
                self._news.append(
                    ("request quarantined", {"running": record.label, "for": quarantine.SENTENCE})
                )

    def _report(self, death: Death, ended_by: int, code: int) -> None:
        """Prepare the log line, unless it would only repeat the last one of a crash loop."""
        now = self._clock()
        reason = self._record.reason or (signal.Signals(ended_by).name if ended_by else "")
        cause = f"{reason} {code}"
        looping = backoff.delay(self._deaths) > 0 and cause == self._reported[0]
        if looping and now - self._reported[1] < REPEAT:
            return
        self._reported = (cause, now)
        facts = {
            "worker_pid": self._worker,
            "reason": reason,
            "status": code,
            "running": self._record.label,
            "lived": round(death.lived, 3),
        }
        self._news.append(("worker died" if death.ready else "worker cannot serve", facts))

    def _tell(self) -> None:
        """Log what happened: after the fork, since a slow log must not delay the next worker."""
        for event, facts in self._news:
            self._logger.warning(event, **facts)
        self._news.clear()


def _how(status: int) -> tuple[int, int]:
    """Return the signal (0: none) and the exit status (0 with a signal) of a wait status."""
    code = os.waitstatus_to_exitcode(status)
    return (-code, 0) if code < 0 else (0, code)


def _die_with(keeper_pid: int) -> None:
    """Have the system kill this process when its keeper dies (Linux)."""
    _set_death_signal(signal.SIGKILL)
    # The keeper may have died before that took effect.
    if os.getppid() != keeper_pid:
        os._exit(1)


def _set_death_signal(number: int) -> None:
    prctl = getattr(_LIBC, "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)


def _ignore(number: int, frame: object) -> None:
    del number, frame


_LIBC = ctypes.CDLL(None)
