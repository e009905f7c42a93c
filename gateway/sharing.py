"""Work that several callers want at the same moment is done once."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from common.deadline import Clock

_T = TypeVar("_T")


class Shared(Generic[_T]):
    """Runs work by key; who asks for work that is under way waits for the same result.

    The work belongs to nobody in particular: a caller that is cancelled leaves, the others still
    get their result, and only the last one to leave cancels the work.
    """

    def __init__(self, joinable: float, *, clock: Clock = time.monotonic) -> None:
        """Make an empty one.

        Args:
            joinable: Seconds after its start in which work can be joined. It has the deadline of
                the caller that began it, so a later one would lose that much of its own.
            clock: For tests.
        """
        self._joinable = joinable
        self._clock = clock
        self._running: dict[Hashable, _Work[_T]] = {}

    def is_joinable(self, key: Hashable) -> bool:
        """Tell whether a caller would not begin the work now but join it."""
        work = self._running.get(key)
        return work is not None and self._clock() - work.began <= self._joinable

    async def run(self, key: Hashable, begin: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
        """Return the result of the work ``key``, which ``begin`` begins unless it is joinable.

        What it raises, every caller gets.
        """
        if not self.is_joinable(key):
            self._running[key] = _Work(asyncio.create_task(begin()), self._clock())
        work = self._running[key]
        work.callers += 1
        try:
            return await asyncio.shield(work.task)
        finally:
            work.callers -= 1
            if work.task.done() or not work.callers:
                work.task.cancel()
                self._forget(key, work)

    def _forget(self, key: Hashable, work: "_Work[_T]") -> None:
        # A later caller may have begun it anew because it could not be joined any more.
        if self._running.get(key) is work:
            del self._running[key]


class _Work(Generic[_T]):
    def __init__(self, task: "asyncio.Task[_T]", began: float) -> None:
        self.task = task
        self.began = began
        self.callers = 0
