"""The worker: a forked child that owns the archive and the socket.

Everything of libzim and ZeroMQ is opened here, after the fork. What cannot be opened is told to the
keeper through the shared record, and the process ends with `CANNOT_SERVE`; the keeper tries again.
"""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

from common.errors import CorpusError
from common.logs import get_logger
from common.settings import Settings
from shard import watchdog
from shard.ceiling import Ceiling
from shard.fingerprint import NOTHING
from shard.guard import Guard, KeptGuard
from shard.keeper import Seat
from shard.server import Answers, Door, Server
from shard.vitals import Vitals

CANNOT_SERVE = 3
"""Exit status of a worker that could not open its archive or bind its endpoint."""

Facts = dict[str, Any]
"""What the ready line says of the archive."""

OpenLeaf = Callable[[Guard, Vitals], tuple[Answers, Facts]]
"""Opens what is served; called after the fork."""


@dataclass(frozen=True, slots=True)
class Post:
    """Where and how a worker serves.

    Attributes:
        door: Makes the one who says who may connect; None lets in whoever can.
    """

    endpoint: str
    settings: Settings
    door: Callable[[], Door] | None = None


def work(seat: Seat, post: Post, open_leaf: OpenLeaf) -> int:
    """Serve until told to stop; return the exit status."""
    # An archive that crashes libzim does so every few seconds: once is enough of a traceback.
    watchdog.prepare(tell=not seat.quiet)
    logger = get_logger()
    dog = watchdog.Watchdog(post.settings.shard_watchdog)
    guard = KeptGuard(seat.record, dog, seat.sentences)
    vitals = Vitals(keeper_pid=seat.keeper_pid, restarts=seat.restarts)
    _heed_signals(vitals)
    try:
        guard.begin(NOTHING, "opening the archive")
        leaf, facts = open_leaf(guard, vitals)
        ceiling = Ceiling(post.settings.shard_memory_mb)
        server = Server(
            leaf,
            post.endpoint,
            capacity=post.settings.shard_queue,
            guard=guard,
            vitals=vitals,
            log_queries=post.settings.log_queries,
            door=post.door and post.door(),
            replied=partial(_leave_if_large, ceiling, vitals, seat),
        )
        server.bind()
    except CorpusError as exc:
        seat.record.reason = str(exc)
        return CANNOT_SERVE
    finally:
        guard.end()
    # From here on the arrival of a signal itself ends the server's waiting.
    signal.set_wakeup_fd(server.wake_descriptor, warn_on_full_buffer=False)
    watchdog.prepare()
    seat.record.ready = True
    took = round((time.monotonic() - seat.since) * 1000)
    logger.info("shard ready", endpoint=post.endpoint, **facts, ms=took, restarts=seat.restarts)
    server.run()
    signal.set_wakeup_fd(-1)
    server.close()
    return 0


def _leave_if_large(ceiling: Ceiling, vitals: Vitals, seat: Seat) -> None:
    """Drain when there is too much to keep: the next worker starts afresh."""
    if not vitals.draining and (reason := ceiling.passed()):
        seat.record.reason = reason
        vitals.draining = True


def _heed_signals(vitals: Vitals) -> None:
    """Drain when told to stop, also when told before there is anything to drain."""

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        vitals.draining = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD))
