"""The signals of a keeper, as something it can wait for."""

import os
import select
import signal
from contextlib import suppress

STOP = frozenset({signal.SIGTERM, signal.SIGINT})
"""What tells a shard to end."""

_HEEDED = STOP | {signal.SIGCHLD}


class Signals:
    """The wake-up descriptor of this process; one at a time."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        for descriptor in (self._reader, self._writer):
            os.set_blocking(descriptor, False)

    def heed(self) -> None:
        """Take note of SIGTERM, SIGINT and SIGCHLD from now on, and do nothing else about them."""
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in _HEEDED:
            # The wake-up descriptor says which one came; a handler only has to be there.
            signal.signal(number, _ignore)

    def wait(self, seconds: float) -> bytes:
        """Return the numbers of the signals that came, waiting up to ``seconds`` for one."""
        with suppress(InterruptedError):
            select.select([self._reader], [], [], seconds)
        with suppress(BlockingIOError):
            return os.read(self._reader, 512)
        return b""

    def block(self) -> None:
        """Hold back what is heeded."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _HEEDED)

    def unblock(self) -> None:
        """Let through what was held back."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEEDED)

    def forget(self) -> None:
        """Give everything up, in a child; signals stay blocked until it has handlers of its own."""
        signal.set_wakeup_fd(-1)
        os.close(self._reader)
        os.close(self._writer)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _ignore(number: int, frame: object) -> None:
    del number, frame
