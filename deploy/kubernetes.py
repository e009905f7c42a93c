"""The objects of Kubernetes, as one YAML stream: a Deployment and a headless Service per library.

Pure functions. `deploy.pods` says what a pod is, this module what keeps and reaches it. A gateway
finds replicas by the headless Services, which tell every address, ready or not: it knows better
than a probe which replica answers, and has met a new one before an old one leaves. Names of secrets
are given, never their content.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from common import manifest as manifests
from common.errors import ConfigError
from common.manifest import Library, Manifest
from common.settings import Settings
from deploy.containers import GATEWAY, GATEWAY_PORT, Images, service_names
from deploy.pods import LABEL, PORT, Archives, claim_name, gateway_pod, shard_pod
from deploy.yaml_text import dump

Object = dict[str, Any]

SETTLE_SECONDS = 10
"""A new pod is ready for so long before an old one goes: names are kept by DNS for 5 s, and a
gateway looks at them every 2 s."""

APP = "app.kubernetes.io/name"
ROLE = "app.kubernetes.io/component"
PART_OF = "app.kubernetes.io/part-of"

MAX_CLAIM_CHARS = 253

_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_CLAIM = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")

_HEADER = """\
# Written by `corpus-mcp render kubernetes`; written anew rather than edited. Beforehand:
#
{namespace}#   kubectl{flag} create secret generic corpus-token --from-file=token=FILE
#   kubectl{flag} create secret generic corpus-gateway-keys --from-file=KEYS/gateway.key \\
#     --from-file=KEYS/shard.pub
#   kubectl{flag} create secret generic corpus-shard-keys --from-file=KEYS/shard.key \\
#     --from-file=KEYS/gateway.pub
{archives}#
# A gateway is called by a name: say it in MCP_ALLOWED_HOSTS. What leads from outside to the Service
# `gateway` (an Ingress, a load balancer) is the cluster's own.
"""


class Scale(NamedTuple):
    """How many gateways there may be."""

    least: int = 2
    most: int = 10


class Cluster(NamedTuple):
    """What is rendered.

    Attributes:
        manifest: Resolved.
        given: The operator's environment, from which ``settings`` were read.
        namespace: None leaves it to whoever applies the objects.
    """

    manifest: Manifest
    settings: Settings
    given: Mapping[str, str]
    images: Images
    archives: Archives
    scale: Scale = Scale()
    namespace: str | None = None


def render(cluster: Cluster) -> str:
    """Return the YAML stream of all objects.

    Raises:
        ConfigError: A name is none that Kubernetes knows; see `objects`.
    """
    return _header(cluster) + dump(*objects(cluster))


def objects(cluster: Cluster) -> list[Object]:
    """Return the objects in the order in which they are applied.

    Raises:
        ConfigError: SHARD_SERVICE makes no names of services, or Kubernetes knows no such name of
            a namespace or a claim.
    """
    names = service_names(cluster.manifest, cluster.settings)
    _refuse_names(cluster)
    found = [_config_map(cluster.manifest), *_policies(cluster.settings)]
    for library in cluster.manifest.libraries:
        found.extend(_shard(library, names[library.name], cluster))
    found.extend(_gateway(cluster))
    if cluster.namespace is None:
        return found
    for one in found:
        one["metadata"]["namespace"] = cluster.namespace
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": _named(cluster.namespace)},
        *found,
    ]


def _refuse_names(cluster: Cluster) -> None:
    # Else it is told by the cluster, in the middle of what it was to take.
    if cluster.namespace is not None and not _NAMESPACE.fullmatch(cluster.namespace):
        raise ConfigError(
            "--namespace: expected 1 to 63 of a-z, 0-9 and -, neither first nor last a -, "
            f"got {cluster.namespace!r}"
        )
    claim = cluster.archives.claim
    for name in (claim_name(claim, library) for library in cluster.manifest.libraries if claim):
        if len(name) > MAX_CLAIM_CHARS or not _CLAIM.fullmatch(name):
            raise ConfigError(
                f"--claim: expected at most {MAX_CLAIM_CHARS} of a-z, 0-9, - and ., with a letter "
                f"or digit at both ends and {{slug}} for the library, got {claim!r}, "
                f"which makes {name!r}"
            )


def _header(cluster: Cluster) -> str:
    flag = "" if cluster.namespace is None else f" -n {cluster.namespace}"
    labels = "".join(
        f"#   kubectl label node NODE {LABEL}{library.slug}=true\n"
        for library in cluster.manifest.libraries
    )
    # Secrets are made before what follows is applied, and need a place to be made in.
    namespace = f"#   kubectl create namespace {cluster.namespace}\n" if cluster.namespace else ""
    return _HEADER.format(
        flag=flag, namespace=namespace, archives="" if cluster.archives.claim else labels
    )


def _config_map(manifest: Manifest) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _named("corpus-manifest"),
        "data": {"corpus.toml": manifests.render(manifest)},
    }


def _shard(library: Library, name: str, cluster: Cluster) -> Iterator[Object]:
    pod = shard_pod(library, cluster.settings, cluster.given, cluster.images, cluster.archives)
    own = {APP: name, ROLE: "shard"}
    yield _service(name, own, cluster.settings.shard_port, headless=True)
    yield _deployment(name, own, pod, replicas=library.replicas)
    yield _disruption_budget(name, own)


def _gateway(cluster: Cluster) -> Iterator[Object]:
    pod = gateway_pod(cluster.manifest, cluster.settings, cluster.given, cluster.images)
    own = {APP: GATEWAY, ROLE: "gateway"}
    yield _service(GATEWAY, own, GATEWAY_PORT, headless=False)
    # How many there are is the autoscaler's to say.
    yield _deployment(GATEWAY, own, pod, replicas=None)
    yield _disruption_budget(GATEWAY, own)
    yield _autoscaler(cluster.scale)


def _service(name: str, own: dict[str, str], port: int, *, headless: bool) -> Object:
    spec: Object = {
        "selector": own,
        "ports": [{"name": PORT, "port": port, "targetPort": PORT, "protocol": "TCP"}],
    }
    if headless:
        spec = {"clusterIP": "None", "publishNotReadyAddresses": True, **spec}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _named(name, own),
        "spec": spec,
    }


def _deployment(name: str, own: dict[str, str], pod: Object, *, replicas: int | None) -> Object:
    spread = [
        {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": own},
        }
        for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname")
    ]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _named(name, own),
        "spec": {
            **({} if replicas is None else {"replicas": replicas}),
            "selector": {"matchLabels": own},
            "minReadySeconds": SETTLE_SECONDS,
            "revisionHistoryLimit": 3,
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
            },
            "template": {
                "metadata": {"labels": {**own, PART_OF: "corpus-mcp"}},
                "spec": {**pod, "topologySpreadConstraints": spread},
            },
        },
    }


def _disruption_budget(name: str, own: dict[str, str]) -> Object:
    # At least one of one would hold up every drain of its node for ever.
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": _named(name, own),
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": own}},
    }


def _autoscaler(scale: Scale) -> Object:
    busy = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
    }
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": _named(GATEWAY, {APP: GATEWAY, ROLE: "gateway"}),
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": GATEWAY},
            "minReplicas": scale.least,
            "maxReplicas": scale.most,
            "metrics": [busy],
        },
    }


def _policies(settings: Settings) -> list[Object]:
    shards, gateways = _ours("shard"), _ours("gateway")
    to_shards = [{"port": settings.shard_port, "protocol": "TCP"}]
    names = [{"port": 53, "protocol": protocol} for protocol in ("UDP", "TCP")]
    served = [{"port": GATEWAY_PORT, "protocol": "TCP"}]
    return [
        _policy(
            "corpus-shards",
            shards,
            ingress=[{"from": [{"podSelector": gateways}], "ports": to_shards}],
            egress=[],
        ),
        _policy(
            "corpus-gateways",
            gateways,
            ingress=[{"ports": served}],
            egress=[
                {"to": [{"podSelector": shards}], "ports": to_shards},
                {"to": [{"namespaceSelector": {}}], "ports": names},
            ],
        ),
    ]


def _policy(name: str, pods: Object, *, ingress: list[Object], egress: list[Object]) -> Object:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": _named(name),
        "spec": {
            "podSelector": pods,
            "policyTypes": ["Ingress", "Egress"],
            "ingress": ingress,
            "egress": egress,
        },
    }


def _ours(role: str) -> Object:
    return {"matchLabels": {PART_OF: "corpus-mcp", ROLE: role}}


def _named(name: str, own: Mapping[str, str] | None = None) -> Object:
    return {"name": name, "labels": {**(own or {}), PART_OF: "corpus-mcp"}}
