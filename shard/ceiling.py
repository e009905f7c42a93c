"""When a worker has grown so large that the next one should take over.

What grows is memory that belongs to this process alone: caches, pages being parsed, what native
code keeps. The pages of the archive, which it maps from the file, do not count: the system takes
them back by itself.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

from common.deadline import Clock

EVERY = 1.0
"""Seconds between two looks; each costs some 10 µs."""

YOUNG = 5.0
"""Seconds after its start for which a worker is not replaced."""

YOUNG_IF_LARGE = 60.0
"""The same if it was too large from the start: the next one will be, too."""

_MIB = 1024 * 1024


def anonymous_bytes() -> int:
    """Return the memory that is this process's own; 0 where the system does not tell."""
    try:
        _, resident, shared, *_ = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


class Ceiling:
    """Watches the memory of a worker that has just started.

    Args:
        most: MiB it may have; 0 is no bound.
    """

    def __init__(
        self,
        most: int,
        *,
        used: Callable[[], int] = anonymous_bytes,
        clock: Clock = time.monotonic,
    ) -> None:
        self._most = most
        self._used = used
        self._clock = clock
        self._first = self._mib()
        self._look_at = clock() + (YOUNG if self._first <= most else YOUNG_IF_LARGE)

    def passed(self) -> str:
        """Return why this worker is to be replaced; empty if it is not."""
        now = self._clock()
        if not self._most or now < self._look_at:
            return ""
        self._look_at = now + EVERY
        mib = self._mib()
        if mib <= self._most:
            return ""
        return (
            f"{mib} MiB of memory are in use, expected at most {self._most} (SHARD_MEMORY_MB or"
            f" memory_mb); {self._first} MiB were when it started"
        )

    def _mib(self) -> int:
        return self._used() // _MIB
