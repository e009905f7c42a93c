"""What containers run and are told, whatever the engine."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.endpoints import service_name
from common.errors import ConfigError
from common.manifest import MAX_NAME_CHARS, Library, Manifest
from common.settings import SETTINGS, load
from deploy.containers import (
    FOR_GATEWAYS,
    FOR_SHARDS,
    gateway_environment,
    service_names,
    shard_command,
    shard_environment,
    shard_health,
)

FILES = {"secret": "/s/own", "peers": "/s/others"}
LIBRARY = Library(name="C++", path="c/plus_2026-05.zim", adapter="devdocs")

OURS = {
    "CORPUS_ROOT",
    "CORPUS_CONFIG",
    "CORPUS_RUN_DIR",
    "CORPUS_DISCOVERY",
    "MCP_HOST",
    "MCP_PORT",
    "MCP_TOKEN",
    "MCP_TOKEN_FILE",
    "MCP_ALLOW_PUBLIC",
    "ZIM_CHECK",
    "SHARD_TCP_PLAIN",
    "CURVE_SECRET_FILE",
    "CURVE_PEERS_FILE",
}
"""Settings that a container has from what is rendered, or has no use for."""


def test_every_setting_reaches_its_containers_or_is_ours() -> None:
    assert {row.name for row in SETTINGS} == FOR_GATEWAYS | FOR_SHARDS | OURS


def test_what_a_gateway_is_told_is_accepted_by_it() -> None:
    given = {"SEARCH_LIMIT": "3", "MCP_ALLOWED_HOSTS": "corpus.example", "SHARD_QUEUE": "9"}

    told = gateway_environment(load(given), given, token="/s/token", **FILES)

    settings = load(told)
    assert settings.search_limit == 3
    assert settings.mcp_allowed_hosts == ("corpus.example",)
    assert settings.corpus_discovery == "dns"
    assert not settings.shard_tcp_plain
    assert "SHARD_QUEUE" not in told


def test_what_a_shard_is_told_is_accepted_by_it() -> None:
    given = {"SHARD_QUEUE": "9", "SEARCH_LIMIT": "3", "LOG_LEVEL": "debug"}

    told = shard_environment(LIBRARY, given, **FILES)

    assert load(told).shard_queue == 9
    assert load(told).log_level == "DEBUG"
    assert "SEARCH_LIMIT" not in told


def test_another_edition_is_another_command() -> None:
    command = shard_command(LIBRARY, load({}))

    assert command[command.index("--archive") + 1] == "/corpus/c/plus_2026-05.zim"
    assert command[command.index("--library") + 1] == "C++"


def test_health_is_asked_where_the_shard_binds() -> None:
    settings = load({"SHARD_PORT": "7111"})

    endpoint = "tcp://*:7111"
    assert shard_command(LIBRARY, settings)[-1] == endpoint
    assert shard_health(settings)[-1] == endpoint


names = st.text(
    st.characters(categories=("Lu", "Ll", "Lo", "Nd"), include_characters=" -_.+#"),
    min_size=1,
    max_size=MAX_NAME_CHARS,
).filter(lambda name: name == name.strip())


@given(names)
def test_every_library_has_a_service_name_that_dns_can_carry(name: str) -> None:
    library = Library(name=name, path="a.zim")

    found = service_names(Manifest((library,)), load({}))[name]

    assert re.fullmatch(r"[a-z]([a-z0-9-]*[a-z0-9])?", found)
    assert len(found) <= 63
    assert found == service_name(load({}).shard_service, library.slug)


@pytest.mark.parametrize("template", ["{slug}", "Shard-{slug}", "a.{slug}", "x" * 40 + "{slug}"])
def test_a_template_that_makes_no_service_names_is_refused(template: str) -> None:
    manifest = Manifest((Library(name="gateway", path="a.zim"), Library(name="y" * 30, path="b")))

    with pytest.raises(ConfigError, match="SHARD_SERVICE: expected a template"):
        service_names(manifest, load({"SHARD_SERVICE": template}))
