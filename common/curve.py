"""The key files of CURVE, ZeroMQ's encryption: read and checked as text.

A key is 40 characters of Z85 (ZeroMQ RFC 32). Everyone who speaks TCP has a secret key of its own
(CURVE_SECRET_FILE) and a list of public keys (CURVE_PEERS_FILE): a gateway that of the shards, a
shard those of the gateways it answers. No message repeats a secret.
"""

from pathlib import Path
from typing import NamedTuple

from common.errors import ConfigError
from common.settings import Settings

KEY_CHARS = 40
"""Characters of a key: 32 bytes in Z85."""

MAX_FILE_BYTES = 65_536
"""Some 1,500 keys; what is longer is another file."""

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_GROUP = 5
"""Characters that stand for four bytes."""


class Keys(NamedTuple):
    """What one process needs to speak CURVE.

    Attributes:
        secret: Its own secret key.
        peers: Public keys of the processes at the other end, at least one.
    """

    secret: str
    peers: tuple[str, ...]

    def __repr__(self) -> str:
        """Keep the secret out of logs and tracebacks."""
        return f"Keys(secret=…, peers={self.peers!r})"


def keys(settings: Settings) -> Keys | None:
    """Return the keys with which this process speaks TCP; None if it is to speak without.

    Raises:
        ConfigError: There are none though SHARD_TCP_PLAIN does not say that this is meant, only
            one of the two files is named, or one cannot be read or holds something else.
    """
    secret_file, peers_file = settings.curve_secret_file, settings.curve_peers_file
    if secret_file is None and peers_file is None:
        if settings.shard_tcp_plain:
            return None
        raise ConfigError(
            "CURVE_SECRET_FILE: expected a key file to speak TCP with, got none: "
            "make keys with 'corpus-mcp keys', or set SHARD_TCP_PLAIN=true if the network is closed"
        )
    if secret_file is None or peers_file is None:
        missing = "CURVE_SECRET_FILE" if secret_file is None else "CURVE_PEERS_FILE"
        raise ConfigError(f"{missing}: expected a key file beside the other one, got none")
    return Keys(_secret(secret_file), _peers(peers_file))


def is_key(text: str) -> bool:
    """Tell whether ``text`` has the form of a key; a secret and a public one look alike."""
    if len(text) != KEY_CHARS or not set(text) <= set(_ALPHABET):
        return False
    groups = (text[at : at + _GROUP] for at in range(0, KEY_CHARS, _GROUP))
    return all(_value(group) < 2**32 for group in groups)


def _secret(path: Path) -> str:
    lines = _lines(path, "CURVE_SECRET_FILE")
    if len(lines) != 1:
        raise ConfigError(
            f"CURVE_SECRET_FILE: expected one line with a key, got {len(lines)} lines in {path}"
        )
    if not is_key(lines[0]):
        raise ConfigError(
            f"CURVE_SECRET_FILE: expected a key of {KEY_CHARS} characters (Z85), "
            f"got {len(lines[0])} characters that are none in {path}"
        )
    return lines[0]


def _peers(path: Path) -> tuple[str, ...]:
    lines = _lines(path, "CURVE_PEERS_FILE")
    if not lines:
        raise ConfigError(
            f"CURVE_PEERS_FILE: expected public keys, one per line, got an empty file {path}"
        )
    for number, line in enumerate(lines, start=1):
        # The line is not repeated: it may be a secret key in the wrong file.
        if not is_key(line):
            raise ConfigError(
                f"CURVE_PEERS_FILE: expected keys of {KEY_CHARS} characters (Z85), "
                f"got {len(line)} characters that are none, as key {number} of {path}"
            )
    return tuple(dict.fromkeys(lines))


def _lines(path: Path, setting: str) -> list[str]:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as exc:
        raise ConfigError(
            f"{setting}: expected a readable file, got {path}: {exc.strerror or exc}"
        ) from exc
    if len(content) > MAX_FILE_BYTES:
        raise ConfigError(
            f"{setting}: expected at most {MAX_FILE_BYTES} bytes of keys, got more in {path}"
        )
    text = content.decode("ascii", "replace")
    return [line for line in map(str.strip, text.splitlines()) if line]


def _value(group: str) -> int:
    value = 0
    for char in group:
        value = value * len(_ALPHABET) + _ALPHABET.index(char)
    return value
