"""What ends a worker that is stuck, also while libzim holds the interpreter lock.

Three lines, each later than the one before:

1. faulthandler's own thread writes where every thread stands and exits with status 1;
2. should that block (a full pipe behind stderr), SIGALRM with its default action ends the process;
3. should that fail too (a stopped process), the keeper ends it from outside (`keeper_limit`).
"""

import faulthandler
import signal
import sys

BACKSTOP = 1.0
"""Seconds that the traceback gets before SIGALRM."""

LAST_RESORT = 3.0
"""Seconds after the watchdog at which the keeper acts."""


class Watchdog:
    """Ends this process unless it is disarmed within ``seconds`` of being armed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def arm(self) -> None:
        """Start the clock, or start it again."""
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=sys.__stderr__ or 2)
        signal.setitimer(signal.ITIMER_REAL, self._seconds + BACKSTOP)

    def disarm(self) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def prepare(*, tell: bool = True) -> None:
    """Make this process die of what ends it, and say where it stood unless that is known."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if tell:
        faulthandler.enable(file=sys.__stderr__ or 2)


def keeper_limit(seconds: float) -> float:
    """Return the seconds after which a keeper ends a worker that its own watchdog did not."""
    return seconds + LAST_RESORT
