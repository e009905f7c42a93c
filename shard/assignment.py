"""Which archive a shard serves when it is told no more than the name of its library."""

from pathlib import Path

import msgspec

from common import manifest
from common.errors import ConfigError
from common.manifest import Library
from common.settings import Settings


def assigned(name: str, settings: Settings) -> Library:
    """Return the library ``name`` of the resolved manifest at CORPUS_CONFIG.

    Raises:
        ConfigError: The manifest cannot be used, or has no such library; the known ones are listed.
    """
    known = manifest.load(settings.corpus_config).by_name()
    if name not in known:
        raise ConfigError(
            f"library: expected one of {', '.join(known)} ({settings.corpus_config}), got {name!r}"
        )
    return known[name]


def archive_of(library: Library, root: Path) -> Path:
    """Return the file of a resolved library; whether it is there is for the worker to see.

    Raises:
        ConfigError: It is a pattern, of which nobody has chosen a file yet, or leads outside.
    """
    path = root / library.path
    if manifest.is_archive_file(path):
        return library.candidates(root)[0]
    if library.is_glob:
        raise ConfigError(
            f"library {library.name!r}: path: expected a file as a resolved manifest names it, "
            f"got the pattern {library.path!r}"
        )
    return path


def own_settings(library: Library, settings: Settings) -> Settings:
    """Return ``settings`` with what the manifest says of this library."""
    if library.memory_mb is None:
        return settings
    return msgspec.structs.replace(settings, shard_memory_mb=library.memory_mb)
