"""What a container of ours runs and is told, whatever the engine: commands, settings, places.

Pure functions of settings and manifest; `deploy.swarm` and `deploy.kubernetes` say the same in the
words of their engines. Paths are those inside a container.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from common.endpoints import service_name
from common.errors import ConfigError
from common.manifest import Library, Manifest
from common.settings import SETTINGS, Settings
from deploy.supervisor import GATEWAY_STOP_SECONDS

CORPUS = "/corpus"
"""Where the archives are, read-only."""

MANIFEST = "/config/corpus.toml"
"""Where a gateway reads its manifest."""

GATEWAY_PORT = 8000
"""Where a gateway listens; what it is published as is MCP_PORT."""

USER = 10001
"""User and group of every process."""

HEALTH_SECONDS = 10
"""Between two health checks, each of which takes some 0.1 s of CPU."""

FOR_GATEWAYS = frozenset(
    {
        "MCP_ALLOWED_HOSTS",
        "MCP_ALLOWED_ORIGINS",
        "SEARCH_LIMIT",
        "SEARCH_MAX_LIMIT",
        "SEARCH_WORKERS",
        "SEARCH_MAX_CONSECUTIVE",
        "SEARCH_DEADLINE",
        "FETCH_DEADLINE",
        "SEARCH_RESTART_GRACE",
        "SEARCH_CACHE_MB",
        "MAX_FETCH_CHARS",
        "LOG_QUERIES",
        "LOG_LEVEL",
        "GATEWAY_DRAIN",
        "SHARD_SERVICE",
        "SHARD_PORT",
    }
)
"""Settings of the operator that reach the gateways; the others are ours to set in a container."""

FOR_SHARDS = frozenset(
    {
        "LOG_LEVEL",
        "SHARD_WATCHDOG",
        "SHARD_QUEUE",
        "SHARD_INDEX",
        "SHARD_CLUSTER_CACHE_MB",
        "SHARD_DOCUMENT_CACHE_MB",
        "SHARD_MEMORY_MB",
    }
)
"""Likewise for the shards."""


GATEWAY = "gateway"
"""Name of the gateways' service."""

_LABEL = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")


class Images(NamedTuple):
    """The images that are run; every node must be able to pull them."""

    gateway: str
    shard: str


def service_names(manifest: Manifest, settings: Settings) -> dict[str, str]:
    """Return the service of each library by its name: what a gateway resolves.

    Raises:
        ConfigError: SHARD_SERVICE makes a name that cannot be the name of a service, or two equal.
    """
    names: dict[str, str] = {}
    taken = {GATEWAY}
    for library in manifest.libraries:
        name = service_name(settings.shard_service, library.slug)
        if not _LABEL.fullmatch(name) or name in taken:
            raise ConfigError(
                "SHARD_SERVICE: expected a template of service names, which begin with a letter, "
                "have at most 63 of a-z, 0-9 and -, and are all different, "
                f"got {settings.shard_service!r}, which makes {name!r}"
            )
        taken.add(name)
        names[library.name] = name
    return names


def gateway_command() -> list[str]:
    """Return what a gateway's container runs."""
    return ["python", "-m", "gateway", "serve"]


def shard_command(library: Library, settings: Settings) -> list[str]:
    """Return what a replica of a resolved library runs.

    The archive stands in the command, so that another edition is another command, which an engine
    rolls out like any other change.
    """
    return [
        *("python", "-m", "shard", "serve"),
        *("--library", library.name),
        *("--archive", f"{CORPUS}/{library.path}"),
        *("--adapter", library.adapter),
        *("--endpoint", _endpoint(settings)),
    ]


def shard_health(settings: Settings) -> list[str]:
    """Return the command that exits with 0 if a live worker has bound its endpoint."""
    return ["python", "-m", "shard", "health", "--endpoint", _endpoint(settings)]


def gateway_health() -> list[str]:
    """Return the command that exits with 0 if the gateway lives."""
    return ["python", "-m", "gateway", "health"]


def gateway_environment(
    settings: Settings, given: Mapping[str, str], *, token: str, secret: str, peers: str
) -> dict[str, str]:
    """Return the settings of a gateway.

    Args:
        settings: The operator's, read from ``given``.
        given: The operator's environment; what it says of `FOR_GATEWAYS` is passed on.
        token: File of the bearer token.
        secret: File of the gateway's own key.
        peers: File of the shards' public key.
    """
    return {
        **_passed(FOR_GATEWAYS, given),
        "CORPUS_CONFIG": MANIFEST,
        "CORPUS_DISCOVERY": "dns",
        "SHARD_SERVICE": settings.shard_service,
        "SHARD_PORT": str(settings.shard_port),
        "MCP_HOST": "0.0.0.0",  # noqa: S104 - of a container, with a token
        "MCP_PORT": str(GATEWAY_PORT),
        "MCP_TOKEN_FILE": token,
        "CURVE_SECRET_FILE": secret,
        "CURVE_PEERS_FILE": peers,
        # Without it a name that nobody has holds a look-up for ten seconds.
        "RES_OPTIONS": "timeout:1 attempts:1",
    }


def shard_environment(
    library: Library, given: Mapping[str, str], *, secret: str, peers: str
) -> dict[str, str]:
    """Return the settings of a replica; see `gateway_environment`."""
    own = library.memory_mb
    return {
        **_passed(FOR_SHARDS, given),
        **({} if own is None else {"SHARD_MEMORY_MB": str(own)}),
        "CURVE_SECRET_FILE": secret,
        "CURVE_PEERS_FILE": peers,
    }


def gateway_stop_seconds(settings: Settings) -> int:
    """Return the seconds between SIGTERM and SIGKILL of a gateway."""
    return int(settings.gateway_drain) + GATEWAY_STOP_SECONDS


def _passed(names: frozenset[str], given: Mapping[str, str]) -> dict[str, str]:
    return {
        row.name: given[row.name] for row in SETTINGS if row.name in names and given.get(row.name)
    }


def _endpoint(settings: Settings) -> str:
    return f"tcp://*:{settings.shard_port}"
