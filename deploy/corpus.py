"""From the operator's manifest to the archives that will be served.

This is the step before anything is started: every archive is looked into, a glob becomes the file
with the newest snapshot, and one archive that cannot be opened stops everything. The outcome is a
resolved manifest, so that a restart after a crash never changes an edition.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from common.manifest import Library, Manifest
from deploy.errors import Failed
from deploy.inspection import Notify, Report, inspect_all

Inspect = Callable[..., dict[Path, Report]]


class Served(NamedTuple):
    """A library and the one archive that it is.

    Attributes:
        library: Its path is a file below the corpus root.
        archive: That file, absolute.
    """

    library: Library
    archive: Path
    report: Report


class Corpus(NamedTuple):
    """Every library with its archive, in the order of the manifest."""

    served: tuple[Served, ...]

    @property
    def manifest(self) -> Manifest:
        """The resolved manifest."""
        return Manifest(tuple(entry.library for entry in self.served))


def resolve(
    manifest: Manifest,
    root: Path,
    *,
    check: bool = False,
    notify: Notify | None = None,
    inspect: Inspect = inspect_all,
) -> Corpus:
    """Look into every archive and choose one per library.

    With ``check``, the checksum of each chosen archive is verified, which reads all of it; only
    then ``notify`` hears of each archive as it ends.

    Raises:
        ConfigError: An archive is not there or outside ``root``.
        Failed: Archives that cannot be opened, one line for each.
    """
    candidates = {library.name: library.candidates(root) for library in manifest.libraries}
    reports = inspect(path for paths in candidates.values() for path in paths)
    _refuse_broken(candidates, reports)
    chosen = {name: newest(paths, reports) for name, paths in candidates.items()}
    if check:
        reports = inspect(chosen.values(), check=True, notify=notify)
        _refuse_broken({name: [path] for name, path in chosen.items()}, reports)
    return Corpus(
        tuple(
            Served(
                library=msgspec.structs.replace(
                    library, path=chosen[library.name].relative_to(root).as_posix()
                ),
                archive=chosen[library.name],
                report=reports[chosen[library.name]],
            )
            for library in manifest.libraries
        )
    )


def newest(paths: list[Path], reports: dict[Path, Report]) -> Path:
    """Return the archive with the newest date in its metadata, ties by file name."""
    return max(paths, key=lambda path: (reports[path].date or "", path.name))


def _refuse_broken(candidates: dict[str, list[Path]], reports: dict[Path, Report]) -> None:
    # Also an old edition that cannot be opened stops a glob: without its date nobody knows
    # whether it is the one that was meant.
    broken = [
        f"library {name!r}: path: expected an archive that can be opened, "
        f"got {path}: {_reason(path, reports[path])}"
        for name, paths in candidates.items()
        for path in paths
        if not reports[path].ok
    ]
    if broken:
        raise Failed("\n".join(broken))


def _reason(path: Path, report: Report) -> str:
    return (report.error or "").removeprefix(f"{path.name}: ")
