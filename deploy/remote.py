"""What is read on this machine to render for others: the manifest, the token, the keys.

The archives are on the nodes. Only where the manifest has a pattern are they looked into here,
because somebody has to choose the newest once for all replicas.
"""

import hashlib
import os
from pathlib import Path

from common.errors import ConfigError
from common.manifest import Manifest
from common.settings import Settings, token
from deploy.corpus import resolve
from deploy.swarm import Source, Sources

KEYS = ("shard.key", "shard.pub", "gateway.key", "gateway.pub")
"""Files that `corpus-mcp keys` writes."""


def chosen(manifest: Manifest, root: Path) -> Manifest:
    """Return ``manifest`` with a file in place of each pattern.

    Raises:
        ConfigError: No file in ``root`` matches a pattern.
        Failed: One that does cannot be opened; it is named.
    """
    patterns = tuple(library for library in manifest.libraries if library.is_glob)
    if not patterns:
        return manifest
    files = resolve(Manifest(patterns), root).manifest.by_name()
    return Manifest(tuple(files.get(library.name, library) for library in manifest.libraries))


def demand_token(settings: Settings) -> Path:
    """Return the file of the bearer token.

    Raises:
        ConfigError: There is none, or it holds no token.
    """
    if settings.mcp_token_file is None:
        given = "MCP_TOKEN, which no file holds" if settings.mcp_token else "none"
        raise ConfigError(
            "MCP_TOKEN_FILE: expected the file of a token, since a swarm publishes on every address"
            f" of a node and carries secrets as files, got {given}"
        )
    token(settings)
    return settings.mcp_token_file


def sources(settings: Settings, config: Path, keys: Path) -> Sources:
    """Return the files that a stack carries, with digests of what is in them.

    Raises:
        ConfigError: One is not there; it is named.
    """
    return Sources(
        _source(config, "CORPUS_CONFIG"),
        _source(demand_token(settings), "MCP_TOKEN_FILE"),
        *(_source(keys / name, "--keys") for name in KEYS),
    )


def _source(path: Path, key: str) -> Source:
    try:
        content = path.read_bytes()
    except OSError as exc:
        hint = "; `corpus-mcp keys` makes them" if key == "--keys" else ""
        raise ConfigError(f"{key}: expected a readable file, got {exc}{hint}") from exc
    # The digest is seen by who may not see the secret: guessing must cost something.
    digest = hashlib.scrypt(content, salt=b"corpus-mcp", n=2**12, r=8, p=1, dklen=4)
    return Source(os.path.abspath(path), digest.hex())  # noqa: PTH100 - symlinks stay
