"""Ask many libraries at once and gather what comes: failures are data, stragglers are left."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import partial
from typing import Any, NamedTuple, Protocol

from common.deadline import Deadline
from common.errors import CorpusError, DeadlineExceeded
from gateway.call import Answer
from gateway.hedging import percentile

LEAST_PATIENCE = 0.3
"""Seconds that a straggler gets at least, once most have answered."""

UNKNOWN_USUAL = 0.5
"""Seconds taken for the 95th percentile of a library that has answered too little to have one:
its first pages come from a cold disk."""

PATIENCE_FACTOR = 3.0
"""How many times the 95th percentile a straggler gets."""

CHECK_INTERVAL = 0.05
"""Seconds between two looks at the stragglers: cheap, and fine enough for `LEAST_PATIENCE`."""


class Straggler(Protocol):
    """What a scatter needs to know of a call (`gateway.call.Call`)."""

    started: float | None

    async def run(
        self, deadline: Deadline, place: AbstractAsyncContextManager[Any] | None = None
    ) -> Answer:
        """Return the answer, or raise a `CorpusError`."""

    def usual(self) -> float | None:
        """Return the library's recent 95th percentile, in seconds."""

    def cut_off(self) -> None:
        """Learn that nobody waits any longer."""


class Gathered(NamedTuple):
    """What came of a scatter: every library stands in exactly one of the two."""

    answers: dict[str, Answer]
    failures: dict[str, CorpusError]


async def scatter(
    calls: Mapping[str, Straggler], deadline: Deadline, *, workers: int = 0
) -> Gathered:
    """Run ``calls`` (by library) and return what came, libraries in the order of ``calls``.

    Once at least half of those that can answer have done so, each straggler gets `patience` from
    then or from its own start, whichever is later. The ``deadline`` ends every wait. At most
    ``workers`` requests are in flight at once; 0 means no bound.

    Raises:
        Exception: A bug in a call; what a library did wrong is a failure, not an exception.
    """
    place = asyncio.Semaphore(workers) if workers else nullcontext()
    tasks = {name: asyncio.create_task(call.run(deadline, place)) for name, call in calls.items()}
    try:
        cut = await _Gathering(calls, tasks, deadline).finished()
        return _gather(tasks, cut)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)


def patience(others: float, usual: float | None) -> float:
    """Return the seconds a straggler gets.

    Args:
        others: 95th percentile of the answers that are in, in seconds.
        usual: The straggler's own recent one; None if that is unknown.
    """
    own = UNKNOWN_USUAL if usual is None else usual
    return max(LEAST_PATIENCE, PATIENCE_FACTOR * max(others, own))


class _Gathering:
    """The wait of one scatter: wakes when all is in, and now and then to look for stragglers."""

    def __init__(
        self,
        calls: Mapping[str, Straggler],
        tasks: Mapping[str, "asyncio.Task[Answer]"],
        deadline: Deadline,
    ) -> None:
        self._calls = calls
        self._tasks = tasks
        self._deadline = deadline
        self._pending = set(tasks)
        self._seconds: list[float] = []
        self._most_since: float | None = None
        self._complete = asyncio.Event()
        for name, task in tasks.items():
            task.add_done_callback(partial(self._landed, name))

    async def finished(self) -> set[str]:
        """Wait until nothing is pending and return the libraries that were given up."""
        cut: set[str] = set()
        while self._pending and not self._deadline.expired():
            with suppress(TimeoutError):
                async with asyncio.timeout(min(CHECK_INTERVAL, self._deadline.remaining())):
                    await self._complete.wait()
            for name in self._stragglers():
                self._calls[name].cut_off()
                self._tasks[name].cancel()
                self._pending.discard(name)
                cut.add(name)
        return cut | self._pending

    def _landed(self, name: str, task: "asyncio.Task[Answer]") -> None:
        self._pending.discard(name)
        if not task.cancelled() and task.exception() is None:
            self._seconds.append(time.monotonic() - (self._calls[name].started or 0.0))
        if self._most_since is None and len(self._seconds) >= max(1, len(self._pending)):
            self._most_since = time.monotonic()
        if not self._pending:
            self._complete.set()

    def _stragglers(self) -> list[str]:
        if self._most_since is None or not self._pending:
            return []
        now = time.monotonic()
        usual = percentile(self._seconds, 0.95)
        return [
            name
            for name in self._pending
            if (started := self._calls[name].started) is not None
            and now - max(self._most_since, started) >= patience(usual, self._calls[name].usual())
        ]


def _gather(tasks: Mapping[str, "asyncio.Task[Answer]"], cut: set[str]) -> Gathered:
    gathered = Gathered({}, {})
    for name, task in tasks.items():
        if name in cut or not task.done():
            gathered.failures[name] = DeadlineExceeded("slower than the others")
            continue
        error = task.exception()
        if error is None:
            gathered.answers[name] = task.result()
        elif isinstance(error, CorpusError):
            gathered.failures[name] = error
        else:
            raise error
    return gathered
