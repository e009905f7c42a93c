"""What MediaWiki and mwoffliner put around an article."""

import re
from typing import Final

from lxml.html import HtmlElement

from shard.html.dom import HEADINGS, Marked, drop, visible_text
from shard.html.infobox import is_infobox

_CHROME: Final = (
    "navbox", "navbox-styles", "vertical-navbox", "navbox-inner", "sidebar", "mw-jump-link",
    "toc", "toctitle", "tocnumber", "mw-indicators", "catlinks", "printfooter", "siteSub",
    "ambox", "tmbox", "cmbox", "ombox", "sistersitebox", "mbox-small", "portal", "portal-bar",
    "authority-control", "stub", "metadata", "mw-authority-control", "mwe-math-mathml-hidden",
    "mw-kartographer-container", "error", "mw-collapsible-toggle", "shortdescription",
    "geo-nondefault", "geo-multi-punct", "side-box", "navigation-box",
    "mw-data-after-content", "wikipedia-footer",
)  # fmt: skip
_CHROME_IDS: Final = ("toc", "contentSub", "siteSub", "jump-to-nav", "catlinks", "mw-navigation",
                      "footer", "top", "mw-panel", "p-lang-btn", "coordinates-hidden")  # fmt: skip
_ISSUED = re.compile(r"\s*This article is issued from\b")


def drop_wiki_chrome(marked: Marked) -> None:
    """Take out navigation boxes, the contents list, banners and sister-project boxes."""
    marked.drop(*_CHROME)
    for anchor in _CHROME_IDS:
        element = marked.with_id(anchor)
        if element is not None and element.tag not in {"body", "main"}:
            drop(element)


def drop_issue_notice(marked: Marked) -> None:
    """Take out "This article is issued from Wikipedia…", styled inline until 2019."""
    marked.drop("zim-footer")
    for element in list(marked.root.iter("div", "p", "footer")):
        begin = element.text or (element[0].text if len(element) and element[0].text else "") or ""
        if _ISSUED.match(begin):
            drop(element)


def keep_hatnotes_short(marked: Marked) -> None:
    """Make a hatnote ("Main article: …") a paragraph of its own, in italics."""
    for element in marked.with_class("hatnote", "dablink", "rellink"):
        if element.tag == "div" and visible_text([element]):
            element.tag = "p"
            _wrap(element, "i")


def _wrap(element: HtmlElement, tag: str) -> None:
    wrapped = element.makeelement(tag, {"class": "hatnote"})
    wrapped.text, element.text = element.text, None
    for child in list(element):
        wrapped.append(child)
    element.append(wrapped)


def take_lead_infoboxes(root: HtmlElement) -> list[HtmlElement]:
    """Take infoboxes and coordinates that stand before the first section out, in order.

    They are written at the end of the lead, so that an article begins with its first sentence.
    """
    found: list[HtmlElement] = []
    for element in list(root.iter("table", "span", "h2", "h3")):
        if element.tag in HEADINGS:
            break
        if _is_aside(element) and not any(a in found for a in element.iterancestors("table")):
            found.append(element)
    for element in found:
        drop(element)
    return found


def _is_aside(element: HtmlElement) -> bool:
    if element.tag == "table":
        return is_infobox(element)
    return bool(element.get("id") == "coordinates")
