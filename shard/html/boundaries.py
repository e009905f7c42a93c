"""Where sections may begin: the wrappers that have to be opened to reach each heading."""

from typing import Final

from lxml.html import HtmlElement

from shard.html.dom import HEADINGS
from shard.html.tables import is_layout

_CLOSED: Final = frozenset({"li", "dt", "dd", "blockquote", "figure", "pre", "td", "th", "caption",
                            "figcaption", "ul", "ol", "dl"})  # fmt: skip
"""Headings inside these are text of the section around them; cells open up with their table."""


def ancestors_of_boundaries(root: HtmlElement, *, with_symbols: bool) -> set[HtmlElement]:
    """Return the elements that have to be opened to reach each heading (and symbol)."""
    opened: set[HtmlElement] = set()
    for heading in root.iter(*HEADINGS):
        _open_up(heading, root, opened)
    if with_symbols:
        for term in root.iter("dt"):
            if term.get("id"):
                _open_symbols(term, root, opened)
    return opened


def _open_up(element: HtmlElement, root: HtmlElement, opened: set[HtmlElement]) -> None:
    path: list[HtmlElement] = []
    cells: list[HtmlElement] = []
    for ancestor in element.iterancestors():
        if ancestor is root or ancestor in opened:
            # Cells count only below a table that is opened already.
            opened.update(path if ancestor is root else [*path, *cells])
            return
        if ancestor.tag == "table":
            if not is_layout(ancestor):
                return
            path += [*cells, ancestor]
            cells = []
        elif ancestor.tag in {"td", "th", "tr", "tbody", "thead", "tfoot"}:
            cells.append(ancestor)
        elif ancestor.tag in _CLOSED:
            return
        else:
            path.append(ancestor)


def _open_symbols(term: HtmlElement, root: HtmlElement, opened: set[HtmlElement]) -> None:
    path: list[HtmlElement] = []
    for ancestor in term.iterancestors():
        if ancestor is root or ancestor in opened:
            opened.update(path)
            return
        if ancestor.tag in {"dl", "section", "div", "main", "article"}:
            path.append(ancestor)
        elif ancestor.tag == "dd":
            path.clear()  # a nested symbol is reached through the one around it
        else:
            return
