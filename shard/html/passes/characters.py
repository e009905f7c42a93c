"""Repairs of single characters and runs that a reader would not see."""

from lxml.html import HtmlElement

from shard.html.dom import drop


def drop_word_breaks(root: HtmlElement) -> None:
    """Take out ``wbr``, an optional break inside a word."""
    for element in list(root.iter("wbr")):
        drop(element)
