"""What stands around every step of work: the record, the watchdog, and what is refused.

`Unguarded` is for a leaf or a server that runs without a keeper.
"""

import time
from collections.abc import Mapping
from typing import Protocol

from common.deadline import Clock
from shard.record import Record
from shard.watchdog import Watchdog


class Guard(Protocol):
    """The worker's side of what a keeper knows."""

    def refuses(self, subject: bytes) -> bool:
        """Tell whether work on ``subject`` is in quarantine."""
        ...

    def refused(self) -> int:
        """Return how many subjects are in quarantine."""
        ...

    def begin(self, subject: bytes, label: str) -> None:
        """Note that a step begins; it must end before the watchdog's time."""
        ...

    def narrow(self, subject: bytes, label: str) -> None:
        """Note that the step that is running works on ``subject`` from here on."""
        ...

    def end(self) -> None:
        """Note that the step has ended."""
        ...


class Unguarded:
    """A guard that refuses nothing and tells nobody."""

    def refuses(self, subject: bytes) -> bool:
        """Never."""
        del subject
        return False

    def refused(self) -> int:
        """Return 0."""
        return 0

    def begin(self, subject: bytes, label: str) -> None:
        """Do nothing."""

    def narrow(self, subject: bytes, label: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class KeptGuard:
    """The guard of a worker that has a keeper.

    ``sentences`` says what is refused and until when; it never changes during the life of a
    worker, because only the death of one adds to it.
    """

    def __init__(
        self,
        record: Record,
        watchdog: Watchdog,
        sentences: Mapping[bytes, float],
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        self._record = record
        self._watchdog = watchdog
        self._sentences = dict(sentences)
        self._clock = clock
        self._began = 0.0

    def refuses(self, subject: bytes) -> bool:
        """Tell whether ``subject`` was sentenced and has not served its time."""
        return self._sentences.get(subject, 0.0) > self._clock()

    def refused(self) -> int:
        """Return how many sentences still run."""
        now = self._clock()
        return sum(until > now for until in self._sentences.values())

    def begin(self, subject: bytes, label: str) -> None:
        """Write the record, then start the watchdog."""
        self._began = self._clock()
        self._record.begin(subject, label, self._began)
        self._watchdog.arm()

    def narrow(self, subject: bytes, label: str) -> None:
        """Write another subject; the time of the step runs on."""
        self._record.begin(subject, label, self._began)

    def end(self) -> None:
        """Stop the watchdog, then clear the record."""
        self._watchdog.disarm()
        self._record.end()
