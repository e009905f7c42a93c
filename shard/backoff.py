"""How long a keeper waits before it forks the next worker: a pure function of the deaths so far.

A worker that served and died is replaced at once, however often that happens: forking is cheap and
somebody waits. Only workers that die before they are of any use, one after the other, are a crash
loop; it slows down to one attempt every `MOST` and goes on for ever, since an archive may be
repaired at any time and the supervisor above must not see the loop.
"""

from collections.abc import Sequence
from typing import NamedTuple

USEFUL = 0.5
"""Seconds of service after which a death is no part of a crash loop, whatever its cause."""

FREE = 2
"""Useless workers in a row that are replaced at once."""

FIRST = 0.05
"""Seconds of the first delay; each one doubles the one before."""

MOST = 5.0
"""Seconds of the longest delay: within it a repaired archive is noticed. Each attempt opens what is
broken and takes the endpoint from the stand-in for a moment, so they are not to follow closer."""


class Death(NamedTuple):
    """How a worker ended.

    Attributes:
        lived: Seconds from the fork.
        ready: Whether it had bound its endpoint.
        suspicious: Whether it may be its own doing; see `shard.quarantine`.
    """

    lived: float
    ready: bool
    suspicious: bool

    @property
    def useless(self) -> bool:
        """Whether the worker never served, or broke as soon as it did."""
        return not self.ready or (self.suspicious and self.lived < USEFUL)


def delay(deaths: Sequence[Death]) -> float:
    """Return the seconds to wait after the last of ``deaths``."""
    streak = 0
    for death in reversed(deaths):
        if not death.useless:
            break
        streak += 1
    if streak <= FREE:
        return 0.0
    # The exponent is bounded because 2.0 ** 1024 overflows in a loop that never ends.
    return min(MOST, FIRST * 2.0 ** min(streak - FREE - 1, 16))
