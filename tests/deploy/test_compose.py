"""What is rendered for Docker Compose: pure, from a resolved corpus."""

from pathlib import Path

import pytest
import yaml

from common.errors import ConfigError
from common.manifest import Library, Manifest
from common.settings import load
from deploy import compose, yaml_text
from deploy.corpus import Corpus, Served
from deploy.errors import Failed
from deploy.inspection import Report

PROJECT = Path(__file__).parents[2]
PLACE = compose.Place(
    root=Path("/srv/zim"),
    config=Path("/srv/run/compose/config"),
    shard=Path("/opt/corpus/docker/shard.yaml"),
    operator=Path("/srv/corpus.toml"),
)


def served(name: str, path: str, uuid: str = "u-1", **more: object) -> Served:
    library = Library(name=name, path=path, **more)  # type: ignore[arg-type]
    return Served(library, PLACE.root / path, Report(ok=True, uuid=uuid))


def rendered(
    *libraries: Served, token: str = "", given: dict[str, str] | None = None
) -> dict[str, object]:
    return compose.render(Corpus(libraries), load(given or {}), given or {}, PLACE, token)


def read_back(project: dict[str, object]) -> dict[str, dict[str, object]]:
    return yaml.safe_load(compose.text(project))["services"]


WIKIPEDIA = served("Wikipedia", "wiki/w_2026-06.zim", replicas=3)
C_PLUS_PLUS = served("C++", "c++ $HOME.zim", adapter="devdocs", memory_mb=2048)


def test_each_library_is_a_service_of_its_own() -> None:
    services = read_back(rendered(WIKIPEDIA, C_PLUS_PLUS))

    assert set(services) == {"proxy", "gateway", "shard-wikipedia", f"shard-{C_PLUS_PLUS[0].slug}"}


def test_service_runs_the_chosen_archive() -> None:
    service = read_back(rendered(WIKIPEDIA))["shard-wikipedia"]

    assert service["command"][-6:] == [
        *("--archive", "/corpus/wiki/w_2026-06.zim"),
        *("--adapter", "auto"),
        *("--endpoint", "tcp://*:7100"),
    ]
    assert service["scale"] == 3
    assert service["volumes"] == [
        {
            "type": "bind",
            "source": "/srv/zim",
            "target": "/corpus",
            "read_only": True,
            "bind": {"create_host_path": False},
        }
    ]


def test_service_changes_with_the_edition_under_one_name() -> None:
    old = compose.shard(served("W", "w.zim", "one"), load({}), {}, PLACE)
    new = compose.shard(served("W", "w.zim", "two"), load({}), {}, PLACE)

    assert old["command"] == new["command"]
    assert old != new


def test_dollar_in_a_path_names_no_variable() -> None:
    project = rendered(C_PLUS_PLUS)

    text = compose.text(project)

    assert "/corpus/c++ $$HOME.zim" in text
    assert yaml_text.unescaped(yaml.safe_load(text)) == project


def test_memory_limit_lies_above_what_a_worker_may_hold() -> None:
    services = read_back(rendered(WIKIPEDIA, C_PLUS_PLUS, given={"SHARD_MEMORY_MB": "768"}))
    own = services[f"shard-{C_PLUS_PLUS[0].slug}"]

    assert services["shard-wikipedia"]["mem_limit"] == "1024m"
    assert own["mem_limit"] == "2304m"
    assert own["environment"]["SHARD_MEMORY_MB"] == "2048"


def test_no_bound_on_workers_means_no_limit() -> None:
    services = read_back(rendered(WIKIPEDIA, given={"SHARD_MEMORY_MB": "0"}))

    assert "mem_limit" not in services["shard-wikipedia"]


def test_settings_of_the_operator_reach_their_role() -> None:
    given = {"SEARCH_LIMIT": "7", "SHARD_WATCHDOG": "30", "MCP_HOST": "0.0.0.0"}

    services = read_back(rendered(WIKIPEDIA, given=given))

    assert services["gateway"]["environment"]["SEARCH_LIMIT"] == "7"
    assert "SHARD_WATCHDOG" not in services["gateway"]["environment"]
    assert services["shard-wikipedia"]["environment"]["SHARD_WATCHDOG"] == "30"


def test_port_is_published_on_loopback_alone() -> None:
    project = rendered(WIKIPEDIA, given={"MCP_PORT": "9000", "MCP_HOST": "0.0.0.0"})
    services = read_back(project)

    assert services["proxy"]["ports"] == ["127.0.0.1:9000:8000"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert compose.port(project) == 9000


def test_proxy_waits_longer_than_any_call() -> None:
    services = read_back(rendered(WIKIPEDIA, given={"FETCH_DEADLINE": "120"}))

    assert int(services["proxy"]["environment"]["CALL_SECONDS"]) > 120


@pytest.mark.parametrize(
    ("token", "name"),
    [
        pytest.param("s3cret", "MCP_TOKEN", id="token"),
        pytest.param("", "MCP_ALLOW_PUBLIC", id="none"),
    ],
)
def test_gateway_has_a_token_or_is_told_that_nobody_else_reaches_it(token: str, name: str) -> None:
    project = rendered(WIKIPEDIA, token=token)
    environment = read_back(project)["gateway"]["environment"]

    assert {"MCP_TOKEN", "MCP_ALLOW_PUBLIC"} & set(environment) == {name}
    assert compose.token(project) == token


def test_project_remembers_where_it_comes_from() -> None:
    project = rendered(WIKIPEDIA)

    assert compose.sources(project) == (PLACE.operator, PLACE.root)
    assert compose.service(project, WIKIPEDIA.library) == "shard-wikipedia"
    assert compose.shard_port(project) == 7100


def test_project_remembers_the_settings_of_its_shards() -> None:
    given = {"SHARD_MEMORY_MB": "2048", "SHARD_PORT": "7200", "SEARCH_LIMIT": "7", "HOME": "/root"}
    project = rendered(WIKIPEDIA, given=given)
    settings = compose.shard_settings(project)

    again = compose.shard(WIKIPEDIA, load(settings), settings, PLACE)

    assert settings == {"SHARD_MEMORY_MB": "2048", "SHARD_PORT": "7200"}
    assert again == project["services"]["shard-wikipedia"]  # type: ignore[index]


def test_library_that_is_not_in_the_project_is_named() -> None:
    with pytest.raises(Failed, match="no service shard-python: run make start"):
        compose.service(rendered(WIKIPEDIA), Library(name="Python", path="p.zim"))


def test_service_called_like_the_proxy_is_refused() -> None:
    manifest = Manifest((Library(name="proxy", path="p.zim"),))

    with pytest.raises(ConfigError, match="other names of services than 'proxy'"):
        compose.services(manifest, load({"SHARD_SERVICE": "{slug}"}))


def test_every_container_is_confined() -> None:
    static = yaml.safe_load((PROJECT / "docker" / "compose.yaml").read_text())["services"]
    shard = yaml.safe_load((PROJECT / "docker" / "shard.yaml").read_text())["services"]["shard"]

    for service in (*static.values(), shard):
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["dns_opt"] == ["timeout:1", "attempts:1"]
        assert service["restart"] == "unless-stopped"
        assert service["logging"]["options"]["max-size"]
        assert "ports" not in service
        assert "docker.sock" not in str(service)


def test_networks_of_gateways_and_shards_lead_nowhere() -> None:
    static = yaml.safe_load((PROJECT / "docker" / "compose.yaml").read_text())
    inside = {name for name, network in static["networks"].items() if network.get("internal")}

    assert set(static["services"]["gateway"]["networks"]) <= inside
    assert "shards" in inside
    for name in inside:
        # Nor to this machine, which would have an address on it.
        options = static["networks"][name]["driver_opts"]
        assert options["com.docker.network.bridge.inhibit_ipv4"] == "true"
    assert "shards" not in static["services"]["proxy"]["networks"]
