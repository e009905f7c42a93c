"""A forked process as its keeper sees it: how it is made, and whether it runs, stands or has ended.

The keeper has no threads, so forking is safe; the child shares its memory until one of them writes.
"""

import ctypes
import os
import signal
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from shard.signals import Signals

_PR_SET_PDEATHSIG = 1


class End(NamedTuple):
    """How a process ended: by a signal (0: none), and with which status (0 with a signal)."""

    signal: int
    status: int


class Child:
    """One forked process, until its end has been seen.

    Attributes:
        born: When it was forked, on the keeper's clock.
        stopped_at: Since when somebody has it stopped (SIGSTOP); None while it runs.
        last_stopped: When it was last seen stopped; minus infinity if it never was.
    """

    def __init__(self, run: Callable[[], int], signals: Signals, now: float) -> None:
        """Fork; the child does ``run`` and exits with what that returns."""
        self.born = now
        self.stopped_at: float | None = None
        self.last_stopped = -float("inf")
        keeper = os.getpid()
        # Blocked, so that none is lost between the fork and the child's own handlers.
        signals.block()
        self.pid = os.fork()
        if self.pid == 0:
            _live(run, signals, keeper)
        signals.unblock()

    def look(self, now: float) -> End | None:
        """Take note of what happened to it since the last look; return its end once it ended."""
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
            if pid == 0:
                break
            if os.WIFSTOPPED(status):
                self.stopped_at = now
            elif os.WIFCONTINUED(status):
                self.stopped_at, self.last_stopped = None, now
            else:
                code = os.waitstatus_to_exitcode(status)
                return End(-code, 0) if code < 0 else End(0, code)
        if self.stopped_at is not None:
            self.last_stopped = now
        return None

    def send(self, number: int) -> None:
        """Send it a signal; a child whose end has not been seen cannot be mistaken for another."""
        os.kill(self.pid, number)


def _live(run: Callable[[], int], signals: Signals, keeper: int) -> NoReturn:
    status = 1
    try:
        _die_with(keeper)
        signals.forget()
        status = run()
    finally:
        # Whatever happened: what follows the fork in the keeper is none of the child's business.
        os._exit(status)


def _die_with(keeper: int) -> None:
    """Have the system kill this process when its keeper dies (Linux)."""
    prctl = getattr(_LIBC, "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The keeper may have died before that took effect.
    if os.getppid() != keeper:
        os._exit(1)


_LIBC = ctypes.CDLL(None)
