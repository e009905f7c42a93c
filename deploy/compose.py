"""The part of a Compose project that depends on the corpus and the settings, as text.

Pure functions. What is the same for every corpus stands in ``docker/``: ``compose.yaml`` with the
proxy, the gateways and the networks, and ``shard.yaml``, which each library's service extends.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from common.endpoints import service_name
from common.errors import ConfigError
from common.manifest import Library, Manifest
from common.settings import Settings
from deploy.containers import (
    CORPUS,
    FOR_SHARDS,
    GATEWAY,
    GATEWAY_PORT,
    gateway_environment,
    gateway_stop_seconds,
    service_names,
    shard_command,
    shard_environment,
    shard_health,
)
from deploy.corpus import Corpus, Served
from deploy.errors import Failed
from deploy.resources import gateway_resources, shard_resources
from deploy.yaml_text import dump, escaped

PROXY = "proxy"
"""Name of the service that owns the published port."""

CONFIG = "/config"
"""Where the folder of the resolved manifest is mounted: a renamed file is not seen through a mount
of the file alone."""

EDITION = "corpus.edition"
"""Label that changes with the archive, so that a service whose file was replaced under its own name
is not taken for unchanged."""

_SOURCES = "x-corpus"

_HEADER = """\
# Written by `make start` and `corpus-mcp render compose` from the manifest, and written anew rather
# than edited. The rest of the project stands in docker/compose.yaml.

"""


class Place(NamedTuple):
    """Where the files of a project are on this machine; all absolute.

    Attributes:
        root: Folder of the archives.
        config: Folder of the resolved manifest.
        shard: The file that each library's service extends.
        operator: The operator's manifest, which later commands read again.
    """

    root: Path
    config: Path
    shard: Path
    operator: Path


def render(
    corpus: Corpus, settings: Settings, given: Mapping[str, str], place: Place, token: str
) -> dict[str, Any]:
    """Return the project file for a corpus; ``given`` is the operator's environment.

    Raises:
        ConfigError: SHARD_SERVICE makes no names of services.
    """
    names = services(corpus.manifest, settings)
    shards = {
        names[served.library.name]: shard(served, settings, given, place)
        for served in corpus.served
    }
    return {
        _SOURCES: {
            "manifest": str(place.operator),
            "root": str(place.root),
            "settings": {name: given[name] for name in sorted(FOR_SHARDS & set(given))},
        },
        "services": {
            PROXY: _proxy(settings),
            GATEWAY: _gateway(corpus.manifest, settings, given, place, token, sorted(shards)),
            **shards,
        },
    }


def services(manifest: Manifest, settings: Settings) -> dict[str, str]:
    """Return the service of each library by its name.

    Raises:
        ConfigError: SHARD_SERVICE makes no names of services, or that of the proxy.
    """
    names = service_names(manifest, settings)
    if PROXY in names.values():
        raise ConfigError(
            f"SHARD_SERVICE: expected other names of services than {PROXY!r}, "
            f"got {settings.shard_service!r}"
        )
    return names


def service(project: Mapping[str, Any], library: Library) -> str:
    """Return the service of a library in a project.

    Raises:
        Failed: The project was written with other names.
    """
    template = project["services"][GATEWAY]["environment"]["SHARD_SERVICE"]
    name = service_name(template, library.slug)
    if name not in project["services"]:
        raise Failed(f"the project has no service {name}: run make start")
    return name


def shard_port(project: Mapping[str, Any]) -> int:
    """Return the TCP port of a project's shards."""
    return int(project["services"][GATEWAY]["environment"]["SHARD_PORT"])


def sources(project: Mapping[str, Any]) -> tuple[Path, Path]:
    """Return the operator's manifest and the corpus root that a project was written from."""
    return Path(project[_SOURCES]["manifest"]), Path(project[_SOURCES]["root"])


def shard_settings(project: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings with which a project's shards were rendered."""
    return {**project[_SOURCES].get("settings", {}), "SHARD_PORT": str(shard_port(project))}


def port(project: Mapping[str, Any]) -> int:
    """Return the port of this machine at which a project is published."""
    return int(project["services"][PROXY]["ports"][0].split(":")[1])


def token(project: Mapping[str, Any]) -> str:
    """Return the token that a project's gateways ask for, or nothing."""
    return str(project["services"][GATEWAY]["environment"].get("MCP_TOKEN", ""))


def text(project: Mapping[str, Any]) -> str:
    """Return a project file as YAML."""
    return _HEADER + dump(escaped(dict(project)))


def shard(
    served: Served, settings: Settings, given: Mapping[str, str], place: Place
) -> dict[str, Any]:
    """Return the service of one library."""
    library = served.library
    resources = shard_resources(library, settings)
    return {
        "extends": {"file": str(place.shard), "service": "shard"},
        "command": shard_command(library, settings),
        "labels": {EDITION: served.report.uuid or ""},
        "environment": _set(shard_environment(library, given, secret="", peers="")),
        "volumes": [_mounted(place.root, CORPUS)],
        "healthcheck": {"test": ["CMD", *shard_health(settings)]},
        "scale": library.replicas,
        **({} if resources.limit_mb is None else {"mem_limit": f"{resources.limit_mb}m"}),
        "pids_limit": resources.pids,
    }


def _proxy(settings: Settings) -> dict[str, Any]:
    longest = max(settings.search_deadline, settings.fetch_deadline)
    return {
        "environment": {"CALL_SECONDS": str(round(longest) + 15)},
        # Never another address: whoever is to be let in from elsewhere comes through a proxy that
        # speaks TLS.
        "ports": [f"127.0.0.1:{settings.mcp_port}:{GATEWAY_PORT}"],
    }


def _gateway(  # noqa: PLR0913, PLR0917 - what a gateway depends on
    manifest: Manifest,
    settings: Settings,
    given: Mapping[str, str],
    place: Place,
    token: str,
    shards: list[str],
) -> dict[str, Any]:
    resources = gateway_resources(manifest, settings)
    environment = gateway_environment(settings, given, token="", secret="", peers="")
    # Without a token it may listen on all addresses of its container, none of which is published.
    access = {"MCP_TOKEN": token} if token else {"MCP_ALLOW_PUBLIC": "true"}
    return {
        "environment": {**_set(environment), "SHARD_TCP_PLAIN": "true", **access},
        "volumes": [_mounted(place.config, CONFIG)],
        # Stopped before the shards, so that calls in flight end.
        "depends_on": shards,
        "mem_limit": f"{resources.limit_mb}m",
        "pids_limit": resources.pids,
        "stop_grace_period": f"{gateway_stop_seconds(settings)}s",
    }


def _mounted(source: Path, target: str) -> dict[str, Any]:
    return {
        "type": "bind",
        "source": str(source),
        "target": target,
        "read_only": True,
        "bind": {"create_host_path": False},
    }


def _set(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if value}
