"""What the YAML stream says, held against the schemas of Kubernetes itself."""

from typing import Any

import kubernetes_validate
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from common import manifest as manifests
from common.endpoints import service_name
from common.errors import ConfigError
from common.manifest import MAX_NAME_CHARS, Library, Manifest
from common.settings import load
from deploy.containers import Images
from deploy.kubernetes import Cluster, Scale, objects, render
from deploy.pods import Archives

MANIFEST = Manifest(
    (
        Library(name="C++", path="c/plus.zim", adapter="devdocs", replicas=2),
        Library(name="wiki", path="wiki.zim", memory_mb=2000),
    )
)

FOLDER = Archives(folder="/srv/corpus")

VERSIONS = ("1.27", "1.31", kubernetes_validate.latest_version())


def cluster(
    manifest: Manifest = MANIFEST,
    *,
    archives: Archives = FOLDER,
    namespace: str | None = None,
    environment: dict[str, str] | None = None,
) -> Cluster:
    return Cluster(
        manifest=manifest,
        settings=load(environment or {}),
        given=environment or {},
        images=Images("example/gateway:1", "example/shard:1"),
        archives=archives,
        scale=Scale(3, 7),
        namespace=namespace,
    )


def read(rendered: Cluster | None = None) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(render(rendered or cluster())))


def of_kind(kind: str, found: list[dict[str, Any]] | None = None) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in found or read() if one["kind"] == kind}


def pods(found: list[dict[str, Any]] | None = None) -> dict[str, dict[str, Any]]:
    deployments = of_kind("Deployment", found)
    return {name: one["spec"]["template"]["spec"] for name, one in deployments.items()}


def environment_of(pod: dict[str, Any]) -> dict[str, str]:
    return {row["name"]: row["value"] for row in pod["containers"][0]["env"]}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "rendered",
    [
        pytest.param(cluster(), id="folder"),
        pytest.param(cluster(archives=Archives(claim="zim-{slug}")), id="claim"),
        pytest.param(cluster(namespace="corpus"), id="namespace"),
        pytest.param(cluster(environment={"SHARD_MEMORY_MB": "0"}), id="no bound"),
    ],
)
def test_every_object_is_one_that_kubernetes_knows(rendered: Cluster, version: str) -> None:
    for one in read(rendered):
        kubernetes_validate.validate(one, version, strict=True)


@pytest.mark.parametrize(
    ("path", "wrong"), [("replicas", "two"), ("template", "x"), ("replica", 2)]
)
def test_the_schemas_refuse_what_is_wrong(path: str, wrong: Any) -> None:
    deployment = of_kind("Deployment")["shard-wiki"]
    deployment["spec"][path] = wrong

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, VERSIONS[0], strict=True)


names = st.text(
    st.characters(categories=("Lu", "Ll", "Lo", "Nd"), include_characters=" -_.+#"),
    min_size=1,
    max_size=MAX_NAME_CHARS,
).filter(lambda name: name == name.strip())


@settings(max_examples=50, deadline=None)
@given(st.lists(names, min_size=1, max_size=4, unique_by=str.casefold))
def test_any_library_has_the_headless_service_that_a_gateway_resolves(some: list[str]) -> None:
    libraries = tuple(Library(name=name, path="a.zim") for name in some)
    if len({library.slug for library in libraries}) < len(libraries):
        return
    found = objects(cluster(Manifest(libraries)))
    services = of_kind("Service", found)
    template = environment_of(pods(found)["gateway"])["SHARD_SERVICE"]

    for library in libraries:
        name = service_name(template, library.slug)
        assert len(name) <= 63
        assert services[name]["spec"]["clusterIP"] == "None"
        selector = services[name]["spec"]["selector"]
        (kept,) = [
            one
            for one in of_kind("Deployment", found).values()
            if selector.items() <= one["spec"]["template"]["metadata"]["labels"].items()
        ]
        assert library.name in kept["spec"]["template"]["spec"]["containers"][0]["command"]


def test_a_template_that_makes_no_service_names_is_refused() -> None:
    with pytest.raises(ConfigError, match="SHARD_SERVICE"):
        render(cluster(environment={"SHARD_SERVICE": "{slug}.example"}))


def test_gateways_read_the_resolved_manifest() -> None:
    found = read()
    text = of_kind("ConfigMap", found)["corpus-manifest"]["data"]["corpus.toml"]
    gateway = pods(found)["gateway"]

    assert manifests.parse(text) == MANIFEST
    mounts = {row["name"]: row["mountPath"] for row in gateway["containers"][0]["volumeMounts"]}
    assert environment_of(gateway)["CORPUS_CONFIG"] == f"{mounts['manifest']}/corpus.toml"


def test_keys_and_token_are_named_and_never_written() -> None:
    rendered = cluster(environment={"MCP_TOKEN": "very-secret"})
    found = read(rendered)

    assert "very-secret" not in render(rendered)
    assert not of_kind("Secret", found)
    for pod in pods(found).values():
        container = pod["containers"][0]
        mounts = {row["name"]: row["mountPath"] for row in container["volumeMounts"]}
        told = load(environment_of(pod))
        assert str(told.curve_secret_file).startswith(mounts["keys"] + "/")
        assert str(told.curve_peers_file).startswith(mounts["keys"] + "/")
        assert not told.shard_tcp_plain


def test_archives_lie_in_a_folder_of_labelled_nodes() -> None:
    wiki = pods()["shard-wiki"]

    assert wiki["nodeSelector"] == {"corpus-mcp/library-wiki": "true"}
    assert wiki["volumes"][0]["hostPath"]["path"] == "/srv/corpus"
    (mount,) = [m for m in wiki["containers"][0]["volumeMounts"] if m["name"] == "corpus"]
    assert mount == {"name": "corpus", "mountPath": "/corpus", "readOnly": True}


def test_archives_may_have_a_claim_each() -> None:
    wiki = pods(read(cluster(archives=Archives(claim="zim-{slug}"))))["shard-wiki"]

    claim = wiki["volumes"][0]["persistentVolumeClaim"]
    assert claim == {"claimName": "zim-wiki", "readOnly": True}
    assert "nodeSelector" not in wiki


def test_a_change_takes_no_replica_away_before_its_successor_is_known() -> None:
    for name, deployment in of_kind("Deployment").items():
        change = deployment["spec"]["strategy"]["rollingUpdate"]
        assert change == {"maxSurge": 1, "maxUnavailable": 0}, name
        assert deployment["spec"]["minReadySeconds"] > 2 + 5


def test_the_number_of_gateways_is_left_to_the_autoscaler() -> None:
    found = read()
    deployments = of_kind("Deployment", found)
    scaler = of_kind("HorizontalPodAutoscaler", found)["gateway"]["spec"]

    assert "replicas" not in deployments["gateway"]["spec"]
    assert deployments[next(n for n in deployments if "-c-" in n)]["spec"]["replicas"] == 2
    assert (scaler["minReplicas"], scaler["maxReplicas"]) == (3, 7)
    requests = pods(found)["gateway"]["containers"][0]["resources"]["requests"]
    assert "cpu" in requests


def test_shards_are_reached_by_gateways_alone_and_reach_nobody() -> None:
    found = read()
    policies = of_kind("NetworkPolicy", found)
    shards, gateways = (policies[name]["spec"] for name in ("corpus-shards", "corpus-gateways"))

    assert shards["policyTypes"] == ["Ingress", "Egress"]
    assert shards["egress"] == []
    ((rule),) = shards["ingress"]
    assert rule["from"] == [{"podSelector": gateways["podSelector"]}]
    ports = [port["port"] for egress in gateways["egress"] for port in egress["ports"]]
    assert ports == [7100, 53, 53]
    for name, deployment in of_kind("Deployment", found).items():
        selector = (gateways if name == "gateway" else shards)["podSelector"]["matchLabels"]
        assert selector.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()


def test_pods_are_confined() -> None:
    for pod in pods().values():
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not pod["automountServiceAccountToken"]
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_a_drain_of_a_node_is_never_held_up_for_ever() -> None:
    budgets = of_kind("PodDisruptionBudget")

    assert set(budgets) == set(of_kind("Deployment"))
    assert all(one["spec"]["maxUnavailable"] == 1 for one in budgets.values())


def test_signs_of_variables_are_escaped() -> None:
    manifest = Manifest((Library(name="wiki", path="a $(HOME).zim"),))

    command = pods(read(cluster(manifest)))["shard-wiki"]["containers"][0]["command"]

    assert "/corpus/a $$(HOME).zim" in command


def test_a_namespace_is_made_and_holds_everything() -> None:
    first, *others = read(cluster(namespace="corpus"))

    assert (first["kind"], first["metadata"]["name"]) == ("Namespace", "corpus")
    assert {one["metadata"]["namespace"] for one in others} == {"corpus"}
    assert all("namespace" not in one["metadata"] for one in read())


@pytest.mark.parametrize("namespace", ["", "Corpus", "corpus_1", "-corpus", "a" * 64])
def test_namespace_that_kubernetes_does_not_know_is_refused(namespace: str) -> None:
    with pytest.raises(ConfigError, match="--namespace: expected"):
        objects(cluster(namespace=namespace))


@pytest.mark.parametrize("claim", ["zim-{name}", "Zim", "zim_{slug}", "zim-{slug}-", "zim..{slug}"])
def test_claim_that_kubernetes_does_not_know_is_refused(claim: str) -> None:
    with pytest.raises(ConfigError, match="--claim: expected"):
        objects(cluster(archives=Archives(claim=claim)))


def test_namespace_is_made_before_the_secrets_in_it() -> None:
    commands = [
        line for line in render(cluster(namespace="corpus")).splitlines() if "kubectl" in line
    ]

    assert "kubectl create namespace corpus" in commands[0]
    assert "create namespace" not in render(cluster())
