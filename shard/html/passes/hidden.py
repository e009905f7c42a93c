"""What a browser does not show."""

import re
from typing import Final

from lxml.html import HtmlElement

from shard.html.dom import Marked, drop

_NEVER_SHOWN: Final = (
    "script", "style", "template", "noscript", "link", "meta", "title", "base", "head", "svg",
    "iframe", "object", "embed", "applet", "video", "audio", "canvas", "map", "input", "button",
    "select", "textarea", "progress", "meter", "datalist", "param", "source", "track",
)  # fmt: skip

_HIDDEN_CLASSES: Final = (
    "noprint", "sortkey", "hidden", "visually-hidden", "visuallyhidden", "sr-only",
    "screen-reader-text", "mw-empty-elt", "nomobile", "Z3988", "mw-hidden", "invisible", "d-none",
)  # fmt: skip

_DISPLAY_NONE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def drop_never_shown(root: HtmlElement) -> None:
    """Take out scripts, styles, forms' controls, closed dialogs, embedded media and metadata."""
    for element in list(root.iter(*_NEVER_SHOWN, "dialog")):
        if element.tag != "dialog" or element.get("open") is None:
            drop(element)


def drop_hidden(marked: Marked) -> None:
    """Take out what is styled away: ``display:none``, ``hidden``, sort keys, ``noprint``.

    Case: MediaWiki's sortable tables put ``<span style="display:none">0123</span>`` before a
    number; read as text it makes a wrong number of it.
    """
    for element in list(marked.root.iter("*")):
        style = element.get("style")
        if (style and _DISPLAY_NONE.search(style)) or element.get("hidden") is not None:
            drop(element)
    marked.drop(*_HIDDEN_CLASSES)
