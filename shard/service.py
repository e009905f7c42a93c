"""A replica from the outside: the lock on its socket, its keeper, and nothing left behind."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from common import curve
from common.endpoints import MAX_SOCKET_PATH, ipc_path
from common.errors import ConfigError
from shard import standin, worker
from shard.keeper import Keeper
from shard.lock import SocketLock
from shard.worker import OpenLeaf, Post


def run(post: Post, open_leaf: OpenLeaf, *, since: float) -> int:
    """Keep a worker at ``post`` until told to stop; return the exit status of the process.

    ``since`` is when the process set out to serve, on the monotonic clock.

    Raises:
        ConfigError: The endpoint is not one, or a network is to be spoken to without keys.
        EndpointInUse: Another live process serves the socket.
    """
    socket = socket_of(post.endpoint)
    # Whoever may write to the socket may ask for anything: only this user.
    os.umask(0o077)
    if socket is None:
        return _keep(_with_keys(post), open_leaf, since)
    lock = SocketLock(socket)
    lock.acquire()
    try:
        return _keep(post, open_leaf, since)
    finally:
        # ZeroMQ leaves the file behind.
        socket.unlink(missing_ok=True)
        lock.release()


def socket_of(endpoint: str) -> Path | None:
    """Return the path of a Unix socket, None for TCP.

    Raises:
        ConfigError: It is neither, or a path that the system cannot bind.
    """
    path = ipc_path(endpoint)
    if path is None and not endpoint.startswith("tcp://"):
        raise ConfigError(f"endpoint: expected ipc:///path or tcp://address:port, got {endpoint!r}")
    if path is not None and not path.is_absolute():
        raise ConfigError(f"endpoint: expected an absolute path, got {endpoint!r}")
    if path is not None and len(bytes(path)) > MAX_SOCKET_PATH:
        raise ConfigError(
            f"endpoint: expected a path of at most {MAX_SOCKET_PATH} bytes, got {endpoint!r}"
        )
    return path


def _with_keys(post: Post) -> Post:
    keys = curve.keys(post.settings)
    if keys is None:
        return post
    # Imported before any fork, and not at all by the others.
    from shard.admission import Admission, check_curve  # noqa: PLC0415

    check_curve()
    return replace(post, door=partial(Admission, keys))


def _keep(post: Post, open_leaf: OpenLeaf, since: float) -> int:
    work = partial(worker.work, post=post, open_leaf=open_leaf)
    stand_in = partial(standin.stand_in, post=post)
    limit = post.settings.shard_watchdog
    return Keeper(work, stand_in, watchdog_seconds=limit, since=since).run()
