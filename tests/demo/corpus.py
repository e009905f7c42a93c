"""What the tests of the demo corpus know of it beforehand."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import join, normpath
from urllib.parse import unquote

import lxml.html
from lxml import etree

from shard.archive import Archive, Page

PROJECT = Path(__file__).resolve().parents[2]
DEMO = PROJECT / "demo"
NAMES = ("encyclopaedia", "reference", "questions", "site")

_FAR = 100_000


def html_pages(archive: Archive) -> Iterator[Page]:
    """Yield every HTML page of an archive, once."""
    for path in sorted({head.path for head in archive.heads(_FAR) if "html" in head.mimetype}):
        yield archive.read(path)


def tree(page: Page) -> etree._Element:
    """Return a page as elements."""
    return lxml.html.document_fromstring(page.content.decode("utf-8"))


def links(page: Page) -> Iterator[tuple[str, str]]:
    """Yield path and fragment of each link that stays within the archive."""
    for href in tree(page).xpath("//a/@href"):
        if "://" in href:
            continue
        address, _, fragment = href.partition("#")
        path = normpath(join(str(PurePosixPath(page.path).parent), unquote(address)))
        yield (path if address else page.path), unquote(fragment)


def symbols(archive: Archive, folder: str) -> dict[str, str]:
    """Return the symbols (``dt`` with an id) of the pages of a folder, and what is said of each."""
    found: dict[str, str] = {}
    for page in html_pages(archive):
        if page.path.startswith(folder):
            for term in tree(page).xpath("//dt[@id]"):
                found[term.get("id")] = term.getnext().text_content()
    return found
