"""What a section is called: its title, and the id under which links reach it."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from lxml.html import HtmlElement

from shard.html.dom import classes, tag_of
from shard.html.inline import inline

_GENERATED = re.compile(
    r"mw[A-Za-z0-9_-]{1,4}|title_\d+|mf-section-\d+|content-collapsible-block-\d+"
    r"|content|bodyContent|mw-content-text|main|page|body|wrapper|container|top|id\d+|section-?\d*|toc\d*|[0-9a-f-]{32,}"
)
"""Ids that a generator counts up: they name another place in the next edition."""

_PERMALINK = re.compile(r"(?:\s*[¶🔗]+|\s+#)\s*\Z")

_HEADLINES: Final = frozenset({"mw-headline", "headline", "anchor", "target"})


def _is_begun(parent: HtmlElement) -> bool:
    """Tell whether ``parent`` is a section that its first heading names."""
    is_section = parent.tag in {"section", "article"} or "section" in classes(parent)
    return is_section and not (parent.text or "").strip()


def heading_title(element: HtmlElement) -> str:
    """Return the title in a heading: plain text, formulas as TeX."""
    return _PERMALINK.sub("", inline([element], "plain")).strip()


def anchor_of(element: HtmlElement) -> str:
    """Return the id under which links reach a heading, or an empty string.

    Looked for on the heading, inside it, on a section that begins with it, and on an empty
    anchor right before it.
    """
    for candidate in _anchor_candidates(element):
        anchor = candidate.get("id") or (candidate.get("name") if candidate.tag == "a" else "")
        anchor = " ".join((anchor or "").split()).replace(" ", "_")
        if anchor and not _GENERATED.fullmatch(anchor):
            return anchor
    return ""


def _anchor_candidates(element: HtmlElement) -> Iterator[HtmlElement]:
    headlines = [child for child in element.iter("span", "a") if tag_of(child)]
    yield from (child for child in headlines if _HEADLINES.intersection(classes(child)))
    yield element
    yield from headlines
    parent = element.getparent()
    before = element.getprevious()
    if parent is not None and before is None and _is_begun(parent):
        yield parent
    while before is not None and tag_of(before) in {"span", "a"} and not before.text_content():
        yield before
        before = before.getprevious() if not (before.tail or "").strip() else None


def slug_of(title: str) -> str:
    """Return an id for a title that has none: lower case, words joined by hyphens."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return "-".join(re.findall(r"[\w+#.]+", folded)).strip(".-") or "section"


def wiki_slug_of(title: str) -> str:
    """Return the anchor that MediaWiki makes of a title: spaces become underscores."""
    return "_".join(title.split()) or "section"


class Ids:
    """Gives each section an id that no other has."""

    def __init__(self, taken: Iterable[str] = ("",)) -> None:
        self._taken = set(taken)
        # The next number to try, so that 100,000 equal headings do not take their square.
        self._next: dict[str, int] = {}

    def give(self, wanted: str, joint: str = "-") -> str:
        """Return ``wanted``, or ``wanted`` with the first free number from 2 on."""
        found, number = wanted, self._next.get(wanted, 2)
        while found in self._taken:
            found, number = f"{wanted}{joint}{number}", number + 1
        self._next[wanted] = number
        self._taken.add(found)
        return found
