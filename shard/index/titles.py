"""Pages by their titles: which candidates count, and in which order."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice
from operator import itemgetter
from typing import Protocol

from common.errors import RefNotFound, ShardFault
from common.logs import get_logger
from common.text import fold, unaccent
from common.text import words as split
from shard.archive import Archive, Found
from shard.index.base import Accept, TitleHit

logger = get_logger()

MAX_TITLE_CHARS = 256
"""A longer text is no title; ZIM titles of published archives stay below."""

_CANDIDATES = 80
"""Titles looked at, of each sort. The shortest come first, so exact matches are among them; many
redirects may lead to one page."""

MAX_LISTED = 20_000
"""Entries of an archive whose titles are listed in memory: a fifth of a second, some megabytes."""

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

    def words(self, start: str, but: str) -> Iterator[str]:
        """Yield words of titles, unaccented and in small letters, that begin with ``start``.

        Without those that begin with ``but``, unless that is empty.
        """

    def having(self, word: str) -> int:
        """Return how many titles have ``word``; 0 where that takes too long to find out."""


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

    def words(self, start: str, but: str) -> Iterator[str]:
        """Yield those of all titles where listing them is quick, else of what is suggested."""
        if self._listed is not None:
            return self._listed.words(start, but)
        found = self._suggestions(start, _CANDIDATES) if self._archive.has_title_index else []
        spelt = {word for one in found for word in _words(title_of(self._archive, one))}
        return (word for word in sorted(spelt) if _between(word, start, but))

    def having(self, word: str) -> int:
        """Return how many titles have ``word``; libzim suggests titles, it does not count them."""
        return 0 if self._listed is None else self._listed.having(word)

    @cached_property
    def _listed(self) -> "ListedTitles | None":
        few = self._archive.entry_count <= MAX_LISTED
        return ListedTitles(self._archive) if few else None

    def _suggestions(self, text: str, limit: int) -> list[Candidate]:
        # Titles of redirects are only known to their entries: `look_up` reads them.
        return [Candidate(path, "") for path in self._archive.suggest(text, limit)]


class ListedTitles:
    """All titles of a small archive that has no list of its own to search; read at first use."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    @cached_property
    def _listed(self) -> list[tuple[str, Candidate]]:
        """Folded titles with a space at either end, the shortest first."""
        listed = [
            (f" {fold(title)} ", Candidate(path, title)) for path, title in self._archive.titles()
        ]
        return sorted(listed, key=lambda one: (len(one[0]), one[0], one[1].path))

    def beginning(self, text: str, limit: int) -> list[Candidate]:
        """Return entries whose folded titles begin with ``text``, the shortest first."""
        start = f" {fold(text)}"
        found = (one for folded, one in self._listed if folded.startswith(start))
        return list(islice(found, limit))

    def containing(self, text: str, limit: int) -> list[Candidate]:
        """Return entries whose titles have the words of ``text``, the shortest first."""
        *whole, last = [f" {word}" for word in fold(text).split()] or [" "]
        found = (
            one
            for folded, one in self._listed
            if last in folded and all(f"{word} " in folded for word in whole)
        )
        return list(islice(found, limit))

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        """How many titles have each of their words, in the order of the words."""
        counts = Counter(word for _, one in self._listed for word in _words(one.title))
        return dict(sorted(counts.items()))

    def words(self, start: str, but: str) -> Iterator[str]:
        """Yield the words that begin with ``start`` but not with ``but``."""
        return (word for word in self._vocabulary if _between(word, start, but))

    def having(self, word: str) -> int:
        """Return how many titles have ``word``."""
        return self._vocabulary.get(word, 0)


class NoTitles:
    """No list of titles: pages are found by the usual spellings alone."""

    def beginning(self, text: str, limit: int) -> list[Candidate]:  # noqa: ARG002
        """Return nothing."""
        return []

    containing = beginning

    def words(self, start: str, but: str) -> Iterator[str]:  # noqa: ARG002
        """Return nothing."""
        return iter(())

    def having(self, word: str) -> int:  # noqa: ARG002
        """Return 0."""
        return 0


def look_up(
    archive: Archive, source: TitleSource, text: str, limit: int, accept: Accept
) -> list[TitleHit]:
    """Return at most ``limit`` pages, exact matches first; see `shard.index.base.Index.titles`.

    A page that several of its titles lead to is there once, under the closest of them. Where the
    source is damaged, pages are still found by the usual spellings of ``text``.
    """
    wanted = fold(text)
    if not wanted or len(text) > MAX_TITLE_CHARS or limit < 1:
        return []
    begin = _beginning(archive, source, text)
    others = _resolved(archive, _others(archive, source, text, begin))
    hits: dict[str, TitleHit] = {}
    for found in chain(_exact(archive, text, begin), others):
        head = found.head
        if head.path not in hits and accept(head):
            hits[head.path] = TitleHit(head.path, head.title, _alias(found, wanted))
        if len(hits) == limit:
            break
    return list(hits.values())


def shown(found: Found) -> str:
    """Return the title by which an entry was found: its own, or that of the redirect."""
    return found.alias or found.head.title


def title_of(archive: Archive, candidate: Candidate) -> str:
    """Return a candidate's title; empty if only its entry knows it and that is broken."""
    if candidate.title:
        return candidate.title
    return next((shown(found) for found in _resolved(archive, [candidate])), "")


def _words(title: str) -> set[str]:
    return {*split(unaccent(title)), *fold(title).split()}


def _between(word: str, start: str, but: str) -> bool:
    return word.startswith(start) and not (but and word.startswith(but))


def _beginning(archive: Archive, source: TitleSource, text: str) -> dict[Candidate, str]:
    """Return what begins with ``text`` and the folded title of each."""
    candidates = _tolerant(source.beginning, text, _CANDIDATES)
    if " " in (wanted := fold(text)):
        # Symbols are one word in the index: "target link libraries" means target_link_libraries().
        candidates += _tolerant(source.beginning, wanted.replace(" ", "_"), _CANDIDATES)
    if "_" in text:
        # Addresses of wikis write spaces so: "Ray_Charles".
        candidates += _tolerant(source.beginning, wanted, _CANDIDATES)
    return {candidate: fold(title_of(archive, candidate)) for candidate in candidates}


def _exact(archive: Archive, text: str, begin: Mapping[Candidate, str]) -> list[Found]:
    wanted = fold(text)
    likely = [candidate for candidate, title in begin.items() if title == wanted]
    found = [*_guesses(archive, text), *_resolved(archive, likely)]
    exact = [one for one in found if fold(shown(one)) == wanted]
    return sorted(exact, key=partial(_closeness, text))


def _others(
    archive: Archive, source: TitleSource, text: str, begin: Mapping[Candidate, str]
) -> Iterator[Candidate]:
    """Yield what begins with ``text``, then what has its words, each the shortest first."""
    wanted = fold(text)
    folded = dict(begin)
    for candidate in _tolerant(source.containing, text, _CANDIDATES):
        if candidate not in folded:
            folded[candidate] = fold(title_of(archive, candidate))
    order = [
        (not title.startswith(wanted), len(title), candidate.path, candidate)
        for candidate, title in folded.items()
    ]
    for *_, candidate in sorted(order, key=itemgetter(0, 1, 2)):
        yield candidate


def _alias(found: Found, wanted: str) -> str:
    """Return the redirect's title, unless the page's own title matches as well as that."""
    own, alias = fold(found.head.title), fold(found.alias)
    if own == wanted or (alias != wanted and own.startswith(wanted)):
        return ""
    return found.alias


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
        with suppress(RefNotFound, ShardFault):
            yield archive.find(candidate.path)


def _tolerant(ask: Callable[[str, int], list[Candidate]], text: str, limit: int) -> list[Candidate]:
    try:
        return ask(text, limit)
    except ShardFault as exc:
        logger.warning("title_index_damaged", error=str(exc))
        return []


def _closeness(text: str, found: Found) -> tuple[bool, bool, bool, str, str]:
    """Return a sort key: by how it is written, own titles before redirects."""
    title = shown(found)
    return (
        title != text,
        title.casefold() != text.casefold(),
        bool(found.alias),
        found.head.path,
        title,
    )
