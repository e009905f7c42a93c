"""Plain text of nodes, paragraph by paragraph, for snippets and passages."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from lxml.html import HtmlElement

from shard.html.dom import Node, classes, contents, visible_text
from shard.html.line import clean
from shard.html.markdown import flow

_OPENED: Final = frozenset({"li", "dd", "blockquote"})
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir", "dl"})
_LABELS: Final = frozenset({"a", "b", "strong", "i", "em", "code", "tt", "kbd", "samp"})
_SENTENCE_END = re.compile(r"[.!?…。！？｡؟][\"'”’»)\]]*\Z")


class Paragraph(NamedTuple):
    """A piece of text; ``prose`` tells it from tables, code, headings, terms and labels."""

    text: str
    prose: bool


def paragraphs(nodes: Iterable[Node]) -> Iterator[Paragraph]:
    """Yield the visible text of ``nodes`` in order, one block at a time.

    The items of a list are blocks of their own, each without the lists inside it.
    """
    todo: list[Node | list[Node]] = list(flow(nodes))[::-1]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            yield from _paragraph(item, prose=not _is_label(item))
        elif isinstance(item, str):
            yield from _paragraph([item], prose=True)
        elif item.tag in _LISTS:
            todo.extend(list(_items(item))[::-1])
        elif item.tag in _OPENED:
            todo.extend(list(flow(contents(item)))[::-1])
        else:
            yield from _paragraph([item], prose=False)


def _items(element: HtmlElement) -> Iterator[Node | list[Node]]:
    """Yield the items of a list, and what stands between them."""
    for child in contents(element):
        if isinstance(child, str):
            if child.strip():
                yield child
        elif child.tag in {"li", "dd", "dt"}:
            yield child
        else:
            yield from flow([child])


def _is_label(nodes: list[Node]) -> bool:
    """Tell whether nothing stands here but one mark that is no sentence.

    Cases: a heading in bold, a hatnote in italics, a signature as code, a link in a list.
    """
    shown = [node for node in nodes if not isinstance(node, str) or node.strip()]
    if len(shown) != 1 or isinstance(shown[0], str) or shown[0].tag not in _LABELS:
        return False
    is_hatnote = "hatnote" in classes(shown[0])
    return is_hatnote or not _SENTENCE_END.search(visible_text(shown))


def _paragraph(nodes: list[Node], *, prose: bool) -> Iterator[Paragraph]:
    text = clean(visible_text(nodes))
    if text:
        yield Paragraph(" ".join(text.split()), prose)
