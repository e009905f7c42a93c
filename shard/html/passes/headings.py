"""Headings without what editors and generators hang on them."""

from lxml.html import HtmlElement

from shard.html.dom import HEADINGS, Marked, classes, drop

_PERMALINKS = frozenset({"headerlink", "header-anchor", "anchor-link", "permalink", "self-link"})


def drop_edit_links(marked: Marked) -> None:
    """Take out the "[edit]" that MediaWiki puts beside headings, and collapse arrows."""
    marked.drop("mw-editsection", "editsection", "mw-editsection-like", "edit-page")
    marked.drop("indicator", "mw-ui-icon")


def drop_permalinks(root: HtmlElement) -> None:
    """Take out the ``¶`` that documentation generators put after a heading or a symbol."""
    for link in list(root.iter("a")):
        if _PERMALINKS.intersection(classes(link)):
            drop(link)


def open_summaries(root: HtmlElement) -> None:
    """Make the summary of a ``details`` a line of its own, in bold if it is no heading."""
    for summary in list(root.iter("summary")):
        if next(summary.iter(*HEADINGS), None) is None:
            summary.tag = "p"
            _embolden(summary)


def _embolden(element: HtmlElement) -> None:
    bold = element.makeelement("b", {})
    bold.text, element.text = element.text, None
    for child in list(element):
        bold.append(child)
    element.append(bold)


def embolden_titles(marked: Marked) -> None:
    """Write the title of an admonition ("Note", "Warning") in bold on its own line."""
    for element in marked.with_class("admonition-title", "rubric"):
        if element.tag == "p":
            _embolden(element)
