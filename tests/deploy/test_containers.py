"""What containers run and are told, whatever the engine."""

from common.manifest import Library
from common.settings import SETTINGS, load
from deploy.containers import (
    FOR_GATEWAYS,
    FOR_SHARDS,
    gateway_environment,
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
