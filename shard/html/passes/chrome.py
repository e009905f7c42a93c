"""What a site puts around its content, whatever the site is."""

from typing import Final

from shard.html.dom import Marked, drop

_ROLES: Final = frozenset({"navigation", "banner", "contentinfo", "search", "complementary",
                           "menubar", "menu", "toolbar", "dialog", "alertdialog"})  # fmt: skip
_CLASSES: Final = ("zim-footer", "skip-link", "skip-to-content", "breadcrumb", "breadcrumbs",
                   "cookie-banner", "cookie-notice", "sidebar", "site-header", "site-footer",
                   "share-buttons", "social-share")  # fmt: skip

_OWNERS: Final = frozenset({"article", "main", "blockquote", "figure", "details", "table"})


def drop_landmarks(marked: Marked) -> None:
    """Take out navigation, and page headers and footers that are no part of an article."""
    for element in list(marked.root.iter("nav")):
        drop(element)
    for element in list(marked.root.iter("header", "footer", "aside", "div", "section")):
        if element.get("role") in _ROLES:
            drop(element)
    marked.drop(*_CLASSES)


def drop_outer_landmarks(marked: Marked) -> None:
    """Take out ``header``, ``footer`` and ``aside`` outside of any article.

    The footer of a quotation or a figure names its source.
    """
    for element in list(marked.root.iter("header", "footer", "aside")):
        inside = any(ancestor.tag in _OWNERS for ancestor in element.iterancestors())
        if not inside and next(element.iter("article", "main"), None) is None:
            drop(element)
