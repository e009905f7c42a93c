"""Inline nodes to one line of Markdown: marks, code, links, formulas, scripts, breaks.

Nothing here recurses, so that a page nested a thousand deep is only slow.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from lxml.html import HtmlElement

from shard.html import math
from shard.html.dom import BLOCKS, Node, contents, visible_text
from shard.html.line import SEMICOLON, SPACE, Line, Mode, clean, text_line
from shard.html.links import external_target

MARKS: Final = {
    "b": "**", "strong": "**", "i": "*", "em": "*", "var": "*", "del": "~~", "s": "~~",
    "strike": "~~",
}  # fmt: skip

_PLAIN_SCRIPT = re.compile(r"[+\-−–]?\w+(?:[.,]\d+)?\Z")
_NOTE_SIGN = re.compile(r"[*^†‡§¶#]{1,3}\Z")
"""What stands on high anyway, at figures with a note below their table."""

_ORDINALS: Final = frozenset(
    {"st", "nd", "rd", "th", "e", "er", "re", "o", "a", "º", "ª", "tm", "TM", "SM", "®", "™", "©"}
)


def inline(nodes: Iterable[Node], mode: Mode = "prose") -> str:
    """Return the Markdown of ``nodes`` as one paragraph; blocks in it are kept apart."""
    nodes = list(nodes)
    # Most cells and many paragraphs are text alone.
    if all(isinstance(node, str) for node in nodes):
        return text_line("".join(map(str, nodes)), mode)
    return _Walk(Line(mode), nodes).run()


class _Walk:
    """Walks nodes into a line, with a stack of its own."""

    def __init__(self, line: Line, nodes: Iterable[Node]) -> None:
        self._line = line
        # A callable closes what an element opened.
        self._todo: list[Node | Callable[[], None]] = list(nodes)[::-1]
        self._open_marks: set[str] = set()

    def run(self) -> str:
        """Return the finished line."""
        while self._todo:
            item = self._todo.pop()
            if isinstance(item, str):
                self._line.text(item)
            elif isinstance(item, HtmlElement):
                writer = _WRITERS.get(item.tag)
                if writer is None:
                    self._todo.extend(list(contents(item))[::-1])
                else:
                    writer(self, item)
            else:
                item()
        return self._line.finish()

    def _then(self, element: HtmlElement, close: Callable[[], None]) -> None:
        self._todo.append(close)
        self._todo.extend(list(contents(element))[::-1])

    def skip(self, _element: HtmlElement) -> None:
        """Write nothing."""

    def line_break(self, _element: HtmlElement) -> None:
        """Write a ``br``."""
        self._line.line_break()

    def formula(self, element: HtmlElement) -> None:
        """Write a formula."""
        self._line.atom(math.markdown(element))

    def code(self, element: HtmlElement) -> None:
        """Write a code span."""
        text = visible_text(contents(element)) if len(element) else element.text or ""
        self._line.code(text)

    def listing(self, element: HtmlElement) -> None:
        """Write a ``pre`` that has to stand on one line, as one code span per line."""
        for row in "".join(element.itertext()).split("\n"):
            self._line.gap(SPACE)
            self._line.code(row)
        self._line.gap(SPACE)

    def mark(self, element: HtmlElement) -> None:
        """Write emphasis."""
        self._marked(element, MARKS[element.tag], "")

    def link(self, element: HtmlElement) -> None:
        """Write a link; one inside the archive is its text."""
        target = external_target(element.get("href"))
        if target:
            self._marked(element, "[", target)
        else:
            self._todo.extend(list(contents(element))[::-1])

    def _marked(self, element: HtmlElement, mark: str, link: str) -> None:
        if mark in self._open_marks or self._line.mode == "plain":
            self._todo.extend(list(contents(element))[::-1])
            return
        self._open_marks.add(mark)
        opened = self._line.open(mark, link)

        def leave() -> None:
            self._open_marks.discard(mark)
            self._line.close(opened)

        self._then(element, leave)

    def quotation(self, element: HtmlElement) -> None:
        """Write a ``q`` with the marks that a browser shows."""
        self._line.text("“")
        self._then(element, lambda: self._line.text("”"))

    def reading(self, element: HtmlElement) -> None:
        """Write the reading of ruby text in parentheses."""
        if visible_text(contents(element)):
            self._line.text("(")
            self._then(element, lambda: self._line.text(")"))

    def block(self, element: HtmlElement) -> None:
        """Write a block that has to stand on this line, apart from what is around it."""
        apart = element.tag in {"li", "tr", "dt"} and self._line.mode == "cell"
        strength = SEMICOLON if apart else SPACE
        self._line.gap(strength)
        self._then(element, lambda: self._line.gap(strength))

    def script(self, element: HtmlElement) -> None:
        """Write ``sup`` as ``^`` and ``sub`` as ``_``; an ordinal's letters as they are."""
        if next(element.iter(math.TAG), None) is not None:
            self._todo.extend(list(contents(element))[::-1])
            return
        text = clean(visible_text(contents(element)))
        if not text or (element.tag == "sup" and (text in _ORDINALS or _NOTE_SIGN.match(text))):
            self._line.text(text)
            return
        self._line.stack()
        self._line.atom("^" if element.tag == "sup" else "_")
        self._line.text(text if _PLAIN_SCRIPT.match(text) else f"({text})")


_Writer = Callable[[_Walk, HtmlElement], None]

_WRITERS: Final[dict[str, _Writer]] = {
    **dict.fromkeys(BLOCKS, _Walk.block),
    **dict.fromkeys(MARKS, _Walk.mark),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), _Walk.code),
    **dict.fromkeys(("pre", "xmp", "listing", "plaintext"), _Walk.listing),
    **dict.fromkeys(("sup", "sub"), _Walk.script),
    **dict.fromkeys(("hr", "rp"), _Walk.skip),
    "a": _Walk.link,
    "br": _Walk.line_break,
    "q": _Walk.quotation,
    "rt": _Walk.reading,
    math.TAG: _Walk.formula,
}
