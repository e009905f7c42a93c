"""What a reload has to do: a function of what is served and what is wanted, without I/O.

A replica that must differ gets a successor at a free number and then goes; nothing is changed in
place. Whatever runs and is not wanted in the end goes too, so that what an interrupted reload left
behind is no case of its own.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from common.manifest import Library, Manifest
from deploy.errors import Failed
from deploy.supervisor import MAX_NUMBER, Numbers, program_name


class Kind(StrEnum):
    """What becomes of a library."""

    ADDED = "added"
    REPLACED = "replaced"
    RESIZED = "resized"
    REMOVED = "removed"
    KEPT = "kept"


class Served(NamedTuple):
    """What a cluster serves now.

    Attributes:
        numbers: Of the replicas that the cluster's record names.
        archives: UUIDs that the replicas of each library say they serve, as far as is known.
        programs: Names of all programs of replicas that supervisord keeps, recorded or not.
    """

    manifest: Manifest
    root: Path
    numbers: Numbers
    archives: Mapping[str, Collection[str]]
    programs: Collection[str]


class Wanted(NamedTuple):
    """What it shall serve: a resolved manifest.

    Attributes:
        archives: The UUID of each library's archive, by its name.
    """

    manifest: Manifest
    root: Path
    archives: Mapping[str, str]


class Change(NamedTuple):
    """What becomes of one library.

    Attributes:
        kept: Numbers of replicas that serve on untouched; ``started`` and ``stopped`` likewise.
        reason: What is different about it, in words; empty where the kind says it all.
    """

    library: Library
    kind: Kind
    kept: tuple[int, ...]
    started: tuple[int, ...]
    stopped: tuple[int, ...]
    reason: str = ""

    @property
    def numbers(self) -> list[int]:
        """The numbers of its replicas in the end."""
        return sorted((*self.kept, *self.started))

    @property
    def is_none(self) -> bool:
        """Whether there is nothing to do."""
        return not self.started and not self.stopped


class Changes(NamedTuple):
    """Everything a reload does.

    Attributes:
        changes: Of every library that is wanted, in the order of the manifest, then those of
            libraries that are removed.
        leaving: Names of all programs that go in the end.
    """

    changes: tuple[Change, ...]
    leaving: tuple[str, ...]

    @property
    def numbers(self) -> dict[str, list[int]]:
        """The numbers of the replicas of each library in the end."""
        wanted = (change for change in self.changes if change.kind is not Kind.REMOVED)
        return {change.library.name: change.numbers for change in wanted}

    def of(self, *kinds: Kind) -> list[Change]:
        """Return the changes of these kinds."""
        return [change for change in self.changes if change.kind in kinds]


def plan(served: Served, wanted: Wanted) -> Changes:
    """Return what leads from ``served`` to ``wanted``.

    Raises:
        Failed: A library has so many replicas that no numbers are left for their successors.
    """
    changes = [_change(library, served, wanted) for library in wanted.manifest.libraries]
    names = wanted.manifest.by_name()
    changes += [
        Change(library, Kind.REMOVED, (), (), _active(library, served))
        for library in served.manifest.libraries
        if library.name not in names
    ]
    staying = {
        program_name(change.library.slug, number) for change in changes for number in change.kept
    }
    leaving = tuple(sorted(name for name in served.programs if name not in staying))
    return Changes(tuple(changes), leaving)


def free_numbers(slug: str, programs: Iterable[str], count: int) -> tuple[int, ...]:
    """Return the lowest ``count`` numbers that no program of ``slug`` has.

    Raises:
        Failed: There are not so many.
    """
    taken = set(programs)
    every = range(MAX_NUMBER + 1)
    free = [number for number in every if program_name(slug, number) not in taken][:count]
    if len(free) < count:
        raise Failed(
            f"{slug}: expected room for {count} more replicas beside those that serve, "
            f"got {len(free)} of {MAX_NUMBER + 1}: lower its replicas first"
        )
    return tuple(free)


def beside(old: Manifest, new: Manifest) -> Manifest:
    """Return ``old`` with the libraries of ``new`` that can stand beside it.

    One that is renamed to a name with the same slug cannot.
    """
    names = {library.name.casefold() for library in old.libraries}
    slugs = {library.slug for library in old.libraries}
    more = (
        library
        for library in new.libraries
        if library.name.casefold() not in names and library.slug not in slugs
    )
    return Manifest((*old.libraries, *more))


def _change(library: Library, served: Served, wanted: Wanted) -> Change:
    before = served.manifest.by_name().get(library.name)
    active = _active(library, served)
    recorded = served.numbers.get(library.name, ()) if before else ()
    serving = [number for number in recorded if number in active]
    kind, reason, kept = Kind.KEPT, "", serving[: library.replicas]
    if before is None:
        kind, kept = Kind.ADDED, []
    elif reason := _difference(before, library, served, wanted):
        kind, kept = Kind.REPLACED, []
    elif len(serving) != library.replicas:
        kind, reason = Kind.RESIZED, f"replicas {len(serving)} to {library.replicas}"
    return Change(
        library=library,
        kind=kind,
        kept=tuple(kept),
        started=free_numbers(library.slug, served.programs, library.replicas - len(kept)),
        stopped=tuple(number for number in active if number not in kept),
        reason=reason,
    )


def _difference(before: Library, after: Library, served: Served, wanted: Wanted) -> str:
    """Return why the replicas of a library cannot stay as they are; empty if they can."""
    if served.root != wanted.root:
        return f"corpus root {served.root} to {wanted.root}"
    if before.path != after.path:
        return f"{before.path} to {after.path}"
    archive = wanted.archives.get(after.name, "")
    if archive and any(one != archive for one in served.archives.get(after.name, ())):
        return f"another archive in the place of {after.path}"
    if before.adapter != after.adapter:
        return f"adapter {before.adapter} to {after.adapter}"
    if before.memory_mb != after.memory_mb:
        return f"memory_mb {_bound(before)} to {_bound(after)}"
    return ""


def _bound(library: Library) -> str:
    return "unset" if library.memory_mb is None else str(library.memory_mb)


def _active(library: Library, served: Served) -> tuple[int, ...]:
    return tuple(
        number
        for number in range(MAX_NUMBER + 1)
        if program_name(library.slug, number) in served.programs
    )
