"""Whether a live worker serves at an endpoint: one connection, no ZeroMQ.

The first ten bytes of a ZeroMQ peer come unasked, from the thread that does its input and output:
a process that is stopped accepts and says nothing, one that computes still says them. Between 0xFF
and 0x7F they tell the length of the socket's routing id plus one. A worker's socket has none; that
of a stand-in has `STAND_IN`, which its peers ignore, so that both are told apart at no cost, also
where only keys open the connection.
"""

import socket
from pathlib import Path

from common.endpoints import ipc_path, is_tcp
from common.errors import ConfigError, CorpusError

STAND_IN = b"stand-in"
"""Routing id of the socket of whoever stands in for a worker that cannot serve."""

PATIENCE = 2.0
"""Seconds for the connection and the same again for the greeting."""

_GREETING_BYTES = 10
_ANY = {"*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, not bound


class Unhealthy(CorpusError):
    """No worker serves there; the message says what is there instead."""


def check(endpoint: str, *, patience: float = PATIENCE) -> None:
    """Return if a worker that is alive has bound ``endpoint``, as `serve` was given it.

    Raises:
        Unhealthy: Nobody, somebody who is stopped, a stand-in, or no shard at all.
        ConfigError: The endpoint is not one.
    """
    try:
        with _connected(endpoint, patience) as connection:
            connection.settimeout(patience)
            greeting = _read(connection)
    except TimeoutError:
        raise Unhealthy(f"{endpoint}: whoever has bound it says nothing") from None
    except OSError as exc:
        raise Unhealthy(f"{endpoint}: {exc.strerror or exc}") from exc
    if len(greeting) < _GREETING_BYTES or greeting[0] != 0xFF or greeting[9] != 0x7F:
        raise Unhealthy(f"{endpoint}: expected a shard, got something else")
    if int.from_bytes(greeting[1:9]) == len(STAND_IN) + 1:
        raise Unhealthy(f"{endpoint}: the worker cannot serve; the log of the shard says why")


def _connected(endpoint: str, patience: float) -> socket.socket:
    path = ipc_path(endpoint)
    if path is None:
        return socket.create_connection(_address(endpoint), patience)
    return _connected_to(path, patience)


def _connected_to(path: Path, patience: float) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(patience)
        connection.connect(bytes(path))
    except BaseException:
        connection.close()
        raise
    return connection


def _address(endpoint: str) -> tuple[str, int]:
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (is_tcp(endpoint) and host and port.isascii() and port.isdecimal() and len(port) < 6):
        raise ConfigError(f"endpoint: expected ipc:///path or tcp://address:port, got {endpoint!r}")
    return _ANY.get(host, host), int(port)


def _read(connection: socket.socket) -> bytes:
    greeting = b""
    while len(greeting) < _GREETING_BYTES:
        data = connection.recv(_GREETING_BYTES - len(greeting))
        if not data:
            break
        greeting += data
    return greeting
