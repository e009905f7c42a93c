"""The settings: one table that reads the environment and generates the documentation.

Every setting is an environment variable. `load` reads them once, at start, and refuses what it
cannot use; nothing reads the environment after that.
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from common.errors import ConfigError


class Setting(NamedTuple):
    """One row of the table.

    Attributes:
        name: The environment variable; the field of `Settings` is its lower-case form.
        default: As it would be written in the environment; empty means "none".
        parse: Turns the text into the value, or raises ValueError saying what was expected.
        help: One sentence for the documentation, with the unit.
    """

    name: str
    default: str
    parse: Callable[[str], Any]
    help: str


def _integer(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise ValueError(f"an integer from {least} to {most}")
        return value

    return parse


def _seconds(least: float, most: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise ValueError(f"seconds from {least:g} to {most:g}")
        return value

    return parse


def _boolean(text: str) -> bool:
    values = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    if text.lower() not in values:
        raise ValueError("true or false")
    return values[text.lower()]


def _text(text: str) -> str:
    return text


def _path(text: str) -> Path:
    return Path(text)


def _optional_path(text: str) -> Path | None:
    return Path(text) if text else None


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _level(text: str) -> str:
    levels = ("DEBUG", "INFO", "WARNING", "ERROR")
    if text.upper() not in levels:
        raise ValueError("one of " + ", ".join(levels))
    return text.upper()


def _choice(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError("one of " + ", ".join(choices))
        return text.lower()

    return parse


def _service(text: str) -> str:
    name = text.replace("{slug}", "a")
    if "{slug}" not in text or not re.fullmatch(
        r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", name, re.IGNORECASE
    ):
        raise ValueError("a host name with {slug} in it")
    return text


SETTINGS: tuple[Setting, ...] = (
    Setting("CORPUS_ROOT", "corpus", _path, "Folder that holds the archives."),
    Setting("CORPUS_CONFIG", "corpus.toml", _path, "The manifest: which libraries there are."),
    Setting("CORPUS_RUN_DIR", ".run", _path, "Sockets, logs and generated files of one cluster."),
    Setting(
        "CORPUS_DISCOVERY",
        "local",
        _choice("local", "dns"),
        "How a gateway finds shards: local, by the sockets in the run directory; dns, by the"
        " addresses of their service names.",
    ),
    Setting("MCP_HOST", "127.0.0.1", _text, "Address the gateway listens on."),
    Setting("MCP_PORT", "8000", _integer(0, 65535), "Port the gateway listens on; 0 takes any."),
    Setting("MCP_TOKEN", "", _text, "Bearer token that every call must carry; empty: none."),
    Setting("MCP_TOKEN_FILE", "", _optional_path, "File that holds the token, instead."),
    Setting("MCP_ALLOWED_HOSTS", "", _names, "Host headers accepted besides loopback, by comma."),
    Setting("MCP_ALLOWED_ORIGINS", "", _names, "Origin headers accepted besides loopback."),
    Setting(
        "MCP_ALLOW_PUBLIC",
        "false",
        _boolean,
        "Listen on other addresses than loopback without a token.",
    ),
    Setting("SEARCH_LIMIT", "5", _integer(1, 50), "Results of a search that names no limit."),
    Setting("SEARCH_MAX_LIMIT", "10", _integer(1, 50), "Most results a search may ask for."),
    Setting(
        "SEARCH_WORKERS", "8", _integer(0, 10000), "Archives asked at once per query; 0: no bound."
    ),
    Setting(
        "SEARCH_MAX_CONSECUTIVE",
        "2",
        _integer(1, 50),
        "Results in a row from one library while others have competitive ones.",
    ),
    Setting(
        "SEARCH_DEADLINE",
        "8",
        _seconds(0.1, 600),
        "Seconds after which a search answers with what it has.",
    ),
    Setting("FETCH_DEADLINE", "20", _seconds(0.1, 600), "Seconds after which a fetch gives up."),
    Setting(
        "SEARCH_RESTART_GRACE",
        "0.3",
        _seconds(0, 10),
        "Seconds a search waits for a library that is restarting.",
    ),
    Setting(
        "SEARCH_CACHE_MB",
        "16",
        _integer(0, 65536),
        "MiB of answers that the gateway keeps for searches asked again; 0: none.",
    ),
    Setting(
        "MAX_FETCH_CHARS", "100000", _integer(1000, 10_000_000), "Characters of content per fetch."
    ),
    Setting("LOG_QUERIES", "true", _boolean, "Write query texts into the log."),
    Setting("LOG_LEVEL", "INFO", _level, "Least severe level that is logged."),
    Setting(
        "ZIM_CHECK",
        "false",
        _boolean,
        "Verify every archive's checksum once, when the cluster starts.",
    ),
    Setting(
        "SHARD_WATCHDOG", "60", _seconds(0.5, 3600), "Seconds after which a stuck worker is ended."
    ),
    Setting("SHARD_QUEUE", "256", _integer(1, 100_000), "Requests that may wait in one worker."),
    Setting(
        "SHARD_INDEX",
        "auto",
        _choice("auto", "libzim"),
        "auto: search each archive with the best index it can have;"
        " libzim: without Xapian's bindings.",
    ),
    Setting(
        "SHARD_CLUSTER_CACHE_MB",
        "16",
        _integer(0, 65536),
        "MiB of decompressed archive clusters that one worker keeps.",
    ),
    Setting(
        "SHARD_DOCUMENT_CACHE_MB",
        "64",
        _integer(0, 65536),
        "MiB of parsed documents that one worker keeps.",
    ),
    Setting(
        "SHARD_MEMORY_MB",
        "768",
        _integer(0, 1_048_576),
        "MiB of memory above which a worker finishes what it has and is replaced; 0: no bound.",
    ),
    Setting(
        "SHARD_SERVICE",
        "shard-{slug}",
        _service,
        "With dns: the service name of a library's shard, where {slug} stands for the library.",
    ),
    Setting("SHARD_PORT", "7100", _integer(1, 65535), "With dns: the TCP port of every shard."),
    Setting(
        "SHARD_TCP_PLAIN",
        "false",
        _boolean,
        "Speak TCP without CURVE keys: only on a network that is closed to everybody else.",
    ),
    Setting(
        "CURVE_SECRET_FILE",
        "",
        _optional_path,
        "File that holds the secret key with which this process speaks TCP.",
    ),
    Setting(
        "CURVE_PEERS_FILE",
        "",
        _optional_path,
        "File of public keys, one per line: for a gateway that of the shards, for a shard those"
        " of the gateways it answers.",
    ),
    Setting("GATEWAY_DRAIN", "5", _seconds(0, 600), "Seconds the gateway serves on after SIGTERM."),
)
"""The whole table, in the order of the documentation."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What `load` returns; one field per row of `SETTINGS`."""

    corpus_root: Path
    corpus_config: Path
    corpus_run_dir: Path
    corpus_discovery: str
    mcp_host: str
    mcp_port: int
    mcp_token: str
    mcp_token_file: Path | None
    mcp_allowed_hosts: tuple[str, ...]
    mcp_allowed_origins: tuple[str, ...]
    mcp_allow_public: bool
    search_limit: int
    search_max_limit: int
    search_workers: int
    search_max_consecutive: int
    search_deadline: float
    fetch_deadline: float
    search_restart_grace: float
    search_cache_mb: int
    max_fetch_chars: int
    log_queries: bool
    log_level: str
    zim_check: bool
    shard_watchdog: float
    shard_queue: int
    shard_index: str
    shard_cluster_cache_mb: int
    shard_document_cache_mb: int
    shard_memory_mb: int
    shard_service: str
    shard_port: int
    shard_tcp_plain: bool
    curve_secret_file: Path | None
    curve_peers_file: Path | None
    gateway_drain: float


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings, from the process environment unless another is given.

    An empty variable counts as not set.

    Raises:
        ConfigError: A value is not what its setting expects, or two contradict each other.
    """
    environment = os.environ if environment is None else environment
    values = {row.name.lower(): _value(row, environment) for row in SETTINGS}
    settings = Settings(**values)
    if settings.search_limit > settings.search_max_limit:
        raise ConfigError(
            f"SEARCH_LIMIT: expected at most SEARCH_MAX_LIMIT ({settings.search_max_limit}), "
            f"got {settings.search_limit}"
        )
    return settings


def token(settings: Settings) -> str:
    """Return the bearer token, from MCP_TOKEN or MCP_TOKEN_FILE; empty if there is none.

    Raises:
        ConfigError: Both are set, the file cannot be read or is empty, or no header can carry it.
    """
    if settings.mcp_token_file is None:
        return _sendable(settings.mcp_token, "MCP_TOKEN")
    if settings.mcp_token:
        raise ConfigError("MCP_TOKEN_FILE: expected only one of MCP_TOKEN and MCP_TOKEN_FILE")
    try:
        text = settings.mcp_token_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as exc:
        raise ConfigError(f"MCP_TOKEN_FILE: expected a readable file, got {exc}") from exc
    if not text:
        raise ConfigError(
            f"MCP_TOKEN_FILE: expected a token, got an empty file {settings.mcp_token_file}"
        )
    return _sendable(text, "MCP_TOKEN_FILE")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def demand_private(settings: Settings) -> None:
    """Refuse to be reachable by anybody without a token.

    Raises:
        ConfigError: It would be, and MCP_ALLOW_PUBLIC does not say that this is meant.
    """
    if is_loopback(settings.mcp_host) or settings.mcp_allow_public or token(settings):
        return
    raise ConfigError(
        f"MCP_HOST: expected a loopback address, got {settings.mcp_host!r} without a token: "
        "set MCP_TOKEN or MCP_TOKEN_FILE, or MCP_ALLOW_PUBLIC=true if others keep it private"
    )


def markdown_table() -> str:
    """Return the table of the documentation; a test compares it with the README."""
    lines = ["| setting | default | what it does |", "|---|---|---|"]
    for row in SETTINGS:
        default = f"`{row.default}`" if row.default else "–"
        lines.append(f"| `{row.name}` | {default} | {row.help} |")
    return "\n".join(lines)


def _sendable(secret: str, name: str) -> str:
    # Clients disagree about how other characters travel in a header. The secret is not repeated.
    if not (secret.isascii() and secret.isprintable()):
        raise ConfigError(f"{name}: expected a token of printable ASCII characters, got others")
    return secret


def _value(row: Setting, environment: Mapping[str, str]) -> Any:
    given = environment.get(row.name, "").strip()
    text = given or row.default
    try:
        return row.parse(text)
    except ValueError as exc:
        raise ConfigError(f"{row.name}: expected {exc}, got {text!r}") from None
