"""The manifest, ``corpus.toml``: which libraries there are, and every rule about them.

This module decides on the text alone and on paths; it opens no archive. A glob has several
candidates (`Library.candidates`); choosing the newest needs their metadata and is done once, when
a cluster starts, by whoever can read archives. The result is a resolved manifest (`render`), whose
paths are files.
"""

import hashlib
import re
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, get_args

import msgspec

from common.errors import ConfigError

VERSION = 1
"""The only version of the format there is."""

Adapter = Literal["auto", "mediawiki", "devdocs", "stackexchange", "generic"]
ADAPTERS: tuple[str, ...] = get_args(Adapter)

MAX_NAME_CHARS = 64
MAX_SLUG_CHARS = 40
"""Slugs name sockets, services and programs: a socket path has 107 bytes, a DNS label 63."""

MAX_REPLICAS = 64

MEMORY_MB = range(64, 1_048_576 + 1)
"""What ``memory_mb`` may be: a worker alone takes some 60 MiB."""

_GLOB = re.compile(r"[*?\[]")
_KEYS = ("name", "path", "adapter", "replicas", "memory_mb")


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """One ``[[library]]``.

    Attributes:
        path: As written: relative to the corpus root, a file, the base name of a split archive,
            or a glob.
        memory_mb: What stands in SHARD_MEMORY_MB for this library; None leaves it as it is.
    """

    name: str
    path: str
    adapter: Adapter = "auto"
    replicas: int = 1
    memory_mb: int | None = None

    @property
    def slug(self) -> str:
        """The name of its socket, service and program."""
        return slug(self.name)

    @property
    def is_glob(self) -> bool:
        """Whether the path is a pattern."""
        return _GLOB.search(self.path) is not None

    def candidates(self, root: Path) -> list[Path]:
        """Return the archives that the path means, sorted by name; one unless it is a glob.

        The literal file wins over the pattern, so that ``corner_cases[1].zim`` can be named.

        Raises:
            ConfigError: Nothing there, no regular file, no pattern, or outside the corpus root.
        """
        try:
            return self._candidates(root)
        except (OSError, ValueError) as exc:
            # A name too long for the system, a folder that may not be read, "**" beside letters.
            raise ConfigError(
                f"library {self.name!r}: path: expected a file or a pattern of files in {root}, "
                f"got {self.path!r}: {exc}"
            ) from exc

    def _candidates(self, root: Path) -> list[Path]:
        literal = root / self.path
        if is_archive_file(literal) or not self.is_glob:
            found = [literal]
        else:
            found = sorted(_matches(root, self.path))
        if not found:
            raise ConfigError(
                f"library {self.name!r}: path: expected a file that matches {self.path!r} "
                f"in {root}, got none"
            )
        for path in found:
            self._check(path, root)
        return found

    def _check(self, path: Path, root: Path) -> None:
        first = path if path.exists() else path.with_name(path.name + "aa")
        if not is_archive_file(path):
            raise ConfigError(
                f"library {self.name!r}: path: expected an archive file, "
                f"got {self.path!r}, which is no file in {root}"
            )
        if not first.resolve().is_relative_to(root.resolve()):
            raise ConfigError(
                f"library {self.name!r}: path: expected a file inside the corpus root {root}, "
                f"got {self.path!r}, which leads to {first.resolve()}"
            )


class Manifest(msgspec.Struct, frozen=True):
    """All libraries, in the order of the file."""

    libraries: tuple[Library, ...]

    def by_name(self) -> dict[str, Library]:
        """Return the libraries by name."""
        return {library.name: library for library in self.libraries}


def is_archive_file(path: Path) -> bool:
    """Tell whether ``path`` is a regular file, or the base name of a split archive."""
    return path.is_file() or path.with_name(path.name + "aa").is_file()


def load(path: Path) -> Manifest:
    """Read a manifest file.

    Raises:
        ConfigError: It cannot be read or breaks a rule.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            # A pipe or a device may never end.
            raise ConfigError(f"CORPUS_CONFIG: expected a regular file, got {path}")
        # Editors of Windows begin a file with a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(
            f"CORPUS_CONFIG: expected a manifest file, got {path}, which is not there"
        ) from None
    except (OSError, UnicodeError) as exc:
        raise ConfigError(
            f"CORPUS_CONFIG: expected a readable UTF-8 file {path}, got {exc}"
        ) from exc
    return parse(text, source=str(path))


def parse(text: str, *, source: str = "corpus.toml") -> Manifest:
    """Return the manifest in ``text``; every message begins with ``source``.

    Raises:
        ConfigError: No TOML, or a rule is broken: it names the library, the key, what was expected
            and what came.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"{source}: expected TOML, got {exc}") from exc
    try:
        return _manifest(data)
    except ConfigError as exc:
        raise ConfigError(f"{source}: {exc}") from None


def render(manifest: Manifest) -> str:
    """Return ``manifest`` as TOML that `parse` reads back to the same."""
    return "\n".join([f"version = {VERSION}\n", *map(_table, manifest.libraries)])


def digest(manifest: Manifest) -> str:
    """Return twelve hexadecimal digits that change with anything in ``manifest``."""
    return hashlib.sha256(render(manifest).encode()).hexdigest()[:12]


def slug(name: str) -> str:
    """Return the name for sockets, services and programs: ``[a-z0-9-]``, at most 40 characters.

    Four hex digits of a hash follow whenever it differs from the lower-cased name, so that "C" and
    "C++" never collide.
    """
    lowered = name.lower()
    plain = re.sub(r"[^a-z0-9]+", "-", lowered).strip("-")
    if plain == lowered and len(plain) <= MAX_SLUG_CHARS:
        return plain
    digest = hashlib.sha256(lowered.encode()).hexdigest()[:4]
    stem = plain[: MAX_SLUG_CHARS - 5].strip("-")
    return f"{stem}-{digest}" if stem else digest


def _table(library: Library) -> str:
    lines = [
        "[[library]]",
        f"name = {_quoted(library.name)}",
        f"path = {_quoted(library.path)}",
        f"adapter = {_quoted(library.adapter)}",
        f"replicas = {library.replicas}",
    ]
    if library.memory_mb is not None:
        lines.append(f"memory_mb = {library.memory_mb}")
    return "\n".join(lines) + "\n"


def _manifest(data: dict[str, object]) -> Manifest:
    if (version := data.get("version")) != VERSION or type(version) is not int:
        raise ConfigError(f"version: expected {VERSION}, got {version!r}")
    if unknown := sorted(set(data) - {"version", "library"}):
        raise ConfigError(f"expected the keys version and library, got {unknown[0]!r}")
    tables = data.get("library")
    if not isinstance(tables, list) or not tables:
        raise ConfigError("library: expected at least one [[library]], got none")
    libraries = tuple(_library(table, number) for number, table in enumerate(tables, start=1))
    _check_unique(libraries)
    return Manifest(libraries)


def _library(table: object, number: int) -> Library:
    if not isinstance(table, dict):
        raise ConfigError(f"library {number}: expected a [[library]] table, got {table!r}")
    label = f"library {table['name']!r}" if "name" in table else f"library {number}"
    if unknown := sorted(set(table) - set(_KEYS)):
        raise ConfigError(f"{label}: expected the keys {', '.join(_KEYS)}, got {unknown[0]!r}")
    return Library(
        name=_name(table.get("name"), label),
        path=_relative_path(table.get("path"), label),
        adapter=_adapter(table.get("adapter", "auto"), label),
        replicas=_replicas(table.get("replicas", 1), label),
        memory_mb=_memory_mb(table.get("memory_mb"), label),
    )


def _name(value: object, label: str) -> str:
    valid = (
        isinstance(value, str)
        and 1 <= len(value) <= MAX_NAME_CHARS
        and value == value.strip()
        and all(char.isalnum() or char in " -_.+#" for char in value)
    )
    if not valid or not isinstance(value, str):
        raise ConfigError(
            f"{label}: name: expected 1 to {MAX_NAME_CHARS} letters, digits, spaces and -_.+# "
            f"without a space at either end, got {value!r}"
        )
    return value


def _relative_path(value: object, label: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ConfigError(f"{label}: path: expected a path below the corpus root, got {value!r}")
    path = Path(value)
    if path.is_absolute() or ".." in path.parts:
        raise ConfigError(
            f"{label}: path: expected a path below the corpus root, without '..', got {value!r}"
        )
    return value


def _adapter(value: object, label: str) -> Adapter:
    for adapter in get_args(Adapter):
        if value == adapter:
            return adapter  # type: ignore[no-any-return]
    raise ConfigError(f"{label}: adapter: expected one of {', '.join(ADAPTERS)}, got {value!r}")


def _replicas(value: object, label: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_REPLICAS:
        raise ConfigError(
            f"{label}: replicas: expected an integer from 1 to {MAX_REPLICAS}, got {value!r}"
        )
    return value


def _memory_mb(value: object, label: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value not in MEMORY_MB:
        raise ConfigError(
            f"{label}: memory_mb: expected an integer from {MEMORY_MB[0]} to {MEMORY_MB[-1]}, "
            f"got {value!r}"
        )
    return value


def _check_unique(libraries: Iterable[Library]) -> None:
    seen: dict[str, Library] = {}
    slugs: dict[str, Library] = {}
    for library in libraries:
        if (other := seen.setdefault(library.name.casefold(), library)) is not library:
            raise ConfigError(
                f"library {library.name!r}: name: expected a name unique without regard to case, "
                f"got that of {other.name!r}"
            )
        if (other := slugs.setdefault(library.slug, library)) is not library:
            raise ConfigError(
                f"library {library.name!r}: name: expected a name whose slug is unique, "
                f"got {library.slug!r}, that of {other.name!r}"
            )


def _matches(root: Path, pattern: str) -> set[Path]:
    # A split archive is met by its first part: its base name is no file.
    whole = {path for path in root.glob(pattern) if path.is_file()}
    split = {path.with_name(path.name[:-2]) for path in root.glob(pattern + "aa")}
    return whole | split


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\u{ord(m.group()):04x}", escaped) + '"'
