"""Articles of MediaWiki as mwoffliner packs them, from 2015 to today.

The article stands in ``#mw-content-text``. Sections are plain headings (2015), headings with
``span.mw-headline`` (2017), nested ``details`` (2019), headings in ``div.mw-heading`` (now), with
or without Parsoid's ``section`` elements; mini archives have the lead alone.
"""

from typing import Final

from lxml.html import HtmlElement

from common.frames import Kind
from shard.adapters.base import Guarded, is_html, title_of
from shard.adapters.namespaces import is_no_article
from shard.archive import EntryHead, Page
from shard.document import Document
from shard.html import math
from shard.html.anchors import wiki_slug_of
from shard.html.code import drop_line_numbers
from shard.html.dom import PARAGRAPH, Marked
from shard.html.parse import parse
from shard.html.parts import split_giants
from shard.html.passes import characters, headings, hidden, images, references, wiki
from shard.html.sections import Builder

_BODIES: Final = ("mw-content-text", "bodyContent", "content")

_ASSETS: Final = ("-/", "I/m/", "I/s/")
"""Of archives whose articles begin with "A/"; in the others "M/M/1 queue" is an article."""


class MediaWiki(Guarded):
    """Wikipedia, Wikibooks, Wiktionary and all others."""

    name = "mediawiki"
    kind: Kind = "article"

    def accepts(self, head: EntryHead) -> bool:
        """Refuse files, categories and templates, and assets of the old namespaces."""
        if not is_html(head.mimetype) or head.path.startswith(_ASSETS):
            return False
        bare = head.path.removeprefix("A/")
        return not is_no_article(bare) and bare not in {"index", "index.html", ""}

    def _read(self, page: Page) -> Document:
        root = parse(page.content)
        title = title_of(root, page)
        marked = Marked(root)
        self._clean(marked)
        body = _body(marked)
        boxes = wiki.take_lead_infoboxes(body)
        sections = Builder(title, slug=wiki_slug_of).build(body)
        for box in boxes:
            sections[0].nodes += [PARAGRAPH, box]
        return Document(page.path, title, split_giants(sections), page_bytes=len(page.content))

    def _clean(self, marked: Marked) -> None:
        math.mark_formulas(marked)
        hidden.drop_never_shown(marked.root)
        headings.drop_edit_links(marked)
        wiki.drop_wiki_chrome(marked)
        wiki.drop_issue_notice(marked)
        hidden.drop_hidden(marked)
        drop_line_numbers(marked.root)
        references.drop_references(marked)
        images.drop_image_chrome(marked)
        images.keep_captions_alone(marked)
        images.drop_images(marked.root)
        wiki.keep_hatnotes_short(marked)
        headings.open_summaries(marked.root)
        characters.drop_word_breaks(marked.root)


def _body(marked: Marked) -> HtmlElement:
    for anchor in _BODIES:
        body = marked.with_id(anchor)
        if body is not None and body.getparent() is not None:
            return body
    return next(marked.root.iter("body"), marked.root)
