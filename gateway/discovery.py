"""Where the replicas of a library are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from common.endpoints import replicas
from common.manifest import Library


class Discovery(Protocol):
    """Tells the endpoints of a library's replicas; asked again and again."""

    async def find(self, library: Library) -> Sequence[str]:
        """Return the endpoints there are now, in a stable order.

        An answer that is not to be had is an empty one: the pool keeps what it is connected to.
        """


class LocalDiscovery:
    """The sockets in the run directory of one machine's cluster."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir

    async def find(self, library: Library) -> Sequence[str]:
        """Return the sockets of the library's replicas, by number."""
        return replicas(self._run_dir, library.slug)
