"""When the gateway may be called ready: a pure function of what is connected and of time."""

import time
from collections.abc import Collection
from typing import Literal

from common.deadline import Clock

STARTUP_GRACE = 10.0
"""Seconds a starting gateway waits for every library before it serves with what there is."""

Phase = Literal["starting", "ready", "degraded", "draining"]


class Readiness:
    """Remembers whether the gateway has opened; it never goes back to ``starting``."""

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._started = clock()
        self._opened = False
        self._draining = False

    def phase(self, ready: Collection[str], expected: int) -> Phase:
        """Return the phase with these libraries ready out of ``expected``.

        It opens when all are, or after `STARTUP_GRACE` with at least one, so that one broken
        archive never keeps the others from being served.
        """
        if self._draining:
            return "draining"
        complete = len(ready) >= expected
        patient = self._clock() - self._started < STARTUP_GRACE
        if not self._opened and (complete or (ready and not patient)):
            self._opened = True
        if not self._opened:
            return "starting"
        return "ready" if complete else "degraded"

    def drain(self) -> None:
        """Say farewell: from now on the phase is ``draining``."""
        self._draining = True
