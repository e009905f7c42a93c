"""Any page: its main content, in sections by heading, or in parts where it has none."""

from typing import Final

from lxml.html import HtmlElement

from common.frames import Kind
from shard.adapters.base import Guarded, is_html, title_of
from shard.archive import EntryHead, Page
from shard.document import Document
from shard.html import math
from shard.html.code import drop_line_numbers
from shard.html.dom import Marked, visible_text
from shard.html.parse import parse
from shard.html.parts import split_giants
from shard.html.passes import characters, chrome, headings, hidden, images, references
from shard.html.sections import Builder

_MIN_SHARE: Final = 0.25
"""Share of the page's text that ``main`` or ``article`` must have to be taken for the content."""


class Generic(Guarded):
    """Whatever no other adapter knows: zimit, Gutenberg, hand-made archives."""

    name = "generic"
    kind: Kind = "page"

    def accepts(self, head: EntryHead) -> bool:
        """Accept every HTML page."""
        return is_html(head.mimetype)

    def _read(self, page: Page) -> Document:
        root = parse(page.content)
        title = title_of(root, page)
        marked = Marked(root)
        self._clean(marked)
        body = main_content(root)
        sections = Builder(title).build(body)
        return Document(page.path, title, split_giants(sections), page_bytes=len(page.content))

    def _clean(self, marked: Marked) -> None:
        math.mark_formulas(marked)
        math.mark_left_formulas(marked)
        hidden.drop_never_shown(marked.root)
        hidden.drop_hidden(marked)
        drop_line_numbers(marked.root)
        chrome.drop_landmarks(marked)
        chrome.drop_outer_landmarks(marked)
        headings.drop_edit_links(marked)
        headings.drop_permalinks(marked.root)
        references.drop_references(marked)
        images.drop_images(marked.root)
        headings.open_summaries(marked.root)
        characters.drop_word_breaks(marked.root)


def main_content(root: HtmlElement) -> HtmlElement:
    """Return ``main``, ``[role=main]`` or the only ``article``, else the body."""
    body = next(root.iter("body"), root)
    for candidate in _candidates(body):
        if len(visible_text([candidate])) >= _MIN_SHARE * len(visible_text([body])):
            return candidate
    return body


def _candidates(body: HtmlElement) -> list[HtmlElement]:
    mains = list(body.iter("main"))
    mains += [element for element in body.iter("div", "section") if element.get("role") == "main"]
    articles = list(body.iter("article"))
    return mains[:1] + (articles if len(articles) == 1 else [])
