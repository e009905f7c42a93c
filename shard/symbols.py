"""The symbols of a documentation and where each stands, from the list its archive carries.

Archives of DevDocs have ``navbar.json``: every symbol, heading and term with the page and the
fragment where it stands, grouped by type. It is read once, when the archive is opened. A look-up
must cost next to nothing to keep, so all names are in one piece of bytes, and the keys are sorted
numbers: 32 bits of a hash, 32 bits that tell the entry.
"""

import re
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, islice
from typing import Final, NamedTuple
from urllib.parse import unquote

import msgspec

from common.errors import CorpusError, RefNotFound
from common.logs import get_logger
from shard.archive import Archive, EntryHead
from shard.identifiers import Asked, asked_in, components, endings, is_code, key_of, tail_of

logger = get_logger()

LISTING: Final = "navbar.json"

MAX_LISTING_BYTES: Final = 16 * 1024 * 1024
"""A longer list is not read: that of Python has 1 MB, decoding takes six times its size."""

MAX_SYMBOLS: Final = 200_000
"""Entries of a list: the largest documentation of DevDocs has some 50,000."""

MAX_CHARS: Final = 256
"""Characters of a name or of an address; longer ones are left out."""

MAX_PAGES: Final = 5
"""Pages that one spelling leads to: more share a last component than anyone can have meant."""

MAX_ALIKE: Final = 500
"""Symbols looked at that share a component: "close" has 59 in the documentation of Python."""

_ENTRY_BITS: Final = 32
_END: Final = "\n"
_SPACE = re.compile(r"\s")


class Symbol(NamedTuple):
    """Where a symbol stands.

    Attributes:
        name: As the documentation spells it.
        group: Its type: "Built-in Functions", "Variables".
        path: Entry path of the page.
        fragment: Id of the element that defines it; empty if the whole page does.
    """

    name: str
    group: str
    path: str
    fragment: str


class Named(NamedTuple):
    """A symbol that a query asks for; ``alias`` is the title that it is to be found by."""

    symbol: Symbol
    alias: str


class _Entry(msgspec.Struct):
    name: str | None = None
    href: str | None = None


class _Group(msgspec.Struct):
    name: str | None = None
    children: list[_Entry] = []


class _Listing(msgspec.Struct):
    children: list[_Group]


class Symbols:
    """Symbols by their spellings, whole or from any component on."""

    def __init__(self, symbols: Iterable[Symbol] = ()) -> None:
        names: list[bytes] = []
        keys: list[int] = []
        groups: dict[str, int] = {}
        paths: dict[str, int] = {}
        self._groups = array("I")
        self._paths = array("I")
        for number, symbol in enumerate(symbols):
            names.append(f"{symbol.name}{_END}{symbol.fragment}".encode())
            self._groups.append(groups.setdefault(symbol.group, len(groups)))
            self._paths.append(paths.setdefault(symbol.path, len(paths)))
            keys += [_hash(key) << _ENTRY_BITS | number for key in endings(key_of(symbol.name))]
        keys.sort()
        self._keys = array("Q", keys)
        self._ends = array("Q", accumulate(map(len, names)))
        self._names = b"".join(names)
        self._group_names = tuple(groups)
        self._path_names = tuple(paths)

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def size(self) -> int:
        """Bytes that it keeps."""
        numbers = (self._keys, self._ends, self._groups, self._paths)
        texts = (*self._group_names, *self._path_names)
        held = sum(column.itemsize * len(column) for column in numbers)
        return held + len(self._names) + sum(64 + len(text.encode()) for text in texts)

    def spelt(self, key: str) -> list[Symbol]:
        """Return the symbols whose key is or ends with ``key``.

        Those with the fewest components above it come first, then the shorter name.
        """
        found: list[tuple[int, int, Symbol]] = []
        for symbol in islice(self._with_hash(_hash(key)), MAX_ALIKE):
            whole = key_of(symbol.name)
            if whole == key or whole.endswith("." + key):
                found.append((whole.count("."), len(symbol.name), symbol))
        return [symbol for *_, symbol in sorted(found)]

    def named_in(self, text: str) -> list[Named]:
        """Return the symbols that a query asks for, in the order of the query."""
        found: dict[tuple[str, str], Named] = {}
        for asked in asked_in(text):
            for named in self._named(asked):
                found.setdefault((named.symbol.path, named.symbol.fragment), named)
        return list(found.values())

    def _named(self, asked: Asked) -> list[Named]:
        if not asked.is_code:
            return self._called(asked)
        for key in endings(asked.key):
            depth = key.count(".") + 1
            # Of what is left of "self.assertEqual" or "rows.append()" only the former tells.
            left = tail_of(asked.spelt, depth).partition("(")[0]
            if key != asked.key and not is_code(left):
                continue
            symbols = _topmost(self.spelt(key))
            if symbols:
                return [
                    Named(s, tail_of(s.name, depth)) for s in _of_few_pages(symbols, asked.spelt)
                ]
        return []

    def _called(self, asked: Asked) -> list[Named]:
        """Return what a single plain word means, under a title that is not the word alone.

        A word such as "filter" or "join" asks for a symbol perhaps, and for other pages as well.
        """
        symbols = self.spelt(asked.key)
        whole = [s for s in symbols if key_of(s.name) == asked.key and _is_defined(s)]
        if whole:
            return [Named(s, f"{s.name} ({s.group})") for s in _of_few_pages(whole, asked.spelt)]
        alone = len({symbol.path for symbol in symbols}) == 1
        last = [symbol for symbol in symbols[:1] if alone and key_of(symbol.name) != asked.key]
        return [Named(symbol, symbol.name) for symbol in last]

    def _with_hash(self, number: int) -> Iterator[Symbol]:
        place = bisect_left(self._keys, number << _ENTRY_BITS)
        while place < len(self._keys) and self._keys[place] >> _ENTRY_BITS == number:
            yield self._symbol(self._keys[place] & (1 << _ENTRY_BITS) - 1)
            place += 1

    def _symbol(self, number: int) -> Symbol:
        start = self._ends[number - 1] if number else 0
        name, _, fragment = self._names[start : self._ends[number]].decode().partition(_END)
        group = self._group_names[self._groups[number]]
        return Symbol(name, group, self._path_names[self._paths[number]], fragment)


def read_symbols(archive: Archive) -> Symbols:
    """Return the symbols that an archive lists; none if its list is missing, damaged or huge."""
    try:
        content = archive.read(LISTING, most=MAX_LISTING_BYTES).content
        found = list(_listed(msgspec.json.decode(content, type=_Listing)))
        if len(found) <= MAX_SYMBOLS:
            return Symbols(found)
        reason = f"expected at most {MAX_SYMBOLS} symbols, got {len(found)}"
    except RefNotFound:
        return Symbols()
    except (CorpusError, msgspec.MsgspecError, UnicodeError, RecursionError) as exc:
        reason = str(exc)[:200]
    logger.warning("symbols_ignored", path=str(archive.path), error=reason)
    return Symbols()


def page_of(archive: Archive, symbol: Symbol) -> EntryHead | None:
    """Return the page on which a symbol stands, or None if there is no such page."""
    for path in dict.fromkeys((symbol.path, unquote(symbol.path))):
        with suppress(CorpusError):
            return archive.head(path)
    return None


def _listed(listing: _Listing) -> Iterator[Symbol]:
    """Yield the symbols of a list; what has spaces is a heading or a term."""
    for group in listing.children:
        for entry in group.children:
            name, href = (entry.name or "").strip(), entry.href or ""
            path, _, fragment = href.partition("#")
            is_name = key_of(name) and not _SPACE.search(name.partition("(")[0])
            if is_name and path and max(len(name), len(href)) <= MAX_CHARS:
                yield Symbol(name, group.name or "", path, unquote(fragment))


def _is_defined(symbol: Symbol) -> bool:
    """Tell whether its element is named like it: "slice", not the term of a glossary."""
    name, fragment = components(symbol.name), components(symbol.fragment)
    return bool(fragment) and name[-1:] == fragment[-1:]


def _topmost(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return those of the symbols that have no more components than the first."""
    depths = [len(components(symbol.name)) for symbol in symbols]
    return [s for s, depth in zip(symbols, depths, strict=True) if depth == depths[0]]


def _of_few_pages(symbols: Sequence[Symbol], spelt: str) -> list[Symbol]:
    """Return the symbols of the first `MAX_PAGES` pages, those of the same case first."""
    last = components(spelt)[-1:]
    ordered = sorted(symbols, key=lambda symbol: components(symbol.name)[-1:] != last)
    pages = list(dict.fromkeys(symbol.path for symbol in ordered))[:MAX_PAGES]
    return [symbol for symbol in ordered if symbol.path in pages]


def _hash(key: str) -> int:
    return zlib.crc32(key.encode())
