"""What an adapter is, and what all of them share."""

from typing import Protocol

from lxml.html import HtmlElement

from common.errors import CorpusError, ShardFault
from common.frames import Kind
from shard.archive import EntryHead, Page
from shard.document import Document
from shard.html.dom import PARAGRAPH
from shard.html.parts import split_giants
from shard.html.sections import Section


class Adapter(Protocol):
    """Knows the pages of one scraper: which are content, and where in them the content is."""

    name: str
    kind: Kind

    def accepts(self, head: EntryHead) -> bool:
        """Tell whether an entry is a content page, fit to be a search hit."""
        ...

    def parse(self, page: Page) -> Document:
        """Return the document of a page.

        Raises:
            ShardFault: The page cannot be read.
        """
        ...


def is_html(mimetype: str) -> bool:
    """Tell whether a media type is a page, with or without parameters."""
    return _bare(mimetype) in {"text/html", "application/xhtml+xml"}


def is_plain_text(mimetype: str) -> bool:
    """Tell whether a media type is plain text, read as a page of one section."""
    return _bare(mimetype) == "text/plain"


def _bare(mimetype: str) -> str:
    return mimetype.partition(";")[0].strip().lower()


def title_of(root: HtmlElement, page: Page) -> str:
    """Return the title of a page: the entry's, else that of h1 or ``title``, else its path."""
    if page.title.strip() and page.title != page.path:
        return " ".join(page.title.split())
    for tag in ("h1", "title"):
        for element in root.iter(tag):
            text = " ".join("".join(element.itertext()).split())
            if text:
                return text
    return page.title.strip() or page.path


def plain_document(page: Page) -> Document:
    """Return a text page as a document of one section, its lines in paragraphs."""
    text = page.content.decode("utf-8", "replace").replace("\r\n", "\n")
    lead = Section("", page.title or page.path, 1)
    for part in text.split("\n\n"):
        lead.nodes += [part, PARAGRAPH]
    sections = split_giants([lead])
    return Document(page.path, page.title or page.path, sections, page_bytes=len(page.content))


class Guarded:
    """Base of the adapters: text pages, and no exception but ours.

    Whatever a page does to a parser, its reader gets a document or a `ShardFault`.
    """

    name: str
    kind: Kind

    def parse(self, page: Page) -> Document:
        """Return the document of ``page``."""
        try:
            if is_plain_text(page.mimetype):
                return plain_document(page)
            return self._read(page)
        except CorpusError:
            raise
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError,
                AssertionError) as error:  # fmt: skip
            raise ShardFault(f"cannot read the page: {type(error).__name__}") from error

    def _read(self, page: Page) -> Document:
        raise NotImplementedError
