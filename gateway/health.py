"""Whether the gateway of this machine serves: one request, and hardly an import."""

import http.client

from common.errors import ConfigError, CorpusError
from common.settings import Settings

PATIENCE = 2.0
"""Seconds for the connection, and the same again for the answer."""

_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, not bound


class Unhealthy(CorpusError):
    """No gateway serves there; the message says what is there instead."""


def check(settings: Settings, port: int | None = None, *, patience: float = PATIENCE) -> None:
    """Return if a gateway answers at MCP_HOST and ``port``, which is MCP_PORT if None.

    Raises:
        Unhealthy: Nobody answers in time, or with something else than 200.
        ConfigError: The port is not known.
    """
    port = settings.mcp_port if port is None else port
    if not port:
        raise ConfigError("MCP_PORT: expected the port that the gateway took, got 0")
    host = settings.mcp_host.strip("[]")
    connection = http.client.HTTPConnection(_ANY.get(host, host), port, timeout=patience)
    try:
        connection.request("GET", "/healthz")
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as exc:
        reason = (exc.strerror if isinstance(exc, OSError) else None) or repr(exc)
        raise Unhealthy(f"{settings.mcp_host}:{port}: {reason}") from exc
    finally:
        connection.close()
    if status != http.client.OK:
        raise Unhealthy(f"{settings.mcp_host}:{port}: expected 200, got {status}")
