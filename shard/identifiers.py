"""How the symbols of programming languages are spelt: in documentation, and by who asks for them.

A symbol is a path of components: `std::vector::push_back`, `os.path.join`, `Array#map`. Two
spellings are the same symbol if the components are, whatever stands between them, without regard
to case, arguments and template arguments; a shorter path means a longer one that ends with it.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

MAX_COMPONENTS: Final = 8
"""Components of one symbol: the longest of the sample documentation has seven."""

MAX_ASKED: Final = 8
"""Symbols looked for in one query: who asks for more pastes code."""

_SEPARATOR = re.compile(r"::|->|[.:/\\]|#(?=\w)")
_TEMPLATE = re.compile(r"(?<=\w)<[^<>]*>")
_MAX_NESTED: Final = 3
_WRAPPED = re.compile(r"\$<(\w+)(?::[^<>]*)?>|(?<!\S)-D(?=\w)")
"""What CMake puts around names: a generator expression with its argument, a definition."""

_IDENTIFIER = re.compile(
    r"(?<![\w.])[^\W\d]\w*(?:(?:::|->|[.:#/\\-])~?[^\W\d]\w*)*(?P<call>\([^()]*\))?"
)
_CODE = re.compile(r"\w_|_\w|\w(?:\.|::|->|#)~?\w|[a-z][A-Z]")
"""What no plain word has."""

_WORD = re.compile(r"\w")


class Asked(NamedTuple):
    """A word of a query that may be a symbol.

    Attributes:
        key: See `key_of`.
        spelt: As it stands in the query.
        is_code: Whether it looks like a symbol, and like no plain word.
        is_whole: Whether it is all that the query has.
    """

    key: str
    spelt: str
    is_code: bool
    is_whole: bool


def components(name: str) -> list[str]:
    """Return the components of a symbol as they are spelt, at most the last `MAX_COMPONENTS`."""
    bare = _plain(name).partition("(")[0].strip()
    return [part for part in _SEPARATOR.split(bare) if part][-MAX_COMPONENTS:]


def key_of(name: str) -> str:
    """Return the form in which two spellings of a symbol are equal; empty if it is none."""
    return ".".join(components(name)).casefold()


def endings(key: str) -> Iterator[str]:
    """Yield a key and the shorter ones that it ends with, the longest first."""
    yield key
    while "." in key:
        key = key.partition(".")[2]
        yield key


def tail_of(name: str, count: int) -> str:
    """Return the last ``count`` components of a symbol with what stands between and behind."""
    end = len(name.partition("(")[0])
    starts = [0, *(match.end() for match in _SEPARATOR.finditer(name, 0, end))]
    starts = [start for start in starts if start < end]
    return name[starts[-count] :] if 0 < count <= len(starts) else name


def is_code(name: str) -> bool:
    """Tell whether a name looks like a symbol, and like no plain word."""
    return "(" in name or _CODE.search(name) is not None


def asked_in(text: str) -> list[Asked]:
    """Return what may be symbols in a query: those that look like it, or its only word."""
    bare = _WRAPPED.sub(r"\1", text)
    return list(islice(_asked(_plain(bare)), MAX_ASKED))


def _plain(text: str) -> str:
    """Return ``text`` without template arguments, a few levels deep."""
    for _ in range(_MAX_NESTED if "<" in text else 0):
        text = _TEMPLATE.sub("", text)
    return text


def _asked(text: str) -> Iterator[Asked]:
    known: set[str] = set()
    for match in _IDENTIFIER.finditer(text):
        spelt = match.group()
        rest = text[: match.start()] + text[match.end() :]
        is_whole = not _WORD.search(rest)
        looks = is_code(spelt)
        key = key_of(spelt)
        if key and key not in known and (looks or is_whole):
            known.add(key)
            yield Asked(key, spelt, looks, is_whole)
