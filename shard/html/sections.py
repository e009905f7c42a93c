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
        inner: Where symbols stand among its nodes: the number of nodes before one, and the place
            of its section in the document's list.
    """

    id: str
    title: str
    level: int
    metadata: Metadata = field(default_factory=dict)
    parent: int | None = None
    aliases: tuple[str, ...] = ()
    nodes: list[Node] = field(default_factory=list)
    inner: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Symbol:
    """The entry of a symbol: its ids, its title, and what belongs to it."""

    ids: tuple[str, ...]
    title: str
    signature: tuple[Node, ...]
    body: tuple[Node, ...]


SymbolReader = Callable[[HtmlElement], Iterator[Symbol] | None]
"""Gives the symbols of a definition list; None if its terms are no symbols."""

_MAX_SYMBOL_DEPTH: Final = 20
"""Symbols nested deeper are text of the one around them; real ones nest three deep."""


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
        todo: list[Node] = list(contents(root))[::-1]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                self.sections[self._current].nodes.append(node)
            elif node.tag in HEADINGS:
                self._begin(node)
            elif node in opened:
                if not self._takes_symbols(node):
                    todo.extend([PARAGRAPH, *list(contents(node))[::-1], PARAGRAPH])
            else:
                self.sections[self._current].nodes.append(node)
        return self.sections

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

    def _takes_symbols(self, element: HtmlElement) -> bool:
        """Make sections of a list of symbols, below the current one; else say no."""
        if element.tag != "dl" or not self._symbols or len(self._open) > _MAX_SYMBOL_DEPTH:
            return False
        symbols = self._symbols(element)
        if symbols is None:
            return False
        here = self._current
        owner = self.sections[here]
        for symbol in symbols:
            owner.inner.append((len(owner.nodes), len(self.sections)))
            self._begin_symbol(symbol)
            self._current = here
        return True

    def _begin_symbol(self, symbol: Symbol) -> None:
        level = max((self._open[-1][0] if self._open else 0) + 1, len(HEADINGS) + 1)
        self._add(symbol.ids[0], symbol.title, level, symbol.ids[1:])
        section = self.sections[self._current]
        section.nodes += [*symbol.signature, PARAGRAPH]
        todo: list[Node] = list(symbol.body)[::-1]
        while todo:
            node = todo.pop()
            if isinstance(node, str) or not _holds_list(node):
                section.nodes.append(node)
            elif self._takes_symbols(node):
                continue
            elif node.tag in _WRAPPERS:
                todo.extend([PARAGRAPH, *list(contents(node))[::-1], PARAGRAPH])
            else:
                section.nodes.append(node)
        self._open.pop()


def _holds_list(element: HtmlElement) -> bool:
    return next(element.iter("dl"), None) is not None


def _folded(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))
