"""Where the replicas of a library are."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from common.endpoints import all_replicas
from common.manifest import Library


class Discovery(Protocol):
    """Tells the endpoints of the libraries' replicas; asked again and again."""

    async def find(self, libraries: Sequence[Library]) -> Mapping[str, Sequence[str]]:
        """Return the endpoints there are now, by library name.

        A library that is left out has none: the pool keeps what answers, and lets go of the rest.
        """


class LocalDiscovery:
    """The sockets in the run directory of one machine's cluster."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir

    async def find(self, libraries: Sequence[Library]) -> Mapping[str, Sequence[str]]:
        """Return the sockets of each library's replicas, by number."""
        by_slug = all_replicas(self._run_dir)
        return {library.name: by_slug.get(library.slug, []) for library in libraries}
