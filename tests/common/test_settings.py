"""The settings table reads the environment, and refuses what it cannot use."""

from pathlib import Path

import msgspec
import pytest

from common import settings
from common.errors import ConfigError


def test_settings_have_the_documented_defaults() -> None:
    loaded = settings.load({})

    assert (loaded.mcp_host, loaded.mcp_port) == ("127.0.0.1", 8000)
    assert (loaded.search_limit, loaded.search_max_limit) == (5, 10)
    assert (loaded.search_workers, loaded.search_max_consecutive) == (8, 2)
    assert loaded.max_fetch_chars == 100_000
    assert (loaded.search_deadline, loaded.fetch_deadline) == (8, 20)
    assert loaded.shard_watchdog == 60
    assert loaded.log_queries
    assert not loaded.zim_check


def test_settings_read_the_environment() -> None:
    loaded = settings.load(
        {"MCP_PORT": "9000", "LOG_QUERIES": "no", "CORPUS_ROOT": "/x", "MCP_ALLOWED_HOSTS": "a, b,"}
    )

    assert loaded.mcp_port == 9000
    assert not loaded.log_queries
    assert loaded.corpus_root == Path("/x")
    assert loaded.mcp_allowed_hosts == ("a", "b")


def test_empty_variable_counts_as_not_set() -> None:
    assert settings.load({"MCP_PORT": " "}).mcp_port == 8000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MCP_PORT", "70000"),
        ("MCP_PORT", "http"),
        ("SEARCH_LIMIT", "0"),
        ("SEARCH_LIMIT", "5.5"),
        ("SEARCH_WORKERS", "-1"),
        ("SEARCH_DEADLINE", "nan"),
        ("SEARCH_DEADLINE", "inf"),
        ("LOG_QUERIES", "maybe"),
        ("LOG_LEVEL", "LOUD"),
        ("SHARD_INDEX", "best"),
        ("SHARD_WATCHDOG", """ 0 """),
    ],
)
def test_settings_refuse_a_bad_value_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{name}: expected .*, got "):
        settings.load({name: value})


def test_settings_refuse_a_limit_above_the_most() -> None:
    with pytest.raises(ConfigError, match="^SEARCH_LIMIT: expected at most SEARCH_MAX_LIMIT"):
        settings.load({"SEARCH_LIMIT": "11"})


def test_every_row_of_the_table_has_its_field_and_back() -> None:
    fields = [field.name for field in msgspec.structs.fields(settings.Settings)]

    assert [row.name.lower() for row in settings.SETTINGS] == fields


def test_token_comes_from_the_variable_or_the_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("secret\n")

    assert settings.token(settings.load({})) == ""
    assert settings.token(settings.load({"MCP_TOKEN": "t"})) == "t"
    assert settings.token(settings.load({"MCP_TOKEN_FILE": str(file)})) == "secret"


@pytest.mark.parametrize("secret", ["gehéim", "a\nb", "a\tb", "\udcff", "a\x7f"])
def test_token_that_no_header_can_carry_is_refused_and_not_repeated(
    tmp_path: Path, secret: str
) -> None:
    file = tmp_path / "token"
    file.write_bytes(secret.encode("utf-8", "surrogateescape"))

    for given in ({"MCP_TOKEN": secret}, {"MCP_TOKEN_FILE": str(file)}):
        with pytest.raises(ConfigError, match="MCP_TOKEN.*: expected") as refused:
            settings.token(settings.load(given))
        assert secret not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "token"),
    [
        pytest.param("secret", "another", id="both"),
        pytest.param("\n", "", id="empty file"),
        pytest.param(None, "", id="no file"),
    ],
)
def test_token_file_that_cannot_be_used_is_refused(
    tmp_path: Path, content: str | None, token: str
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)

    with pytest.raises(ConfigError, match="^MCP_TOKEN_FILE: expected"):
        settings.token(settings.load({"MCP_TOKEN_FILE": str(file), "MCP_TOKEN": token}))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_is_loopback_tells_what_others_can_reach(host: str, expected: bool) -> None:
    assert settings.is_loopback(host) is expected


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="loopback"),
        pytest.param({"MCP_HOST": "0.0.0.0", "MCP_TOKEN": "secret"}, id="token"),
        pytest.param({"MCP_HOST": "0.0.0.0", "MCP_ALLOW_PUBLIC": "true"}, id="meant"),
    ],
)
def test_demand_private_lets_pass_what_strangers_cannot_use(changes: dict[str, str]) -> None:
    private = settings.load(changes)

    assert settings.demand_private(private) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_demand_private_refuses_a_public_address_without_token(host: str) -> None:
    with pytest.raises(ConfigError, match=r"^MCP_HOST: .* MCP_TOKEN"):
        settings.demand_private(settings.load({"MCP_HOST": host}))
