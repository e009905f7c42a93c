"""Where replicas bind and gateways look.

The sockets of a cluster live in one folder, one file per replica: ``<slug>.<number>``. A Unix
socket path ends at 107 bytes and a ZeroMQ endpoint is UTF-8, so where the run directory is too deep
or not named in UTF-8, the folder moves to ``/tmp`` under a name derived from the run directory.
"""

import hashlib
import os
import re
from pathlib import Path

from common.manifest import MAX_SLUG_CHARS

MAX_SOCKET_PATH = 107
"""Bytes of a Unix socket path that Linux accepts."""

SHORT_FOLDER = Path("/tmp")  # noqa: S108 - its users make the folder below it with mode 0700
"""Not what TMPDIR says: every process of a cluster must find the same folder."""

_ROOM = len("/") + MAX_SLUG_CHARS + len(".99")
_SOCKET = re.compile(r"(?P<slug>[a-z0-9-]+)\.(?P<number>\d{1,2})")


def real_path(path: Path) -> Path:
    """Return ``path`` absolute and without symlinks, as far as that can be told."""
    # Path.resolve() raises for symlinks that go in circles, long before anybody opens the path.
    return Path(os.path.realpath(path))


def socket_dir(run_dir: Path) -> Path:
    """Return the folder for the sockets of the cluster that runs in ``run_dir``."""
    real = real_path(run_dir)
    inside = real / "s"
    if len(bytes(inside)) + _ROOM <= MAX_SOCKET_PATH and _is_text(inside):
        return inside
    digest = hashlib.sha256(bytes(real)).hexdigest()[:12]
    return SHORT_FOLDER / f"corpus-mcp-{digest}"


def socket_path(run_dir: Path, slug: str, number: int) -> Path:
    """Return the socket of one replica; replicas are numbered from 0."""
    return socket_dir(run_dir) / f"{slug}.{number}"


def endpoint(path: Path) -> str:
    """Return the ZeroMQ endpoint of a socket path."""
    return f"ipc://{path}"


def ipc_path(address: str) -> Path | None:
    """Return the socket path of an endpoint; None if it is no ``ipc://`` one."""
    return Path(address.removeprefix("ipc://")) if address.startswith("ipc://") else None


def all_replicas(run_dir: Path) -> dict[str, list[str]]:
    """Return what `replicas` does for every slug at once, from one look at the folder."""
    found: dict[str, list[tuple[int, str]]] = {}
    for path in socket_dir(run_dir).glob("*"):
        if match := _SOCKET.fullmatch(path.name):
            found.setdefault(match["slug"], []).append((int(match["number"]), endpoint(path)))
    return {slug: [address for _, address in sorted(each)] for slug, each in found.items()}


def replicas(run_dir: Path, slug: str) -> list[str]:
    """Return the endpoints of the replicas of ``slug`` whose sockets are there, by number."""
    return all_replicas(run_dir).get(slug, [])


def tcp_endpoint(host: str, port: int) -> str:
    """Return the ZeroMQ endpoint of a TCP address; an IPv6 one gets its brackets."""
    return f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"


def is_tcp(address: str) -> bool:
    """Tell whether an endpoint is reached over a network."""
    return address.startswith("tcp://")


def service_name(template: str, slug: str) -> str:
    """Return the host name under which all replicas of a library are found (SHARD_SERVICE)."""
    return template.replace("{slug}", slug)


def _is_text(path: Path) -> bool:
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
