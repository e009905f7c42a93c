"""Which gateway the operator's commands ask, and with which token.

In this order: what an option names, the cluster of the run directory, the address in the
environment, the Compose project of the run directory, the usual address.
"""

from pathlib import Path
from typing import NamedTuple

from common import settings
from deploy import compose, project, record
from deploy.errors import Failed
from deploy.site import Site, base_url

_LOOPBACK = "127.0.0.1"


class Gateway(NamedTuple):
    """Where a gateway is reached.

    Attributes:
        url: Without a path.
        token: To be sent along; may be empty.
    """

    url: str
    token: str


def gateway(place: Site, *, port: int | None = None, run_dir: Path | None = None) -> Gateway:
    """Return the gateway of ``place``; ``port`` and ``run_dir`` are what options named.

    Raises:
        ConfigError: The token is not what it should be.
        Failed: Nothing runs in the folder that was named.
    """
    token = settings.token(place.settings)
    if port is None and place.run_dir.record.exists():
        return Gateway(record.recorded_url(place), token)
    known = _project(place)
    url = _url(place, known, port, run_dir)
    return Gateway(url, token or (known.token if known and known.url == url else ""))


def _url(place: Site, known: Gateway | None, port: int | None, run_dir: Path | None) -> str:
    if port is not None:
        return base_url(place.settings.mcp_host, port)
    if known and (run_dir is not None or not _is_named(place)):
        return known.url
    if run_dir is not None:
        # Asked for by name, it must not be taken for the cluster at the usual port.
        raise Failed(f"no cluster runs in {place.run_dir.path}")
    return record.recorded_url(place)


def _is_named(place: Site) -> bool:
    return bool(place.environment.get("MCP_PORT") or place.environment.get("MCP_HOST"))


def _project(place: Site) -> Gateway | None:
    try:
        found, _ = project.read(project.files(place.run_dir))
    except Failed:
        return None
    return Gateway(base_url(_LOOPBACK, compose.port(found)), compose.token(found))
