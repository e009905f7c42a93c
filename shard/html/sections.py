"""The section tree of a page: where sections begin, what they are called, how they nest.

A section begins at a heading, or at a symbol where the adapter says that symbols are sections.
Levels nest by what stands above: a page that goes from h1 to h3 has its h3 on the first level.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml.html import HtmlElement

from shard.html.anchors import Ids, anchor_of, heading_title, slug_of, wiki_slug_of
from shard.html.boundaries import ancestors_of_boundaries
from shard.html.dom import HEADINGS, PARAGRAPH, WRAPPERS, Node, contents, visible_text

Metadata = dict[str, int | bool | str | list[str]]

LEAD_LEVEL: Final = 1

_WRAPPERS: Final = frozenset(WRAPPERS)


@dataclass(slots=True)
class Section:
    """A part of a document under one heading, without its subsections.

    Attributes:
        id: Empty for the lead.
        level: 1 for the lead, 2 for a section below it, and so on.
        parent: Place of the section above it in the document's list; None on the first level.
        aliases: Further ids under which it can be asked for.
    """

    id: str
    title: str
    level: int
    metadata: Metadata = field(default_factory=dict)
    parent: int | None = None
    aliases: tuple[str, ...] = ()
    nodes: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Symbol:
    """The entry of a symbol: its ids, its title, and what belongs to it."""

    ids: tuple[str, ...]
    title: str
    signature: tuple[Node, ...]
    body: tuple[Node, ...]


SymbolReader = Callable[[HtmlElement], Iterator["Symbol | HtmlElement"] | None]
"""Gives the symbols of a definition list, with what stands between them; None if it has none."""


class Builder:
    """Builds the sections of one document, in document order.

    Args:
        title: Of the document; a first heading that repeats it begins no section.
        slug: Makes ids for headings without an anchor.
        symbols: Reads definition lists whose terms are sections; None where there are none.
    """

    def __init__(
        self,
        title: str,
        *,
        slug: Callable[[str], str] = slug_of,
        symbols: SymbolReader | None = None,
    ) -> None:
        self.sections = [Section("", title, LEAD_LEVEL)]
        self._slug = slug
        self._symbols = symbols
        self._ids = Ids()
        self._open: list[tuple[int, int]] = []
        self._current = 0

    def build(self, root: HtmlElement) -> list[Section]:
        """Return the sections of what stands in ``root``; the first is the lead."""
        opened = ancestors_of_boundaries(root, with_symbols=self._symbols is not None)
        todo: list[Node | int] = list(contents(root))[::-1]
        while todo:
            node = todo.pop()
            if isinstance(node, int):
                self._leave_symbol(node)
            elif isinstance(node, str):
                self.sections[self._current].nodes.append(node)
            elif node.tag in HEADINGS:
                self._begin(node)
            elif node in opened:
                todo.extend(self._inside(node))
            else:
                self.sections[self._current].nodes.append(node)
        return self.sections

    def _inside(self, element: HtmlElement) -> list[Node | int]:
        """Return what is in a wrapper, last first, with an edge on both sides."""
        symbols = self._symbols(element) if self._symbols and element.tag == "dl" else None
        if symbols is None:
            return [PARAGRAPH, *list(contents(element))[::-1], PARAGRAPH]
        before = self._current
        for entry in symbols:
            if isinstance(entry, Symbol):
                self._begin_symbol(entry)
        self._current = before
        return []

    def _begin(self, element: HtmlElement) -> None:
        title = heading_title(element)
        level = int(element.tag[1])
        if not title or (level == 1 and self._is_title(element, title)):
            return
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._add(anchor_of(element), title, level)

    def _is_title(self, element: HtmlElement, title: str) -> bool:
        """Take an h1 at the very top as the title; if it says more, it becomes the first line."""
        lead = self.sections[0]
        if _folded(title) == _folded(lead.title):
            return True
        if len(self.sections) > 1 or visible_text(lead.nodes):
            return False
        bold = element.makeelement("b", {})
        bold.text = title
        lead.nodes += [PARAGRAPH, bold, PARAGRAPH]
        return True

    def _add(self, anchor: str, title: str, level: int, aliases: tuple[str, ...] = ()) -> None:
        parent = self._open[-1][1] if self._open else None
        depth = self.sections[parent].level if parent is not None else LEAD_LEVEL
        joint = "_" if self._slug is wiki_slug_of else "-"
        found = self._ids.give(anchor or self._slug(title), joint)
        others = tuple(self._ids.give(alias, joint) for alias in aliases)
        self.sections.append(Section(found, title, depth + 1, parent=parent, aliases=others))
        self._current = len(self.sections) - 1
        self._open.append((level, self._current))

    def _begin_symbol(self, symbol: Symbol) -> None:
        level = (self._open[-1][0] if self._open else 0) + 1
        kept = len(self._open)
        self._add(symbol.ids[0], symbol.title, max(level, len(HEADINGS) + 1), symbol.ids[1:])
        self.sections[self._current].nodes += [*symbol.signature, PARAGRAPH]
        self._write_body(symbol.body)
        del self._open[kept:]

    def _write_body(self, body: tuple[Node, ...]) -> None:
        here = self._current
        todo: list[Node] = list(body)[::-1]
        while todo:
            node = todo.pop()
            if not isinstance(node, str) and node.tag == "dl" and self._symbols:
                inner = self._symbols(node)
                if inner is not None:
                    for entry in inner:
                        if isinstance(entry, Symbol):
                            self._begin_symbol(entry)
                    self._current = here
                    continue
            if not isinstance(node, str) and node.tag in _WRAPPERS and _holds_dl(node):
                todo.extend([PARAGRAPH, *list(contents(node))[::-1], PARAGRAPH])
                continue
            self.sections[here].nodes.append(node)

    def _leave_symbol(self, place: int) -> None:
        self._current = place


def _holds_dl(element: HtmlElement) -> bool:
    return next(element.iter("dl"), None) is not None


def _folded(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))
