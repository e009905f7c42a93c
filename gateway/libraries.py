"""Which libraries a gateway serves while the manifest changes: no I/O, and time is handed in.

A library that the manifest newly names is *new* until its shard is ready, or for `JOIN_AFTER`
seconds: a ref to it is good, but no search misses it. One that the manifest names no longer is
hidden from new calls at once; its shard stays connected until the calls that may ask it have ended,
or for `LEAVE_AFTER` seconds.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from common.deadline import Clock
from common.manifest import Library, Manifest
from gateway.shard import Shard

JOIN_AFTER = 10.0
"""Seconds after which searches name a new library as missing: a start takes less, and a gateway
that starts waits as long."""

LEAVE_AFTER = 30.0
"""Seconds after which calls to a removed library fail: by default each is over long before."""


class View:
    """The shards as one call sees them from its beginning to its end; by name, as in the manifest.

    Attributes:
        joined: Those that a search asks.
        named: Those that a ref may name: with the new ones.
        users: Calls that are under way.
    """

    def __init__(self, joined: Mapping[str, Shard], named: Mapping[str, Shard]) -> None:
        self.joined = joined
        self.named = named
        self.users = 0


class Libraries:
    """The libraries of a manifest, and those that are on their way in or out.

    Attributes:
        view: The shards of the moment; replaced when they change, never changed itself.
        removed: Names that the manifest had once and has no longer.
    """

    def __init__(
        self,
        manifest: Manifest,
        make: Callable[[Library], Shard],
        *,
        clock: Clock = time.monotonic,
    ) -> None:
        """Begin with all libraries of ``manifest``; ``make`` makes the shard of one."""
        shards = {library.name: make(library) for library in manifest.libraries}
        self.view = View(shards, shards)
        self.removed: set[str] = set()
        self._make = make
        self._clock = clock
        self._new: dict[str, float] = {}
        self._leaving: dict[Shard, float] = {}
        self._old: list[View] = []

    @property
    def settled(self) -> bool:
        """Whether no library is new."""
        return not self._new

    @contextmanager
    def held(self) -> Iterator[View]:
        """Lend the shards of the moment for a call: a removed one stays until the block ends."""
        view = self.view
        view.users += 1
        try:
            yield view
        finally:
            view.users -= 1

    def change(self, manifest: Manifest) -> None:
        """Take up another manifest; what it says beyond name and order matters to shards alone."""
        now = self._clock()
        before = self.view.named
        named = {
            library.name: before.get(library.name) or self._make(library)
            for library in manifest.libraries
        }
        for library in manifest.libraries:
            named[library.name].library = library
        self._new = {
            name: self._new.get(name, now)
            for name in named
            if name in self._new or name not in before
        }
        self._leaving |= {shard: now for name, shard in before.items() if name not in named}
        self.removed = (self.removed | before.keys()) - named.keys()
        self._show(named)

    def settle(self) -> None:
        """Let the new libraries join whose time has come."""
        now = self._clock()
        named = self.view.named
        due = [
            name
            for name, since in self._new.items()
            if named[name].ready or now - since >= JOIN_AFTER
        ]
        if due:
            for name in due:
                del self._new[name]
            self._show(named)

    def gone(self) -> list[Shard]:
        """Return, once each, the removed shards that nobody needs any more: they can be closed."""
        self._old = [view for view in self._old if view.users]
        if not self._leaving:
            return []
        held = {shard for view in self._old for shard in view.named.values()}
        now = self._clock()
        gone = [
            shard
            for shard, since in self._leaving.items()
            if shard not in held or now - since >= LEAVE_AFTER
        ]
        for shard in gone:
            del self._leaving[shard]
        return gone

    def all(self) -> list[Shard]:
        """Return every shard that is not gone yet."""
        return [*self.view.named.values(), *self._leaving]

    def _show(self, named: Mapping[str, Shard]) -> None:
        joined = {name: shard for name, shard in named.items() if name not in self._new}
        if not joined:
            # None of the old ones is left: the new ones are all there is to search.
            self._new.clear()
            joined = dict(named)
        self._old.append(self.view)
        self.view = View(joined, named)
