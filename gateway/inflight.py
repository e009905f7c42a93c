"""The requests that one peer has not answered, whether or not somebody still waits for them.

A shard works on what it was sent also when the gateway has gone on without it: such a request
counts until it is answered, its deadline has passed, or the peer is gone.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from common.deadline import Clock, Deadline
from common.errors import CorpusError
from common.frames import Reply

Late = Callable[[Reply], None]
"""Called with a reply that came in time, but to nobody who waits."""


@dataclass(slots=True, eq=False)
class _Sent:
    at: float
    deadline: Deadline
    future: "asyncio.Future[Reply]"
    late: Late | None


class InFlight:
    """Requests by id, on their way to one peer or waiting there."""

    def __init__(self, *, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._sent: dict[int, _Sent] = {}

    def __len__(self) -> int:
        """Return how many there are, all kinds together."""
        self._forget_expired()
        return len(self._sent)

    @property
    def owed(self) -> int:
        """How many of them are work: those that were added with ``late``."""
        self._forget_expired()
        return sum(sent.late is not None for sent in self._sent.values())

    @property
    def oldest(self) -> float | None:
        """When the oldest work was sent, on the clock; None if there is none."""
        self._forget_expired()
        return min((sent.at for sent in self._sent.values() if sent.late is not None), default=None)

    def add(
        self,
        request_id: int,
        deadline: Deadline,
        future: "asyncio.Future[Reply]",
        late: Late | None = None,
    ) -> None:
        """Note that a request is sent; ``future`` takes its reply.

        Without ``late`` the request is forgotten when its asker leaves.
        """
        self._sent[request_id] = _Sent(self._clock(), deadline, future, late)

    def leave(self, request_id: int) -> None:
        """Note that the asker of a request does not wait any longer."""
        sent = self._sent.get(request_id)
        if sent is not None and (sent.late is None or sent.deadline.expired()):
            del self._sent[request_id]

    def resolve(self, reply: Reply) -> bool:
        """Hand ``reply`` to whoever waits for it, and tell whether somebody did."""
        sent = self._sent.pop(reply.request_id, None)
        if sent is None:
            return False
        if not sent.future.done():
            sent.future.set_result(reply)
            return True
        if sent.late is not None:
            sent.late(reply)
        return False

    def fail(self, error: Callable[[], CorpusError]) -> None:
        """The peer is gone: end every wait with an error of its own."""
        gone, self._sent = self._sent, {}
        for sent in gone.values():
            if not sent.future.done():
                sent.future.set_exception(error())

    def _forget_expired(self) -> None:
        if not self._sent:
            return
        gone = [
            request_id
            for request_id, sent in self._sent.items()
            if sent.future.done() and sent.deadline.expired()
        ]
        for request_id in gone:
            del self._sent[request_id]
