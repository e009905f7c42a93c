"""Pages by their titles: which candidates count, and in which order."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from common.errors import RefNotFound, ShardFault
from common.text import fold
from shard.archive import Archive, Found
from shard.index.base import Accept, TitleHit

MAX_TITLE_CHARS = 256
"""A longer text is no title; ZIM titles of published archives stay below."""

_EXACT_CANDIDATES = 100
_OTHER_CANDIDATES = 60
"""Titles looked at. Those that match exactly are the shortest, so they are among the first; many
redirects may lead to one page."""

_EXTENSIONS = ("", ".html")
"""Archives made before 2018 end their paths so."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be meant; its path may be that of a redirect."""

    path: str
    title: str


class TitleSource(Protocol):
    """Where titles come from; `ShardFault` if it is damaged."""

    def beginning(self, text: str, limit: int) -> list[Candidate]:
        """Return entries whose titles begin with ``text``, closest first."""

    def containing(self, text: str, limit: int) -> list[Candidate]:
        """Return entries whose titles have its words, the last one as a prefix."""


class LibzimTitles:
    """Titles through libzim's suggestions."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def beginning(self, text: str, limit: int) -> list[Candidate]:
        """Return suggestions for every usual spelling: without a title index, case counts."""
        spellings = [text] if self._archive.has_title_index else _spellings(text)
        return [
            candidate
            for spelling in spellings
            for candidate in self._suggestions(spelling, limit // len(spellings) + 1)
        ]

    def containing(self, text: str, limit: int) -> list[Candidate]:
        """Return suggestions, where there is a title index to find more than beginnings."""
        return self._suggestions(text, limit) if self._archive.has_title_index else []

    def _suggestions(self, text: str, limit: int) -> list[Candidate]:
        # Titles of redirects are only known to their entries: `look_up` reads them.
        return [Candidate(path, "") for path in self._archive.suggest(text, limit)]


def look_up(
    archive: Archive, source: TitleSource, text: str, limit: int, accept: Accept
) -> list[TitleHit]:
    """Return at most ``limit`` pages, exact matches first; see `shard.index.base.Index.titles`.

    A page that several of its titles lead to is there once, under the closest of them.
    """
    wanted = fold(text)
    if not wanted or len(text) > MAX_TITLE_CHARS or limit < 1:
        return []
    hits: dict[str, TitleHit] = {}
    for found in _sorted(_exact(archive, source, text, wanted), text):
        _add(hits, found, accept)
    if len(hits) < limit:
        for found in _sorted(_others(archive, source, text), text):
            _add(hits, found, accept)
    return list(hits.values())[:limit]


def _add(hits: dict[str, TitleHit], found: Found, accept: Accept) -> None:
    head = found.head
    if head.path not in hits and accept(head):
        hits[head.path] = TitleHit(head.path, head.title, found.alias)


def _exact(archive: Archive, source: TitleSource, text: str, wanted: str) -> Iterator[Found]:
    candidates = source.beginning(text, _EXACT_CANDIDATES)
    likely = [one for one in candidates if not one.title or fold(one.title) == wanted]
    for found in (*_guesses(archive, text), *_resolved(archive, likely)):
        if fold(_shown(found)) == wanted:
            yield found


def _others(archive: Archive, source: TitleSource, text: str) -> Iterator[Found]:
    yield from _resolved(archive, source.beginning(text, _OTHER_CANDIDATES))
    yield from _resolved(archive, source.containing(text, _OTHER_CANDIDATES))


def _guesses(archive: Archive, text: str) -> Iterator[Found]:
    """Yield the entries whose title or path is a usual spelling of ``text``."""
    prefix = "" if archive.new_namespaces else "A/"
    for spelling in _spellings(text):
        with suppress(RefNotFound, ShardFault):
            yield archive.find_title(spelling)
        paths = [spelling.replace(" ", "_") + extension for extension in _EXTENSIONS]
        yield from _resolved(archive, [Candidate(prefix + path, "") for path in paths])


def _spellings(text: str) -> list[str]:
    """Return ``text`` and the ways in which a title of it is usually written."""
    first = text[:1].upper() + text[1:]
    each = " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
    return list(dict.fromkeys([text, first, each, text.upper(), text.lower()]))


def _resolved(archive: Archive, candidates: Iterable[Candidate]) -> Iterator[Found]:
    for candidate in candidates:
        try:
            yield archive.find(candidate.path)
        except (RefNotFound, ShardFault):
            continue


def _shown(found: Found) -> str:
    return found.alias or found.head.title


def _sorted(found: Iterable[Found], text: str) -> list[Found]:
    """Return the closest first: by how it is written, own titles before redirects, short ones."""
    wanted = fold(text)
    prefix = f"{wanted} "

    def key(one: Found) -> tuple[bool, bool, bool, bool, bool, int, str, str]:
        shown = _shown(one)
        folded = fold(shown)
        return (
            folded != wanted,
            not folded.startswith(prefix),
            shown != text,
            shown.casefold() != text.casefold(),
            bool(one.alias),
            len(shown),
            one.head.path,
            shown,
        )

    return sorted(found, key=key)
