"""One deadline per request: an absolute time here, a remaining budget on the wire."""

import time
from collections.abc import Callable
from typing import Self

Clock = Callable[[], float]
"""A monotonic clock, in seconds."""


class Deadline:
    """A point on the monotonic clock after which nobody wants the answer."""

    __slots__ = ("_at", "_clock")

    def __init__(self, at: float, *, clock: Clock = time.monotonic) -> None:
        self._at = at
        self._clock = clock

    @classmethod
    def after(cls, seconds: float, *, clock: Clock = time.monotonic) -> Self:
        """Return the deadline ``seconds`` from now."""
        return cls(clock() + seconds, clock=clock)

    @property
    def at(self) -> float:
        """The time on the clock."""
        return self._at

    def remaining(self) -> float:
        """Return the seconds left; 0.0 once it has passed."""
        return max(0.0, self._at - self._clock())

    def expired(self) -> bool:
        """Tell whether nothing is left."""
        return self._clock() >= self._at

    def share(self, fraction: float) -> "Deadline":
        """Return an earlier deadline: ``fraction`` (0 to 1) of what is left now."""
        return Deadline(self._clock() + self.remaining() * fraction, clock=self._clock)
