"""When a second replica is asked because the first is slow, and how often: pure policy."""

from collections import deque
from collections.abc import Iterable

WINDOW = 128
"""Latencies remembered per library and kind of request."""

ENOUGH = 8
"""Fewer latencies than this tell nothing about a 95th percentile."""

EXTRA_SHARE = 0.05
"""Hedges per request at most: a hedge is for the slow few, not for a slow day."""

_MOST_CREDIT = 10.0


class Latencies:
    """The recent latencies of one kind of request, in seconds."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=WINDOW)
        self._p95: float | None = None

    def add(self, seconds: float) -> None:
        """Remember one."""
        self._recent.append(seconds)
        self._p95 = None

    def p95(self) -> float | None:
        """Return the 95th percentile; None while there are too few."""
        if self._p95 is None and len(self._recent) >= ENOUGH:
            self._p95 = percentile(self._recent, 0.95)
        return self._p95


class HedgeBudget:
    """Grants at most one hedge per twenty requests, saved up to ten."""

    def __init__(self) -> None:
        self._credit = 1.0

    def earn(self) -> None:
        """Count one ordinary request."""
        self._credit = min(_MOST_CREDIT, self._credit + EXTRA_SHARE)

    def spend(self) -> bool:
        """Tell whether one hedge may be sent now, and count it."""
        if self._credit < 1.0:
            return False
        self._credit -= 1.0
        return True


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that ``share`` (0 to 1) of the values stay below; 0.0 if there are none."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
