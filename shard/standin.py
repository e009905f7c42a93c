"""Who answers while a worker cannot serve: nothing but the reason, to everybody who asks.

Without it nobody would be at the endpoint, and a gateway could say no more than that. It opens no
archive, and its keeper forks it from the first pause on that somebody may notice.
"""

import signal
from collections.abc import Iterator
from types import FrameType

from common.codec import error_reply
from common.deadline import Deadline
from common.errors import CorpusError, ShardUnavailable
from common.frames import Reply, Request
from shard.health import STAND_IN
from shard.server import Server
from shard.vitals import Vitals
from shard.worker import CANNOT_SERVE, Post


class Regrets:
    """Answers everything, a describe included, with the error ``unavailable`` and ``reason``."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def answer(self, request: Request, deadline: Deadline) -> Iterator[Reply]:
        """Yield the error."""
        del deadline
        yield error_reply(request.request_id, ShardUnavailable(self._reason))


def stand_in(reason: str, seconds: float, post: Post) -> int:
    """Answer with ``reason`` for so long, or until told to stop; return the exit status."""
    vitals = Vitals()
    server = Server(
        Regrets(reason),
        post.endpoint,
        capacity=post.settings.shard_queue,
        vitals=vitals,
        door=post.door and post.door(),
        routing_id=STAND_IN,
    )

    def leave(number: int, frame: FrameType | None) -> None:
        del number, frame
        server.drain()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT))
    try:
        server.bind()
    except CorpusError:
        # The next worker finds out the same and says so.
        return CANNOT_SERVE
    signal.set_wakeup_fd(server.wake_descriptor, warn_on_full_buffer=False)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    server.run()
    signal.set_wakeup_fd(-1)
    server.close()
    return 0
