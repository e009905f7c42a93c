"""The gateway's port, looked at before anything is started."""

import errno
import socket

from common.errors import ConfigError
from deploy.errors import Failed


def free_port(host: str, port: int) -> int:
    """Return ``port`` if the gateway can listen on it, or any free one for 0.

    Raises:
        ConfigError: ``host`` is no address of this machine, or the port is not for us.
        Failed: Somebody else listens there.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host.strip("[]") or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as exc:
        raise ConfigError(f"MCP_HOST: expected an address of this machine, got {host!r}") from exc
    with socket.socket(family, kind) as probe:
        # As the gateway does: connections that are just closing are no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen()
        except OSError as exc:
            raise _refusal(host, port, exc) from exc
        return int(probe.getsockname()[1])


def _refusal(host: str, port: int, exc: OSError) -> Exception:
    if exc.errno == errno.EADDRINUSE:
        return Failed(f"MCP_PORT: expected a free port, got {port}, which is in use on {host}")
    if exc.errno == errno.EACCES:
        return ConfigError(f"MCP_PORT: expected a port that this user may use, got {port}")
    return ConfigError(f"MCP_HOST: expected an address of this machine, got {host!r} ({exc})")
