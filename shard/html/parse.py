"""The only place that turns bytes into a tree."""

import codecs
import re
from itertools import islice
from typing import Final

from lxml import etree, html
from lxml.html import HtmlElement

_SNIFFED = 4096
"""Bytes in which a page must declare its encoding; HTML asks for the first 1024."""

_DECLARED = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)

MAX_BYTES: Final = 16 * 1024 * 1024
"""What is read of a page; the longest articles and books have less than half of it."""

MAX_TAGS: Final = 600_000
"""Tags that are read of a page, since elements are what costs: at most about 5 s and 470 MB.

The largest reference page of the sample archives (2 MB) has 79,000.
"""

_NOTICE: Final = b"<p>(The page goes on; this is what could be read of it.)</p>"

_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?/?>")

_KEPT_WHEN_DEEP = frozenset(
    b"p br h1 h2 h3 h4 h5 h6 pre title body html head script style template".split()
)

_ONE_CLASS = etree.ElementDefaultClassLookup(element=HtmlElement)

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def parse(content: bytes) -> HtmlElement:
    """Return the ``html`` element of a page.

    Any bytes give a tree: an empty page gives an empty one, bytes in no known encoding are read
    with replacement characters, a page nested deeper than libxml2 goes (2048 levels, below which
    it drops text) is read again without its wrappers. What is beyond `MAX_BYTES` and `MAX_TAGS`
    is left out, and the page says so.
    """
    content = _bounded(as_utf8(content))
    root, too_deep = _parsed(content)
    if too_deep:
        root, _ = _parsed(_TAG.sub(_without_wrapper, content))
    return root


def _bounded(content: bytes) -> bytes:
    """Return ``content`` up to the last tag that is read."""
    most = min(len(content), MAX_BYTES)
    if most == len(content) and content.count(b"<") <= MAX_TAGS:
        return content
    end = content.rfind(b"<", 0, most)
    if content.count(b"<", 0, most) > MAX_TAGS:
        tags = re.finditer(b"<", content)
        end = next(islice(tags, MAX_TAGS, None)).start()
    return content[: end if end > 0 else most] + _NOTICE


def as_utf8(content: bytes) -> bytes:
    """Return ``content`` in UTF-8: by its byte order mark, if it is valid, or as it declares."""
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            text = content[len(bom) :].decode(encoding, "replace")
            return text.encode("utf-8", "replace")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode(_declared(content), "replace").encode("utf-8", "replace")
    return content


def _declared(content: bytes) -> str:
    match = _DECLARED.search(content[:_SNIFFED])
    name = match.group(1).decode("ascii", "replace") if match else "utf-8"
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        return "utf-8"
    # HTML reads "latin-1" as the larger windows-1252.
    return "cp1252" if encoding in {"iso8859-1", "ascii"} else encoding


def _parsed(content: bytes) -> tuple[HtmlElement, bool]:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True)
    # One class for all elements: the parser's own look-up by tag is a call into Python for each.
    parser.set_element_class_lookup(_ONE_CLASS)
    try:
        root = html.document_fromstring(content, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return _empty(), False
    too_deep = any("depth" in entry.message for entry in parser.error_log if entry.level >= 3)
    return root, too_deep


def _empty() -> HtmlElement:
    root: HtmlElement = html.document_fromstring(b"<html><body></body></html>")
    return root


def _without_wrapper(match: re.Match[bytes]) -> bytes:
    tag = match.group(2).lower()
    return match.group() if tag in _KEPT_WHEN_DEEP else b"<br>" if not match.group(1) else b""
