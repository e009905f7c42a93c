"""The vocabulary with which the tree is read and changed: tags, classes, nodes.

A *node* is an element or a piece of text. `PARAGRAPH` is the piece of text that stands for the
edge of a block whose wrapper was taken away.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from lxml.html import HtmlElement

Node: TypeAlias = HtmlElement | str
"""What a section is made of."""

PARAGRAPH: Final = "\u2029"
"""A node that ends one paragraph and begins another."""

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")

STRUCTURES: Final = (
    "ul", "ol", "menu", "dir", "dl", "table", "pre", "xmp", "listing", "plaintext", "blockquote",
    "hr", *HEADINGS,
)  # fmt: skip
"""Blocks with a form of their own in Markdown."""

WRAPPERS: Final = (
    "address", "article", "aside", "body", "caption", "center", "col", "colgroup", "dd", "details",
    "dialog", "div", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header",
    "hgroup", "html", "legend", "li", "main", "nav", "noscript", "optgroup", "option", "p",
    "search", "section", "summary", "tbody", "td", "tfoot", "th", "thead", "tr",
)  # fmt: skip
"""Blocks that only separate what is in them from what is around them."""

BLOCKS: Final = frozenset((*STRUCTURES, *WRAPPERS))

_APART: Final = BLOCKS | {"br"}


def tag_of(element: HtmlElement) -> str:
    """Return the tag, or an empty string for a comment or a processing instruction."""
    tag = element.tag
    return tag if isinstance(tag, str) else ""


def classes(element: HtmlElement) -> list[str]:
    """Return the classes of ``element`` in their order."""
    return (element.get("class") or "").split()


def contents(element: HtmlElement) -> Iterator[Node]:
    """Yield the children of ``element``, text and elements, without comments."""
    if element.text:
        yield element.text
    for child in element:
        if isinstance(child.tag, str):
            yield child
        if child.tail:
            yield child.tail


def drop(element: HtmlElement) -> None:
    """Take ``element`` out of its tree; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    keep_tail(element, parent)
    parent.remove(element)


def keep_tail(element: HtmlElement, parent: HtmlElement) -> None:
    """Hang the text after ``element`` on what stands before it."""
    tail = element.tail
    if not tail:
        return
    before = element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    element.tail = None


def replace(element: HtmlElement, other: HtmlElement) -> None:
    """Put ``other`` where ``element`` stands; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    other.tail = element.tail
    element.tail = None
    parent.replace(element, other)


def visible_text(nodes: Iterable[Node]) -> str:
    """Return the text of ``nodes`` on one line, blocks and breaks apart."""
    pieces: list[str] = []
    todo: list[Node] = list(nodes)[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        block = node.tag in _APART
        if block:
            pieces.append(" ")
        if len(node) == 0:
            pieces.append(node.text or "")
            if block:
                pieces.append(" ")
            continue
        if block:
            todo.append(" ")
        todo.extend(list(contents(node))[::-1])
    return " ".join("".join(pieces).split())


def has_block(element: HtmlElement) -> bool:
    """Tell whether a block stands anywhere inside ``element``."""
    return len(element) > 0 and any(child is not element for child in element.iter(*BLOCKS))


class Marked:
    """The elements of a tree by class and by id, read once for all passes."""

    def __init__(self, root: HtmlElement) -> None:
        self.root = root
        self._by_class: dict[str, list[HtmlElement]] = {}
        self._by_id: dict[str, HtmlElement] = {}
        for element in root.iter("*"):
            self._note(element)

    def _note(self, element: HtmlElement) -> None:
        names = element.get("class")
        if names:
            for name in set(names.split()):
                self._by_class.setdefault(name, []).append(element)
        anchor = element.get("id")
        if anchor:
            self._by_id.setdefault(anchor, element)

    def with_class(self, *names: str) -> Sequence[HtmlElement]:
        """Return the elements that have one of these classes, class by class."""
        found: dict[HtmlElement, None] = {}
        for name in names:
            found.update(dict.fromkeys(self._by_class.get(name, ())))
        return list(found)

    def class_names(self) -> Iterable[str]:
        """Return every class of the tree."""
        return self._by_class.keys()

    def with_id(self, anchor: str) -> HtmlElement | None:
        """Return the first element with this id."""
        return self._by_id.get(anchor)

    def drop(self, *names: str) -> None:
        """Take every element out that has one of these classes."""
        for element in self.with_class(*names):
            drop(element)
