"""The stack of Docker Swarm: a service per library and one for the gateways, as text.

Pure functions. What Swarm has no words for: it publishes on every address of a node, so a stack
has a token; it forgets `security_opt` and `dns_opt`, so the daemon's own `no-new-privileges` is the
operator's to set and the resolver is told by RES_OPTIONS. Every service is found by the addresses
of its tasks (`dnsrr`), which is what the gateway balances between, and needs no IPVS.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from common.manifest import Library, Manifest
from common.settings import Settings
from deploy.containers import (
    CORPUS,
    GATEWAY,
    GATEWAY_PORT,
    HEALTH_SECONDS,
    MANIFEST,
    USER,
    Images,
    gateway_command,
    gateway_environment,
    gateway_health,
    gateway_stop_seconds,
    service_names,
    shard_command,
    shard_environment,
    shard_health,
)
from deploy.resources import Resources, gateway_resources, shard_resources
from deploy.supervisor import SHARD_STOP_SECONDS
from deploy.yaml_text import dump, escaped

FORMAT = "3.9"
"""Of the stack file: the last one that the command of Docker 20.10 knows."""

LABEL = "corpus.library."
"""Begins the label of the nodes that hold the archive of a library; its slug follows."""

GATEWAY_LABEL = "corpus.gateway"
"""Label of the nodes that run a gateway and publish its port."""

START_SECONDS = 60
"""For a shard to open an archive on a slow disk before failed health checks count."""

BETWEEN_REPLICAS = 3
"""Seconds after a replaced replica before the next: a gateway looks for replicas every 2 s."""

SECRETS = "/run/secrets"

_HEADER = """\
# Written by `corpus-mcp render swarm`; written anew rather than edited.
#
#   docker node update --label-add corpus.gateway=true NODE          nodes that publish port {port}
{labels}#   docker stack deploy --compose-file FILE corpus
#
# {corpus} of such a node has the library's archive. A node is called by its name: say it in
# MCP_ALLOWED_HOSTS. Images that no registry has: --resolve-image never.
"""


class Source(NamedTuple):
    """A file that a stack carries to its nodes.

    Attributes:
        path: On the machine that deploys, absolute.
        digest: Changes with the content: what a swarm holds is never changed, only replaced.
    """

    path: str
    digest: str


class Sources(NamedTuple):
    """The files of a stack."""

    manifest: Source
    token: Source
    shard_key: Source
    shard_pub: Source
    gateway_key: Source
    gateway_pub: Source

    def kept(self, name: str) -> str:
        """Return the name under which a stack keeps a file; another content has another name."""
        return f"{name}_{getattr(self, name).digest}"


class Stack(NamedTuple):
    """What is rendered.

    Attributes:
        manifest: Resolved.
        given: The operator's environment, from which ``settings`` were read.
        corpus: Folder of the archives on the nodes.
        gateways: How many, each on a node of its own.
    """

    manifest: Manifest
    settings: Settings
    given: Mapping[str, str]
    images: Images
    sources: Sources
    corpus: str
    gateways: int = 1


def render(stack: Stack) -> str:
    """Return the stack file.

    Raises:
        ConfigError: SHARD_SERVICE makes no names of services.
    """
    names = service_names(stack.manifest, stack.settings)
    shards = {names[library.name]: _shard(library, stack) for library in stack.manifest.libraries}
    sources = stack.sources
    file = {
        "version": FORMAT,
        "services": {GATEWAY: _gateway(stack), **shards},
        "networks": {
            "front": {"driver": "overlay"},
            "shards": {"driver": "overlay", "internal": True},
        },
        "configs": {sources.kept("manifest"): {"file": sources.manifest.path}},
        "secrets": {
            sources.kept(name): {"file": source.path}
            for name, source in sources._asdict().items()
            if name != "manifest"
        },
    }
    return _header(stack) + dump(escaped(file))


def _header(stack: Stack) -> str:
    libraries = stack.manifest.libraries
    width = max(len(library.slug) for library in libraries)
    labels = "".join(
        f"#   docker node update --label-add {LABEL}{library.slug}=true NODE"
        f"{'':{width - len(library.slug)}}   {library.name}\n"
        for library in libraries
    )
    return _HEADER.format(port=stack.settings.mcp_port, labels=labels, corpus=stack.corpus)


def _gateway(stack: Stack) -> dict[str, Any]:
    settings = stack.settings
    environment = gateway_environment(
        settings,
        stack.given,
        token=f"{SECRETS}/token",
        secret=f"{SECRETS}/gateway_key",
        peers=f"{SECRETS}/shard_pub",
    )
    resources = gateway_resources(stack.manifest, settings)
    placement = {
        "constraints": [f"node.labels.{GATEWAY_LABEL} == true"],
        "max_replicas_per_node": 1,
    }
    # A port of a node cannot be had twice, so the old gateway goes first.
    return {
        "image": stack.images.gateway,
        "entrypoint": gateway_command(),
        "environment": environment,
        "configs": [{"source": stack.sources.kept("manifest"), "target": MANIFEST}],
        "secrets": _secrets(stack.sources, "token", "gateway_key", "shard_pub"),
        "networks": ["front", "shards"],
        "ports": [
            {
                "target": GATEWAY_PORT,
                "published": settings.mcp_port,
                "protocol": "tcp",
                "mode": "host",
            }
        ],
        "volumes": [_tmpfs("/tmp")],  # noqa: S108 - of the container
        "healthcheck": _healthcheck(gateway_health(), start=HEALTH_SECONDS),
        "stop_grace_period": f"{gateway_stop_seconds(settings)}s",
        "deploy": _deploy(stack.gateways, placement, resources, order="stop-first"),
        **_confined(),
    }


def _shard(library: Library, stack: Stack) -> dict[str, Any]:
    settings = stack.settings
    environment = shard_environment(
        library, stack.given, secret=f"{SECRETS}/shard_key", peers=f"{SECRETS}/gateway_pub"
    )
    archives = {"type": "bind", "source": stack.corpus, "target": CORPUS, "read_only": True}
    placement = {"constraints": [f"node.labels.{LABEL}{library.slug} == true"]}
    return {
        "image": stack.images.shard,
        "entrypoint": shard_command(library, settings),
        "environment": environment,
        "secrets": _secrets(stack.sources, "shard_key", "gateway_pub"),
        "networks": ["shards"],
        "volumes": [archives, _tmpfs("/tmp")],  # noqa: S108 - of the container
        "healthcheck": _healthcheck(shard_health(settings), start=START_SECONDS),
        "stop_grace_period": f"{SHARD_STOP_SECONDS + 5}s",
        "deploy": _deploy(
            library.replicas, placement, shard_resources(library, settings), order="start-first"
        ),
        **_confined(),
    }


def _deploy(
    replicas: int, placement: dict[str, Any], resources: Resources, *, order: str
) -> dict[str, Any]:
    change = {
        "order": order,
        "parallelism": 1,
        "delay": f"{BETWEEN_REPLICAS}s",
        "monitor": "15s",
    }
    limits = {} if resources.limit_mb is None else {"memory": f"{resources.limit_mb}M"}
    return {
        "replicas": replicas,
        "endpoint_mode": "dnsrr",
        "placement": placement,
        "update_config": {**change, "failure_action": "rollback"},
        "rollback_config": change,
        "restart_policy": {"condition": "any", "delay": "1s"},
        "resources": {
            "limits": {**limits, "pids": resources.pids},
            "reservations": {"memory": f"{resources.reserve_mb}M"},
        },
    }


def _confined() -> dict[str, Any]:
    return {
        "user": f"{USER}:{USER}",
        "read_only": True,
        "cap_drop": ["ALL"],
        "logging": {"driver": "json-file", "options": {"max-size": "10m", "max-file": "3"}},
    }


def _healthcheck(command: list[str], *, start: int) -> dict[str, Any]:
    return {
        "test": ["CMD", *command],
        "interval": f"{HEALTH_SECONDS}s",
        "timeout": "5s",
        "retries": 3,
        "start_period": f"{start}s",
    }


def _tmpfs(target: str) -> dict[str, Any]:
    return {"type": "tmpfs", "target": target, "tmpfs": {"size": 64 * 1024 * 1024}}


def _secrets(sources: Sources, *names: str) -> list[dict[str, Any]]:
    owner = {"uid": str(USER), "gid": str(USER), "mode": 0o400}
    return [{"source": sources.kept(name), "target": name, **owner} for name in names]
