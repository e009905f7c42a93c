"""Where the replicas of a library are."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from common import logs
from common.deadline import Clock
from common.endpoints import all_replicas, service_name, socket_dir, tcp_endpoint
from common.manifest import Library
from gateway.lookup import Resolver, Threads, addresses

LOOKUP_INTERVAL = 1.0
"""Seconds between the beginnings of two look-ups of one name: a gateway that starts looks for
replicas ten times a second, which a server of names need not feel."""

LOOKUP_PATIENCE = 0.25
"""Seconds that `DnsDiscovery.find` waits for the look-ups that it began."""

SLOW_LOOKUP = 1.0
"""Seconds after which a look-up is slow: a name without an answer blocks for ten."""

LOOKUP_THREADS = 32
"""Look-ups at once; of names that were slow the last time as many again, so that these, however
many, hold up each other alone."""

logger = logs.get_logger()


class Discovery(Protocol):
    """Tells the endpoints of the libraries' replicas; asked again and again."""

    async def find(self, libraries: Sequence[Library]) -> Mapping[str, Sequence[str]]:
        """Return the endpoints there are now, by library name.

        A library that is left out has none: the pool keeps what answers, and lets go of the rest.
        """

    def why_none(self, library: Library) -> str:
        """Return why no replica of ``library`` is found, for the operator, if that is so."""


class LocalDiscovery:
    """The sockets in the run directory of one machine's cluster."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir

    async def find(self, libraries: Sequence[Library]) -> Mapping[str, Sequence[str]]:
        """Return the sockets of each library's replicas, by number."""
        by_slug = all_replicas(self._run_dir)
        return {library.name: by_slug.get(library.slug, []) for library in libraries}

    def why_none(self, library: Library) -> str:
        """See `Discovery`."""
        return f"no socket {library.slug}.* in {socket_dir(self._run_dir)}"


class DnsDiscovery:
    """The addresses of each library's service name, all with the same port.

    A name whose look-up is under way keeps its last answer; one that does not resolve has no
    address.
    """

    def __init__(
        self,
        template: str,
        port: int,
        *,
        resolve: Resolver = addresses,
        clock: Clock = time.monotonic,
    ) -> None:
        """Look up names made of ``template``, see SHARD_SERVICE."""
        self._template = template
        self._port = port
        self._resolve = resolve
        self._clock = clock
        self._names: dict[str, _Name] = {}
        self._quick = Threads(LOOKUP_THREADS)
        self._slow = Threads(LOOKUP_THREADS)

    async def find(self, libraries: Sequence[Library]) -> Mapping[str, Sequence[str]]:
        """Return the endpoints of each library's replicas, by address."""
        self._names = {
            host: self._names.get(host) or _Name(host) for host in map(self._host, libraries)
        }
        await self._look_up([name for name in self._names.values() if self._due(name)])
        return {
            library.name: [
                tcp_endpoint(address, self._port)
                for address in self._names[self._host(library)].addresses
            ]
            for library in libraries
        }

    def why_none(self, library: Library) -> str:
        """See `Discovery`."""
        host = self._host(library)
        name = self._names.get(host)
        if name is None or name.error is None:
            return f"the look-up of {host} is under way"
        return f"{host}: {name.error or 'no address'}"

    def _host(self, library: Library) -> str:
        return service_name(self._template, library.slug)

    def _due(self, name: "_Name") -> bool:
        return not name.under_way and self._clock() - name.began >= LOOKUP_INTERVAL

    async def _look_up(self, names: Collection["_Name"]) -> None:
        lanes: dict[bool, list[Callable[[], None]]] = {False: [], True: []}
        landed = []
        for name in names:
            name.under_way = True
            name.began = self._clock()
            landing = _Landing(name)
            landed.append(landing.done)
            lanes[name.slow].append(partial(self._ask, name.host, landing))
        # Also without work: what an earlier round could not begin may be waiting.
        self._quick.start(lanes[False])
        self._slow.start(lanes[True])
        if landed:
            await asyncio.wait(landed, timeout=LOOKUP_PATIENCE)

    def _ask(self, host: str, landing: "_Landing") -> None:
        began = self._clock()
        try:
            found, error = self._resolve(host), ""
        except Exception as exc:  # noqa: BLE001 - whatever it is, the other names must not suffer
            found, error = (), _reason(exc)
        landing.tell(found, error, slow=self._clock() - began >= SLOW_LOOKUP)


class _Name:
    """A service name, and what was last found.

    Attributes:
        error: Why it has no address, empty if it has; None while nothing is known.
        slow: Whether its last look-up was.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.addresses: Sequence[str] = ()
        self.error: str | None = None
        self.began = float("-inf")
        self.under_way = False
        self.slow = False

    def land(self, found: Sequence[str], error: str, *, slow: bool) -> None:
        """Take note of an answer; log if it is of another kind than the last one."""
        if error and not self.error:
            logger.warning("look-up fails", service=self.host, error=error)
        elif self.error and not error:
            logger.info("look-up works again", service=self.host, addresses=len(found))
        self.addresses = found
        self.error = error
        self.slow = slow
        self.under_way = False


class _Landing:
    """Brings what a thread found to the event loop on which it was made."""

    def __init__(self, name: _Name) -> None:
        self._name = name
        self._loop = asyncio.get_running_loop()
        self.done = self._loop.create_future()

    def tell(self, found: Sequence[str], error: str, *, slow: bool) -> None:
        """Be told by the thread."""
        # The loop may have ended meanwhile.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._land, found, error, slow)

    def _land(self, found: Sequence[str], error: str, slow: bool) -> None:  # noqa: FBT001
        self._name.land(found, error, slow=slow)
        self.done.set_result(None)


def _reason(exc: Exception) -> str:
    return (exc.strerror if isinstance(exc, OSError) else None) or str(exc) or type(exc).__name__
