"""Reference pages of DevDocs as devdocs2zim packs them.

A page is one document. Symbols (``dt`` with an id) are sections below the heading they stand
under, so that one of them can be fetched alone. The attribution stays as a link to the source.
"""

import re
from collections.abc import Iterator
from typing import Final

from lxml.html import HtmlElement

from common.frames import Kind
from shard.adapters.base import Guarded, is_html, title_of
from shard.archive import EntryHead, Page
from shard.document import Document
from shard.html import math
from shard.html.anchors import slug_of
from shard.html.code import drop_line_numbers
from shard.html.dom import PARAGRAPH, Marked, Node, classes, contents, drop
from shard.html.links import external_target
from shard.html.parse import parse
from shard.html.parts import split_giants
from shard.html.passes import characters, headings, hidden, images
from shard.html.sections import Builder, Symbol

_ASSETS: Final = ("assets/", "_zim_static/")
_NO_PAGES: Final = frozenset({"", "index", "navbar.json", "licenses.txt", "application.css"})
_DOMAINS: Final = frozenset({"c", "cmake", "cpp", "js", "py", "std"})
"""With the kind of symbol ("py function") the classes of a list of symbols."""

_SPACES = re.compile(r"\s+")
_MAX_TITLE: Final = 80


class DevDocs(Guarded):
    """Every documentation that DevDocs has."""

    name = "devdocs"
    kind: Kind = "documentation"

    def accepts(self, head: EntryHead) -> bool:
        """Refuse the start page and assets."""
        if not is_html(head.mimetype):
            return False
        return head.path not in _NO_PAGES and not head.path.startswith(_ASSETS)

    def _read(self, page: Page) -> Document:
        root = parse(page.content)
        title = title_of(root, page)
        marked = Marked(root)
        self._clean(marked)
        body = _body(marked)
        source = _take_attribution(body)
        _name_symbols(body)
        _drop_contents_list(body)
        sections = Builder(title, symbols=symbols_of).build(body)
        if source:
            sections[0].nodes += [PARAGRAPH, *source]
        return Document(page.path, title, split_giants(sections), page_bytes=len(page.content))

    def _clean(self, marked: Marked) -> None:
        math.mark_formulas(marked)
        math.mark_left_formulas(marked)
        hidden.drop_never_shown(marked.root)
        headings.drop_permalinks(marked.root)
        marked.drop("_sidebar", "_nav", "_header", "t-navbar", "toc", "contents-hidden")
        for navbar in list(marked.root.iter("devdocs-navbar")):
            drop(navbar)
        hidden.drop_hidden(marked)
        drop_line_numbers(marked.root)
        images.drop_images(marked.root)
        headings.embolden_titles(marked)
        headings.open_summaries(marked.root)
        characters.drop_word_breaks(marked.root)


def _body(marked: Marked) -> HtmlElement:
    for name in ("_page", "_content", "_container"):
        for element in marked.with_class(name):
            return element
    return next(marked.root.iter("body"), marked.root)


def _take_attribution(body: HtmlElement) -> list[Node]:
    """Take the attribution out and return the link to the page's source."""
    source: list[Node] = []
    for element in list(body.iter("div")):
        if "_attribution" not in classes(element):
            continue
        for link in element.iter("a"):
            if "_attribution-link" in classes(link) and external_target(link.get("href")):
                link.tail = None
                source = ["Source: ", link]
        drop(element)
    return source


def _name_symbols(body: HtmlElement) -> None:
    """Give ids to the symbols that have none, so that each can be fetched alone.

    Case: the path queries among CMake's generator expressions.
    """
    for term in body.iter("dt"):
        holder = term.getparent()
        names = classes(holder) if holder is not None else []
        if len(names) > 1 and names[0] in _DOMAINS and not term.get("id"):
            term.set("id", slug_of(_text(term)))


def _drop_contents_list(body: HtmlElement) -> None:
    """Take out a list of links to the page's own headings, before the first of them.

    Case: CMake's manuals begin with one, and its links dangle: most headings have no id.
    """
    for element in list(body.iter("ul", "ol", "h2", "h3")):
        if element.tag in {"h2", "h3"}:
            return
        if element.getparent() is not None and _is_contents_list(element):
            drop(element)


def _is_contents_list(element: HtmlElement) -> bool:
    links = list(element.iter("a"))
    if not links or any(not (link.get("href") or "").startswith("#") for link in links):
        return False
    linked = sum(len("".join("".join(link.itertext()).split())) for link in links)
    return linked == len("".join("".join(element.itertext()).split()))


def symbols_of(definitions: HtmlElement) -> Iterator[Symbol] | None:
    """Return the symbols of a definition list, or None if its terms have no ids."""
    if not any(child.tag == "dt" and child.get("id") for child in definitions):
        return None
    return _symbols(definitions)


def _symbols(definitions: HtmlElement) -> Iterator[Symbol]:
    terms: list[HtmlElement] = []
    bodies: list[HtmlElement] = []
    for child in definitions:
        if child.tag == "dt":
            if bodies:
                yield _symbol(terms, bodies)
                terms, bodies = [], []
            terms.append(child)
        elif child.tag == "dd":
            bodies.append(child)
    if terms:
        yield _symbol(terms, bodies)


def _symbol(terms: list[HtmlElement], bodies: list[HtmlElement]) -> Symbol:
    ids = [anchor for term in terms if (anchor := term.get("id"))]
    title = _title(ids[0] if ids else "", terms[0])
    signature: list[Node] = []
    for term in terms:
        if len(terms) > 1 or not bodies or _text(term) != title:
            signature += [_signature(term), PARAGRAPH]
    body: list[Node] = []
    for element in bodies:
        body += [*contents(element), PARAGRAPH]
    return Symbol(tuple(ids) or (title,), title, tuple(signature), tuple(body))


def _title(anchor: str, term: HtmlElement) -> str:
    """Return the full name of a symbol: its id where the signature confirms it."""
    text = _text(term)
    name = anchor.removeprefix("c.")
    return name if name and name.rpartition(".")[2] in text else _shortened(text) or anchor


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_TITLE else text[: _MAX_TITLE - 1] + "…"


def _text(term: HtmlElement) -> str:
    return _SPACES.sub(" ", "".join(term.itertext())).strip()


def _signature(term: HtmlElement) -> Node:
    """Return the term as one code span."""
    code: HtmlElement = term.makeelement("code", {})
    code.text = _text(term)
    return code
