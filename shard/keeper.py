"""The keeper: a small parent that forks the worker, and the next one when that dies.

It has no threads, no sockets and no archive open; what it has is everything imported, so that a
new worker serves within milliseconds. While a worker cannot be had, it forks a stand-in that says
why. It passes signals on, ends a worker that its own watchdog did not end or that somebody stopped,
and takes its children along when it goes. What it decides stands in `shard.backoff` and
`shard.quarantine`; this module only forks, waits and kills.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from common.deadline import Clock
from common.logs import get_logger
from shard import backoff, quarantine
from shard.backoff import Death
from shard.child import Child, End
from shard.fingerprint import NOTHING
from shard.quarantine import Suspicion
from shard.record import Record
from shard.signals import STOP, Signals
from shard.watchdog import keeper_limit

DRAIN_LIMIT = 8.0
"""Seconds a worker may take to drain; supervisors kill the keeper after ten."""

STAND_IN_FROM = 0.5
"""Seconds of a pause from which somebody stands in for the worker; gateways wait out shorter ones
as they do any restart."""

STAND_IN_LIMIT = 1.0
"""Seconds that a stand-in may take to end when it is told, or when its time is up."""

REPEAT = 60.0
"""Seconds between two log lines about the same crash loop."""

_HISTORY = 64


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

StandIn = Callable[[str, float], int]
"""Answers with this reason for so many seconds, in a process of its own."""


class Keeper:
    """Keeps one worker alive until SIGTERM or SIGINT.

    Args:
        work: What the worker does.
        stand_in: What is done while there is no worker.
        watchdog_seconds: After which a worker ends itself when it is stuck.
        since: When this process set out to serve, for the first worker's ready line.
    """

    def __init__(
        self,
        work: Work,
        stand_in: StandIn,
        *,
        watchdog_seconds: float,
        since: float | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._work = work
        self._stand_in = stand_in
        self._limit = keeper_limit(watchdog_seconds)
        self._clock = clock
        self._since = clock() if since is None else since
        self._record = Record()
        self._deaths: list[Death] = []
        self._suspicions: list[Suspicion] = []
        self._restarts = -1
        self._overdue = False
        self._kill_at: float | None = None
        self._reason = ""
        self._news: list[tuple[str, dict[str, Any]]] = []
        self._reported: tuple[str, float] = ("", -REPEAT)
        self._signals = Signals()
        self._logger = get_logger()

    def run(self) -> int:
        """Fork, wait, fork again; return 0 once told to stop and the worker has finished."""
        self._signals.heed()
        # The worker shares these pages; a collection would copy them for nothing.
        gc.collect()
        gc.freeze()
        while True:
            worker = self._fork_worker()
            self._tell()
            end = self._await_end(worker)
            if self._kill_at is not None:
                return self._farewell(end)
            self._note_death(worker, end)
            if not self._paused(backoff.delay(self._deaths)):
                return 0

    def _fork_worker(self) -> Child:
        now = self._clock()
        self._restarts += 1
        self._suspicions = quarantine.remembered(self._suspicions, now)
        seat = Seat(
            keeper_pid=os.getpid(),
            restarts=self._restarts,
            record=self._record,
            sentences=quarantine.sentences(self._suspicions, now),
            since=self._since,
            quiet=backoff.delay(self._deaths) > 0,
        )
        self._record.clear()
        self._overdue = False
        return Child(lambda: self._worked(seat), self._signals, now)

    def _worked(self, seat: Seat) -> int:
        """Do the work, in the child; return its exit status."""
        try:
            return self._work(seat)
        except Exception as exc:  # the top of a process
            self._record.reason = f"{type(exc).__name__}: {exc}"
            if not seat.quiet:
                self._logger.exception("worker failed")
            return 1
        finally:
            _flush()

    def _await_end(self, worker: Child) -> End:
        """Return how the worker ended; pass signals on meanwhile."""
        while (end := worker.look(self._clock())) is None:
            self._end_stuck(worker)
            for number in self._signals.wait(self._patience(worker)):
                if number in STOP:
                    self._kill_at = self._kill_at or self._clock() + DRAIN_LIMIT
                    worker.send(signal.SIGTERM)
        return end

    def _patience(self, worker: Child) -> float:
        """Return the seconds for which nothing but a signal can need attention."""
        now = self._clock()
        # Work that has not begun yet cannot be overdue before a whole limit has passed.
        waits = [(worker.stopped_at or self._record.began or now) + self._limit - now]
        if self._kill_at is not None:
            waits.append(self._kill_at - now)
        return max(0.05, min(waits))

    def _end_stuck(self, worker: Child) -> None:
        """Kill a worker that neither its watchdog nor a drain has ended in time."""
        now = self._clock()
        since = worker.stopped_at or self._record.began
        self._overdue = bool(since) and now - since >= self._limit
        drained = self._kill_at is None or now < self._kill_at
        if self._overdue or not drained:
            worker.send(signal.SIGKILL)

    def _paused(self, seconds: float) -> bool:
        """Wait, with a stand-in if it is worth it; tell whether nobody said to stop meanwhile."""
        if seconds:
            self._tell()
        until = self._clock() + seconds
        stopped = seconds >= STAND_IN_FROM and self._told_by_stand_in(seconds)
        while not stopped and (left := until - self._clock()) > 0:
            stopped = any(number in STOP for number in self._signals.wait(left))
        self._since = self._clock()
        return not stopped

    def _told_by_stand_in(self, seconds: float) -> bool:
        """Have a stand-in answer; return, once it has ended, whether somebody said to stop."""
        reason = f"the worker cannot serve: {self._reason}; tried again in {seconds:.2g} s"
        child = Child(lambda: self._stood_in(reason, seconds), self._signals, self._clock())
        kill_at = child.born + seconds + STAND_IN_LIMIT
        stopped = False
        while child.look(now := self._clock()) is None:
            if now >= kill_at:
                child.send(signal.SIGKILL)
            for number in self._signals.wait(max(0.05, kill_at - now)):
                if number in STOP:
                    stopped, kill_at = True, min(kill_at, now + STAND_IN_LIMIT)
                    child.send(signal.SIGTERM)
        return stopped

    def _stood_in(self, reason: str, seconds: float) -> int:
        with suppress(Exception):  # the top of a process; the keeper waits on without it
            return self._stand_in(reason, seconds)
        return 1

    def _farewell(self, end: End) -> int:
        self._logger.info("shard stopped", signal=end.signal, status=end.status)
        # A worker that never served has nothing to finish.
        return 1 if self._record.ready and any(end) else 0

    def _note_death(self, worker: Child, end: End) -> None:
        """Remember the death of a worker, and what was running."""
        now, record = self._clock(), self._record
        # Who stopped a worker is to blame for what became of it, not the request.
        was_stopped = worker.last_stopped >= record.began > 0
        suspicious = not was_stopped and quarantine.is_suspicious(
            status=end.status, ended_by=end.signal, overdue=self._overdue
        )
        death = Death(now - worker.born, ready=record.ready, suspicious=suspicious)
        self._deaths = [*self._deaths[1 - _HISTORY :], death]
        self._report(worker, death, end)
        if suspicious and record.subject != NOTHING:
            self._suspicions.append(Suspicion(now, record.subject))
            if record.subject in quarantine.sentences(self._suspicions, now):
                self._news.append(
                    ("request quarantined", {"running": record.label, "for": quarantine.SENTENCE})
                )

    def _report(self, worker: Child, death: Death, end: End) -> None:
        """Prepare the log line, unless it would only repeat the last one of a crash loop."""
        now = self._clock()
        reason = self._record.reason or (signal.Signals(end.signal).name if end.signal else "")
        self._reason = reason or f"it ended with status {end.status}"
        cause = f"{reason} {end.status}"
        looping = not death.ready or backoff.delay(self._deaths) > 0
        if looping and cause == self._reported[0] and now - self._reported[1] < REPEAT:
            return
        self._reported = (cause, now)
        facts = {
            "worker_pid": worker.pid,
            "reason": reason,
            "status": end.status,
            "running": self._record.label,
            "lived": round(death.lived, 3),
        }
        if worker.stopped_at is not None:
            facts["stopped_for"] = round(now - worker.stopped_at, 3)
        self._news.append((_event(death, end), facts))

    def _tell(self) -> None:
        """Log what happened: after the fork, since a slow log must not delay the next worker."""
        for event, facts in self._news:
            self._logger.warning(event, **facts)
        self._news.clear()


def _event(death: Death, end: End) -> str:
    if not death.ready:
        return "worker cannot serve"
    return "worker died" if any(end) else "worker left"


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
