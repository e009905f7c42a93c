"""What the stack file says, as a reader of YAML has it."""

from typing import Any

import pytest
import yaml

from common.endpoints import service_name
from common.manifest import Library, Manifest
from common.settings import load
from deploy.containers import Images
from deploy.swarm import Source, Sources, Stack, render

MANIFEST = Manifest(
    (
        Library(name="C++", path="c/plus.zim", adapter="devdocs", replicas=2),
        Library(name="wiki", path="wiki.zim", memory_mb=2000),
    )
)
SOURCES = Sources(*(Source(f"/etc/corpus/{name}", "0123abcd") for name in Sources._fields))


def stack(manifest: Manifest = MANIFEST, corpus: str = "/srv/corpus", **given: str) -> Any:
    text = render(
        Stack(
            manifest=manifest,
            settings=load(given),
            given=given,
            images=Images("example/gateway:1", "example/shard:1"),
            sources=SOURCES,
            corpus=corpus,
            gateways=2,
        )
    )
    return yaml.safe_load(text)


@pytest.fixture
def services() -> dict[str, Any]:
    return dict(stack()["services"])


def shards(services: dict[str, Any]) -> list[dict[str, Any]]:
    return [service for name, service in services.items() if name != "gateway"]


def test_each_library_has_the_service_that_a_gateway_resolves(services: dict[str, Any]) -> None:
    template = services["gateway"]["environment"]["SHARD_SERVICE"]

    wanted = {service_name(template, library.slug) for library in MANIFEST.libraries}
    assert set(services) == {"gateway", *wanted}


def test_another_template_names_services_and_reaches_the_gateway() -> None:
    services = stack(SHARD_SERVICE="lib-{slug}")["services"]

    assert "lib-wiki" in services
    assert services["gateway"]["environment"]["SHARD_SERVICE"] == "lib-{slug}"


def test_shards_run_where_their_archive_is(services: dict[str, Any]) -> None:
    wiki = services["shard-wiki"]

    assert wiki["deploy"]["placement"]["constraints"] == ["node.labels.corpus.library.wiki == true"]
    assert wiki["volumes"][0] == {
        "type": "bind",
        "source": "/srv/corpus",
        "target": "/corpus",
        "read_only": True,
    }
    assert "/corpus/wiki.zim" in wiki["entrypoint"]


def test_replicas_are_those_of_the_manifest(services: dict[str, Any]) -> None:
    replicas = [service["deploy"]["replicas"] for service in shards(services)]

    assert replicas == [2, 1]
    assert services["gateway"]["deploy"]["replicas"] == 2


def test_a_new_shard_serves_before_the_old_one_goes(services: dict[str, Any]) -> None:
    for service in shards(services):
        change = service["deploy"]["update_config"]
        assert change["order"] == "start-first"
        assert change["failure_action"] == "rollback"
        assert change["parallelism"] == 1
        assert service["deploy"]["rollback_config"]["order"] == "start-first"
        # Without it a task counts as running before it has bound its socket.
        assert service["healthcheck"]["test"][0] == "CMD"


def test_gateways_own_a_port_of_their_node(services: dict[str, Any]) -> None:
    gateway = services["gateway"]

    (port,) = gateway["ports"]
    assert port == {"target": 8000, "published": 8000, "protocol": "tcp", "mode": "host"}
    assert gateway["deploy"]["placement"]["max_replicas_per_node"] == 1
    assert gateway["deploy"]["update_config"]["order"] == "stop-first"


def test_no_service_needs_virtual_addresses(services: dict[str, Any]) -> None:
    assert {service["deploy"]["endpoint_mode"] for service in services.values()} == {"dnsrr"}


def test_shards_are_on_a_network_without_a_way_out(services: dict[str, Any]) -> None:
    networks = stack()["networks"]

    for service in shards(services):
        assert all(networks[name].get("internal") for name in service["networks"])
        assert "ports" not in service


def test_keys_and_token_are_secrets_that_only_their_owners_get(services: dict[str, Any]) -> None:
    def held(service: dict[str, Any]) -> set[str]:
        return {secret["target"] for secret in service["secrets"]}

    assert held(services["gateway"]) == {"token", "gateway_key", "shard_pub"}
    assert all(held(service) == {"shard_key", "gateway_pub"} for service in shards(services))
    for service in services.values():
        told = load(service["environment"])
        there = {f"/run/secrets/{secret['target']}" for secret in service["secrets"]}
        files = {told.curve_secret_file, told.curve_peers_file, told.mcp_token_file} - {None}
        assert {str(path) for path in files} == there
        assert all(secret["mode"] == 0o400 for secret in service["secrets"])
        assert not told.shard_tcp_plain


def test_what_a_swarm_keeps_is_named_after_its_content(services: dict[str, Any]) -> None:
    whole = stack()

    assert set(whole["configs"]) == {"manifest_0123abcd"}
    assert len(whole["secrets"]) == 5
    for service in services.values():
        for secret in service["secrets"]:
            assert secret["source"] == f"{secret['target']}_0123abcd"
            assert secret["source"] in whole["secrets"]


def test_containers_are_confined(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert not service["user"].startswith("0")
        assert service["deploy"]["resources"]["limits"]["pids"]


def test_memory_of_one_library_bounds_its_worker_and_its_container(
    services: dict[str, Any],
) -> None:
    wiki, other = services["shard-wiki"], services[next(name for name in services if "c-" in name)]

    assert wiki["environment"]["SHARD_MEMORY_MB"] == "2000"
    limits = [
        int(service["deploy"]["resources"]["limits"]["memory"].rstrip("M"))
        for service in (wiki, other)
    ]
    assert limits[0] > 2000 > limits[1]


def test_signs_of_variables_are_escaped() -> None:
    manifest = Manifest((Library(name="wiki", path="a $HOME.zim"),))

    shard = stack(manifest, corpus="/srv/$x")["services"]["shard-wiki"]

    assert "/corpus/a $$HOME.zim" in shard["entrypoint"]
    assert shard["volumes"][0]["source"] == "/srv/$$x"


def test_time_to_stop_follows_the_drain() -> None:
    gateway = stack(GATEWAY_DRAIN="30")["services"]["gateway"]

    assert int(gateway["stop_grace_period"].rstrip("s")) > 30
