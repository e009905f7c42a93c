"""Which requests a replica refuses, and until when: a pure function of its workers' deaths.

A request that was running at two suspicious deaths within `WINDOW` is refused for `SENTENCE`, from
the second death on. What ends a worker from outside convicts nobody.
"""

import signal
from collections.abc import Sequence
from typing import NamedTuple

from shard.fingerprint import NOTHING

WINDOW = 600.0
"""Seconds between two deaths that are held against the same request."""

SENTENCE = 600.0
"""Seconds for which a request is refused."""

SUSPICIOUS_SIGNALS = frozenset(
    {signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGALRM}
)
"""What damaged archives were seen to raise; SIGALRM is the watchdog's backstop."""


class Suspicion(NamedTuple):
    """A suspicious death: when, on the keeper's clock, and what was running."""

    at: float
    subject: bytes


def is_suspicious(*, status: int, ended_by: int, overdue: bool) -> bool:
    """Tell whether the request that was running may be to blame for the death of its worker.

    ``status`` is the exit status, ``ended_by`` the signal (0: none), ``overdue`` says that the
    keeper itself ended the worker because the request ran too long.
    """
    return overdue or ended_by in SUSPICIOUS_SIGNALS or (ended_by == 0 and status != 0)


def sentences(suspicions: Sequence[Suspicion], now: float) -> dict[bytes, float]:
    """Return what is refused at ``now``, with the time at which that ends.

    ``suspicions`` are in the order of time. Work that is nobody's request is never refused.
    """
    refused: dict[bytes, float] = {}
    last: dict[bytes, float] = {}
    for at, subject in suspicions:
        if subject != NOTHING and at - last.get(subject, -WINDOW * 2 + at) <= WINDOW:
            refused[subject] = at + SENTENCE
        last[subject] = at
    return {subject: until for subject, until in refused.items() if until > now}


def remembered(suspicions: Sequence[Suspicion], now: float) -> list[Suspicion]:
    """Return the deaths that can still matter at ``now``."""
    return [each for each in suspicions if now - each.at <= WINDOW + SENTENCE]
