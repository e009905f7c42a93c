"""The requests that wait in one worker: bounded, the most urgent first.

Queries pass the fetch phase, which passes whole documents, so that a search never waits for a long
rendering. Inside a lane it is first come, first served. Work that nobody waits for any more is
dropped when its turn comes, and before anybody is turned away.
"""

import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from common.deadline import Clock, Deadline
from common.errors import Overloaded
from common.frames import (
    DescribeRequest,
    PreviewRequest,
    QueryRequest,
    Reply,
    Request,
    SpellRequest,
)

DESCRIBE_BUDGET = 10.0
"""Seconds a describe, which carries no budget, is worth answering."""

MAX_BUDGET = 600.0
"""Seconds; the settings allow no longer deadline, and an endless one would never be dropped."""


MAX_BYTES = 16 * 1024 * 1024
"""Bytes of all frames that wait; decoded, each takes up to four times its own."""


class Lane(IntEnum):
    """What passes what; the lowest number goes first."""

    QUERY = 0
    PREVIEW = 1
    DOCUMENT = 2


@dataclass(slots=True, eq=False)
class Job:
    """One request on its way to a reply.

    Attributes:
        peer: Where the reply goes.
        size: Bytes of its frame.
        subject: Fingerprint of what is worked on.
        steps: What is left of the work; None until it begins.
    """

    peer: bytes
    request: Request
    deadline: Deadline
    size: int = 0
    subject: bytes = b""
    steps: Iterator[Reply | None] | None = None

    def close(self) -> None:
        """Give up what is left of the work."""
        close = getattr(self.steps, "close", None)
        if close is not None:
            close()


def lane(request: Request) -> Lane:
    """Return where ``request`` queues up."""
    if isinstance(request, DescribeRequest | QueryRequest | SpellRequest):
        return Lane.QUERY
    return Lane.PREVIEW if isinstance(request, PreviewRequest) else Lane.DOCUMENT


def deadline(request: Request, *, clock: Clock = time.monotonic) -> Deadline:
    """Return when nobody waits for the reply any more, by the budget that came along."""
    budget = DESCRIBE_BUDGET if isinstance(request, DescribeRequest) else request.budget
    if math.isnan(budget):
        budget = 0.0
    return Deadline.after(min(budget, MAX_BUDGET), clock=clock)


class RequestQueue:
    """At most ``capacity`` jobs, and `MAX_BYTES` of them, in three lanes.

    Attributes:
        expired: Jobs dropped because their deadline had passed.
    """

    def __init__(self, capacity: int) -> None:
        self.expired = 0
        self._capacity = capacity
        self._bytes = 0
        self._lanes: dict[Lane, deque[Job]] = {each: deque() for each in Lane}

    def __len__(self) -> int:
        return sum(len(jobs) for jobs in self._lanes.values())

    def put(self, job: Job) -> None:
        """Line up a new job.

        Raises:
            Overloaded: All places are taken by jobs that somebody still waits for.
        """
        if not self._has_room(job):
            self._drop_expired()
        if not self._has_room(job):
            raise Overloaded(
                f"expected fewer than {self._capacity} waiting requests of {MAX_BYTES} bytes"
            )
        self._lanes[lane(job.request)].append(job)
        self._bytes += job.size

    def put_back(self, job: Job) -> None:
        """Return a job that was begun to the head of its lane; it never lost its place."""
        self._lanes[lane(job.request)].appendleft(job)
        self._bytes += job.size

    def take(self) -> Job | None:
        """Return the most urgent job that somebody still waits for; None if there is none."""
        for jobs in self._lanes.values():
            while jobs:
                job = jobs.popleft()
                self._bytes -= job.size
                if not job.deadline.expired():
                    return job
                self._drop(job)
        return None

    def _has_room(self, job: Job) -> bool:
        return len(self) < self._capacity and self._bytes + job.size <= MAX_BYTES

    def _drop_expired(self) -> None:
        for each, jobs in self._lanes.items():
            gone = [job for job in jobs if job.deadline.expired()]
            self._lanes[each] = deque(job for job in jobs if not job.deadline.expired())
            for job in gone:
                self._bytes -= job.size
                self._drop(job)

    def _drop(self, job: Job) -> None:
        self.expired += 1
        job.close()
