"""Footnotes: their marks in the text and their lists at its end."""

import re
from typing import Final

from shard.html.dom import Marked, classes, drop

_MARKS: Final = ("reference", "mw-ref", "noprint", "Inline-Template", "footnote-reference",
                 "footnote-ref", "citation-needed", "reference-accessdate-hidden",
                 "mw-cite-backlink", "footnote-back", "footnote-backref")  # fmt: skip

_LISTS: Final = ("reflist", "references", "mw-references", "mw-references-wrap", "refbegin-hidden",
                 "footnotes", "footnote-list", "mw-ext-cite-error")  # fmt: skip

_KEPT: Final = frozenset({"table", "body", "html", "main", "article"})
_MARK_TEXT = re.compile(r"\[(?:\d+|[a-z]|note \d+|nb \d+|citation needed)\]\Z")


def drop_references(marked: Marked) -> None:
    """Take out footnote marks (``[1]``) and reference lists.

    The heading over a list stays as an empty section; "External links" and "Further reading"
    are no reference lists.
    """
    for element in marked.with_class(*_MARKS):
        # Sphinx gives every cross-reference the class "reference".
        is_link = element.tag == "a" and "reference" in classes(element)
        if element.tag in {"sup", "span", "a", "i", "small"} and not is_link:
            drop(element)
    for element in marked.with_class(*_LISTS):
        if element.tag not in _KEPT:
            drop(element)
    for element in list(marked.root.iter("sup")):
        if _MARK_TEXT.match("".join(element.itertext()).strip()) and _is_mark(element):
            drop(element)


def _is_mark(element: object) -> bool:
    links = list(element.iter("a"))  # type: ignore[attr-defined]
    return any((link.get("href") or "").startswith("#") for link in links) or bool(classes(element))
