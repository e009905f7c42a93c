"""Two requests for one answer: the second starts when the first is slow, the first answer wins."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

from common.errors import CorpusError, RequestError

T = TypeVar("T")

Another = Callable[[], Coroutine[Any, Any, T] | None]
"""Makes the second request when its time has come; None if there is none to make."""


async def hedged(first: Awaitable[T], another: Another[T], delay: float) -> T:
    """Return the first answer of ``first`` and, from ``delay`` seconds later on, ``another``.

    ``first`` begins at once and in the task of the caller, so that whoever chooses next sees it
    under way. If one fails the other is waited for, except that a request which is wrong is wrong
    for both.

    Raises:
        CorpusError: What ``first`` raised, if neither has an answer.
    """
    hedge = _Hedge(another, delay)
    try:
        async with hedge.scope:
            return await first
    except TimeoutError:
        if hedge.winner is None:
            raise
        return hedge.winner.result()
    except RequestError:
        raise
    except CorpusError as failure:
        return await hedge.instead_of(failure)
    finally:
        await hedge.end()


class _Hedge(Generic[T]):
    """The second request.

    Attributes:
        scope: The wait for the first, which ends with `TimeoutError` when the second has won.
        winner: The second, once that is so.
    """

    def __init__(self, another: Another[T], delay: float) -> None:
        loop = asyncio.get_running_loop()
        self.scope = asyncio.timeout(None)
        self.winner: asyncio.Task[T] | None = None
        self._loop = loop
        self._another = another
        self._task: asyncio.Task[T] | None = None
        self._over = False
        self._timer = loop.call_later(delay, self._start)

    async def instead_of(self, failure: CorpusError) -> T:
        """Return its answer, or raise what it is asked instead of."""
        self._over = True
        if self._task is None:
            raise failure
        try:
            return await self._task
        except RequestError:
            raise
        except CorpusError:
            raise failure from None

    async def end(self) -> None:
        self._over = True
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _start(self) -> None:
        request = self._another()
        if request is not None:
            self._task = asyncio.create_task(request)
            self._task.add_done_callback(self._landed)

    def _landed(self, task: "asyncio.Task[T]") -> None:
        if self._over or task.cancelled():
            return
        error = task.exception()
        if not isinstance(error, CorpusError) or isinstance(error, RequestError):
            self._over = True
            self.winner = task
            self.scope.reschedule(self._loop.time())
