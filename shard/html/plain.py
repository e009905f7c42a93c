"""Plain text of nodes, paragraph by paragraph, for snippets and passages."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from lxml.html import HtmlElement

from shard.html.dom import Node, visible_text
from shard.html.line import clean
from shard.html.markdown import flow

_ITEMS: Final = frozenset({"li", "dt", "dd"})
_PROSE: Final = frozenset({"ul", "ol", "menu", "dir", "dl", "blockquote"})


class Paragraph(NamedTuple):
    """A piece of text; ``prose`` tells it from tables, code and headings."""

    text: str
    prose: bool


def paragraphs(nodes: Iterable[Node]) -> Iterator[Paragraph]:
    """Yield the visible text of ``nodes`` in order, one block at a time."""
    for item in flow(nodes):
        if isinstance(item, list):
            yield from _paragraph(item, prose=True)
        elif item.tag in _PROSE:
            yield from _inside(item)
        else:
            yield from _paragraph([item], prose=False)


def _inside(element: HtmlElement) -> Iterator[Paragraph]:
    """Yield the items of a list, or the paragraphs of a quote, whatever they nest."""
    if element.tag != "blockquote" and not any(c.tag in _ITEMS for c in element):
        yield from _paragraph([element], prose=True)
        return
    for child in element:
        if isinstance(child.tag, str):
            yield from _paragraph([child], prose=next(child.iter("pre", "table"), None) is None)


def _paragraph(nodes: list[Node], *, prose: bool) -> Iterator[Paragraph]:
    text = clean(visible_text(nodes))
    if text:
        yield Paragraph(" ".join(text.split()), prose)
