"""One live owner per Unix socket.

Two live processes can bind one socket path, and the second silently takes over the new peers. So
whoever serves one holds a lock on the file beside it (``<socket>.lock``). It goes with the
process, however that ends; the file stays.
"""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from common.deadline import Clock, Deadline
from common.errors import ConfigError, CorpusError

PATIENCE = 3.0
"""Seconds to wait for an owner that is on its way out. Longer than what supervisors count as a
failed start, so that a refused process is started again rather than given up."""

_POLL = 0.01


class EndpointInUse(CorpusError):
    """Another live process serves this socket."""


class SocketLock:
    """The right to bind ``socket``; held from `acquire` until the process ends or `release`."""

    def __init__(self, socket: Path, *, clock: Clock = time.monotonic) -> None:
        self._path = socket.with_name(socket.name + ".lock")
        self._clock = clock
        self._descriptor: int | None = None

    def acquire(self, patience: float = PATIENCE) -> None:
        """Take the lock, waiting up to ``patience`` seconds.

        Raises:
            EndpointInUse: Somebody else keeps it; the message names the process.
            ConfigError: The folder or the file cannot be used.
        """
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise ConfigError(f"endpoint: expected a folder to write into, got {exc}") from exc
        deadline = Deadline.after(patience, clock=self._clock)
        while not _try_lock(descriptor):
            if deadline.expired():
                owner = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
                os.close(descriptor)
                raise EndpointInUse(f"endpoint: {self._path.stem} is served by process {owner}")
            time.sleep(_POLL)
        # The number is for those who are refused: a full disk must not keep a shard from serving.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
