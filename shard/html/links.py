"""Which links are worth their address: external ones, since a path is no reference."""

import re
from typing import Final

_EXTERNAL = re.compile(r"(?:https?|ftp)://[^/\s:]|mailto:\S", re.IGNORECASE)
"""With a host: sotoki writes ``https://:None/…`` for some of its own pages."""

_ENCODED: Final = {ord(char): f"%{ord(char):02X}" for char in ' <>()\\"\n\t\r|`'}


def external_target(href: str | None) -> str:
    """Return the address to show, or an empty string for a link inside the archive."""
    if not href:
        return ""
    href = href.strip()
    if href.startswith("//"):
        href = "https:" + href
    if not _EXTERNAL.match(href):
        return ""
    return href.translate(_without_balanced(href))


def _without_balanced(href: str) -> dict[int, str]:
    """Return what to encode; balanced parentheses may stay in a Markdown link."""
    if _balanced(href):
        return {code: text for code, text in _ENCODED.items() if chr(code) not in "()"}
    return _ENCODED


def _balanced(href: str) -> bool:
    depth = 0
    for char in href:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0
