"""What a pod of ours is in the words of Kubernetes: containers, mounts, probes, confinement."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from common.manifest import Library, Manifest
from common.settings import Settings
from deploy.containers import (
    CORPUS,
    GATEWAY_PORT,
    HEALTH_SECONDS,
    MANIFEST,
    USER,
    Images,
    gateway_command,
    gateway_environment,
    gateway_stop_seconds,
    shard_command,
    shard_environment,
    shard_health,
)
from deploy.resources import Resources, gateway_resources, shard_resources
from deploy.supervisor import SHARD_STOP_SECONDS

LABEL = "corpus-mcp/library-"
"""Begins the label of the nodes that hold the archive of a library; its slug follows."""

PORT = "corpus"
"""Name of the port that a container of either role listens on."""

KEYS = "/keys"
TOKEN = "/token"  # noqa: S105 - a folder

START_SECONDS = 300
"""For a shard to open an archive on a slow volume before it is started again."""

_READ_BY_GROUP = 0o440
"""Files of a secret belong to root and to the group of the pod."""


class Archives(NamedTuple):
    """Where the archives are: in a folder of the nodes, or in a claim.

    Attributes:
        folder: On the nodes that carry the label of the library.
        claim: A PersistentVolumeClaim that many pods may read; in it ``{slug}`` stands for the
            library, so that each archive may have a claim of its own.
    """

    folder: str = ""
    claim: str = ""


def shard_pod(
    library: Library,
    settings: Settings,
    given: Mapping[str, str],
    images: Images,
    archives: Archives,
) -> dict[str, Any]:
    """Return the specification of a pod that serves a resolved library."""
    environment = shard_environment(
        library, given, secret=f"{KEYS}/shard.key", peers=f"{KEYS}/gateway.pub"
    )
    probe = {
        "exec": {"command": shard_health(settings)},
        "periodSeconds": HEALTH_SECONDS,
        "timeoutSeconds": 5,
    }
    container = {
        "name": "shard",
        "image": images.shard,
        "command": _literal(shard_command(library, settings)),
        "env": _env(environment),
        "ports": [{"name": PORT, "containerPort": settings.shard_port, "protocol": "TCP"}],
        "startupProbe": {
            **probe,
            "periodSeconds": 2,
            "failureThreshold": START_SECONDS // 2,
        },
        "readinessProbe": {**probe, "failureThreshold": 1},
        # A keeper brings its worker back by itself; this is for the day when it cannot.
        "livenessProbe": {**probe, "periodSeconds": 30, "failureThreshold": 3},
        "resources": _resources(shard_resources(library, settings), cpu="50m"),
        "volumeMounts": [
            {"name": "corpus", "mountPath": CORPUS, "readOnly": True},
            {"name": "keys", "mountPath": KEYS, "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - of the container
        ],
        "securityContext": _CONTAINER,
    }
    selector = {} if archives.claim else {"nodeSelector": {f"{LABEL}{library.slug}": "true"}}
    return {
        **_pod(SHARD_STOP_SECONDS + 5),
        **selector,
        "containers": [container],
        "volumes": [_corpus(library, archives), _secret("keys", "corpus-shard-keys"), _TMP],
    }


def gateway_pod(
    manifest: Manifest, settings: Settings, given: Mapping[str, str], images: Images
) -> dict[str, Any]:
    """Return the specification of a pod that serves MCP."""
    environment = gateway_environment(
        settings,
        given,
        token=f"{TOKEN}/token",
        secret=f"{KEYS}/gateway.key",
        peers=f"{KEYS}/shard.pub",
    )
    container = {
        "name": "gateway",
        "image": images.gateway,
        "command": gateway_command(),
        "env": _env(environment),
        "ports": [{"name": PORT, "containerPort": GATEWAY_PORT, "protocol": "TCP"}],
        "startupProbe": {**_get("/healthz", period=1), "failureThreshold": 60},
        "readinessProbe": {**_get("/readyz", period=2), "failureThreshold": 1},
        "livenessProbe": {**_get("/healthz", period=HEALTH_SECONDS), "failureThreshold": 3},
        "resources": _resources(gateway_resources(manifest, settings), cpu="500m"),
        "volumeMounts": [
            # The folder, not the file: only so is a changed manifest seen.
            {"name": "manifest", "mountPath": _folder(MANIFEST), "readOnly": True},
            {"name": "keys", "mountPath": KEYS, "readOnly": True},
            {"name": "token", "mountPath": TOKEN, "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - of the container
        ],
        "securityContext": _CONTAINER,
    }
    resolver = [{"name": "timeout", "value": "1"}, {"name": "attempts", "value": "2"}]
    return {
        **_pod(gateway_stop_seconds(settings)),
        "dnsConfig": {"options": resolver},
        "containers": [container],
        "volumes": [
            {"name": "manifest", "configMap": {"name": "corpus-manifest"}},
            _secret("keys", "corpus-gateway-keys"),
            _secret("token", "corpus-token"),
            _TMP,
        ],
    }


_CONTAINER = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}

_TMP = {"name": "tmp", "emptyDir": {"sizeLimit": "64Mi"}}


def _pod(stop_seconds: int) -> dict[str, Any]:
    return {
        "automountServiceAccountToken": False,
        # A thousand services would be seven thousand variables in every container.
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": stop_seconds,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            # Else every file of a large volume is looked at when a pod starts.
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }


def claim_name(template: str, library: Library) -> str:
    """Return the claim that has a library's archive; see `Archives`."""
    return template.replace("{slug}", library.slug)


def _corpus(library: Library, archives: Archives) -> dict[str, Any]:
    if archives.claim:
        claim = {"claimName": claim_name(archives.claim, library), "readOnly": True}
        return {"name": "corpus", "persistentVolumeClaim": claim}
    return {"name": "corpus", "hostPath": {"path": archives.folder, "type": "Directory"}}


def _secret(name: str, secret: str) -> dict[str, Any]:
    return {"name": name, "secret": {"secretName": secret, "defaultMode": _READ_BY_GROUP}}


def _get(path: str, *, period: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": PORT},
        "periodSeconds": period,
        "timeoutSeconds": 5,
    }


def _resources(resources: Resources, *, cpu: str) -> dict[str, Any]:
    # No limit of CPU: a throttled shard makes every query wait for it.
    limits = {} if resources.limit_mb is None else {"memory": f"{resources.limit_mb}Mi"}
    return {
        "requests": {"cpu": cpu, "memory": f"{resources.reserve_mb}Mi"},
        **({"limits": limits} if limits else {}),
    }


def _env(values: Mapping[str, str]) -> list[dict[str, str]]:
    return [
        {"name": name, "value": value}
        for name, value in zip(values, _literal(list(values.values())), strict=True)
        if name != "RES_OPTIONS"  # Kubernetes has words for it: dnsConfig
    ]


def _literal(words: list[str]) -> list[str]:
    # "$(NAME)" is the value of a variable, "$$" is a "$".
    return [word.replace("$", "$$") for word in words]


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)
