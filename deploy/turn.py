"""One operator's verb at a time in a run directory: whoever changes a cluster holds its lock."""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from io import FileIO

from common.errors import ConfigError
from deploy.errors import Failed
from deploy.site import RunDir

PATIENCE = 60.0
"""Seconds to wait for another verb, as long as one waits for replicas."""

_TICK = 0.1


@contextlib.contextmanager
def take(
    run_dir: RunDir, verb: str, *, patience: float, say: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Hold the lock of ``run_dir`` while the block runs; ``say`` hears whom it has to wait for.

    Raises:
        ConfigError: The folder cannot be written to.
        Failed: Another verb still holds it after ``patience`` seconds.
    """
    try:
        lock = run_dir.lock.open("ab+", buffering=0)
    except OSError as exc:
        raise ConfigError(f"CORPUS_RUN_DIR: expected a folder to write into, got {exc}") from exc
    with lock:
        at = time.monotonic() + patience
        if not _try(lock) and say and patience > 0:
            say(f"waiting: {_holder(lock)} in {run_dir.path}")
        while not _try(lock):
            if time.monotonic() >= at:
                raise Failed(f"{_holder(lock)} in {run_dir.path} already")
            time.sleep(_TICK)
        # Who holds it is only told to those who wait: a full disk must not keep a verb from that.
        with contextlib.suppress(OSError):
            lock.truncate(0)
            lock.write(f"{verb} {os.getpid()}\n".encode())
        yield


def is_taken(run_dir: RunDir) -> bool:
    """Tell whether some verb holds the lock of ``run_dir``."""
    try:
        with run_dir.lock.open("ab", buffering=0) as lock:
            return not _try(lock)
    except OSError:
        # Not even a folder is there.
        return False


def _try(lock: FileIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(lock: FileIO) -> str:
    lock.seek(0)
    verb, _, pid = lock.read(100).decode("ascii", "replace").strip().partition(" ")
    if verb == "up":
        return f"a cluster is being started (process {pid})"
    return f"corpus-mcp {verb or 'up'} is at work (process {pid or 'unknown'})"
