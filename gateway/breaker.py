"""When searches leave a replica alone that never answers them: pure policy with a clock.

::

    closed ──third bad end in a row──▶ open ──pause over──▶ half-open ──probe answered──▶ closed
                                        ▲                       │
                                        └──probe ended badly────┘   the pause doubles

A bad end is a request without an answer: its deadline passed, nobody waited any longer for a
replica that had long been silent, or the replica went away. What one fault does to many requests
counts once: only a request that was sent after the last bad end is evidence of another.

Only searches ask it, and only their ends count: a fetch has nobody else to ask, and a document that
comes, or does not, tells little about an index.
"""

import time
from enum import StrEnum

from common.deadline import Clock

BAD_ENDS = 3
"""In a row, without an answer between them. A worker that is killed now and then answers between
two kills, and one that is slow answers late."""

FIRST_PAUSE = 1.0
"""Seconds until the first probe: a worker is back within a tenth of that, if it comes back."""

LONGEST_PAUSE = 30.0
"""Seconds between two probes at most, and so until a replica that works again is noticed."""


class BreakerState(StrEnum):
    """Whether searches may ask."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


class Breaker:
    """Watches how the searches of one replica end; every method is one event.

    Attributes:
        openings: How often it has opened.
        pause: Seconds for which it opens next, or has opened.
    """

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self.openings = 0
        self.pause = FIRST_PAUSE
        self._clock = clock
        self._bad_ends = 0
        self._opened_until: float | None = None
        self._probe: int | None = None
        self._sent = 0
        self._judged = 0

    @property
    def state(self) -> BreakerState:
        """Where it stands now."""
        if self._opened_until is None:
            return BreakerState.CLOSED
        waiting = self._clock() < self._opened_until
        return BreakerState.OPEN if waiting else BreakerState.HALF_OPEN

    @property
    def lets_through(self) -> bool:
        """Whether a search may be sent now: always, never, or one at a time."""
        state = self.state
        if state is BreakerState.HALF_OPEN:
            return self._probe is None
        return state is BreakerState.CLOSED

    def sent(self) -> int:
        """Note that a request is sent and return its ticket; half-open, it is the probe."""
        self._sent += 1
        if self.state is BreakerState.HALF_OPEN and self._probe is None:
            self._probe = self._sent
        return self._sent

    def is_probe(self, ticket: int) -> bool:
        """Tell whether a request decides about the replica."""
        return ticket == self._probe

    def answered(self) -> None:
        """The replica answered a request, in time or late."""
        self.pause = FIRST_PAUSE
        self._bad_ends = 0
        self._opened_until = None
        self._probe = None

    def ended_badly(self, ticket: int) -> None:
        """The request of ``ticket`` will have no answer."""
        if self.is_probe(ticket):
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
            self._open()
        elif self._opened_until is None and ticket > self._judged:
            self._judged = self._sent
            self._bad_ends += 1
            if self._bad_ends >= BAD_ENDS:
                self._open()

    def given_up(self, ticket: int) -> None:
        """Nobody waits for that request any more, which says nothing unless it was the probe."""
        if self.is_probe(ticket):
            self.ended_badly(ticket)

    def withdrawn(self, ticket: int) -> None:
        """The request was not sent after all."""
        if self.is_probe(ticket):
            self._probe = None

    def reconnected(self) -> None:
        """Another process answers there, which need not wait for what the last one did."""
        if self._opened_until is not None:
            self._opened_until = min(self._opened_until, self._clock() + FIRST_PAUSE)

    def _open(self) -> None:
        self.openings += 1
        self._opened_until = self._clock() + self.pause
        self._probe = None


class Attempt:
    """One request as the breaker of its replica sees it; without a breaker it is not seen.

    Attributes:
        began: When it was sent, on the clock.
    """

    def __init__(self, breaker: Breaker | None, began: float) -> None:
        self.began = began
        self._breaker = breaker
        self._ticket = breaker.sent() if breaker else 0

    def answered(self) -> None:
        """See `Breaker.answered`."""
        if self._breaker:
            self._breaker.answered()

    def ended_badly(self) -> None:
        """See `Breaker.ended_badly`."""
        if self._breaker:
            self._breaker.ended_badly(self._ticket)

    def given_up(self) -> None:
        """See `Breaker.given_up`."""
        if self._breaker:
            self._breaker.given_up(self._ticket)

    def withdrawn(self) -> None:
        """See `Breaker.withdrawn`."""
        if self._breaker:
            self._breaker.withdrawn(self._ticket)
