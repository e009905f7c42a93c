"""Which sections of a document define the very symbol that a query asks for."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from shard.document import Document
from shard.html.sections import Section
from shard.identifiers import Asked, key_of

MAX_DEFINITIONS: Final = 3
"""Sections of one document that define something of one name."""


class Definition(NamedTuple):
    """The section at ``place`` of a document, under the id and the title of the symbol."""

    place: int
    id: str
    title: str


def definitions(
    document: Document, asked: Iterable[Asked], fragments: Sequence[str] = ()
) -> list[Definition]:
    """Return the sections that define what is asked for, at most `MAX_DEFINITIONS`.

    Args:
        document: The page.
        asked: What the query has of symbols; plain words find nothing.
        fragments: Ids of the elements that are meant, where a list of symbols tells.
    """
    found = list(_identified(document, fragments))
    if not found:
        keys = [one.key for one in asked if one.is_code]
        found = [definition for key in keys for definition in _named(document, key)]
    distinct = {definition.place: definition for definition in reversed(found)}
    return [one for one in found if distinct[one.place] is one][:MAX_DEFINITIONS]


def _identified(document: Document, fragments: Sequence[str]) -> Iterator[Definition]:
    if not fragments:
        return
    places = {section.id: place for place, section in enumerate(document.sections)}
    for place, section in enumerate(document.sections):
        for alias in section.aliases:
            places.setdefault(alias, place)
    for fragment in fragments:
        place = places.get(fragment, 0)
        # The lead is what every page begins with: no need to point at it.
        if place:
            section = document.sections[place]
            title = section.title if section.id == fragment else fragment
            yield Definition(place, fragment, title)


def _named(document: Document, key: str) -> list[Definition]:
    """Return the sections named ``key``, else those with the fewest components above it."""
    found = [
        (depth, place, section)
        for place, section in enumerate(document.sections)
        if place and (depth := _depth(section, key)) is not None
    ]
    fewest = min((depth for depth, *_ in found), default=0)
    return [
        Definition(place, section.id, section.title)
        for depth, place, section in found
        if depth == fewest
    ]


def _depth(section: Section, key: str) -> int | None:
    """Return the number of components above ``key`` in what the section is called, if it is."""
    last = key.rpartition(".")[2]
    depths = []
    for name in (section.id, section.title, *section.aliases):
        if last not in name.casefold():
            continue
        # "static void Den.open(path)": what stands before the name is no part of it.
        whole = key_of(name).rpartition(" ")[2]
        if whole == key or whole.endswith(f".{key}"):
            depths.append(whole.count(".") - key.count("."))
    return min(depths, default=None)
