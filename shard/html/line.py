"""One line of Markdown in the making: white space, marks, gaps and escapes settled at its end."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from shard.html.code import code_span
from shard.html.escape import escape, escape_line_starts

Mode = Literal["prose", "cell", "title", "plain"]
"""What a line break becomes: a break, a comma in a cell, a space in a title; plain text besides
has no marks and no escapes."""

_ODD_CODES: Final = (
    *range(0x09), 0x0B, *range(0x0E, 0x20), *range(0x7F, 0xA1), 0xAD, 0x200B, 0x200E, 0x200F,
    *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF,
)  # fmt: skip
_ODD: Final = re.compile("[" + "".join(re.escape(chr(code)) for code in _ODD_CODES) + "]")
_ODD_MAP: Final = {code: " " if code in {0x85, 0xA0} else None for code in _ODD_CODES}

_GAPS: Final = ("", " ", ", ", "; ")
SPACE, COMMA, SEMICOLON = 1, 2, 3
"""Strength of a gap; what it looks like stands in `_GAPS`."""
_ENDS_CLAUSE: Final = frozenset(",;:.!?–—-/([{")
_BEGINS_MIDDLE: Final = frozenset("(,;.:)]}–—/")

_TEXT, _ATOM, _MARK, _CODE, _LINK_OPEN, _LINK_CLOSE = range(6)


def clean(text: str) -> str:
    """Return ``text`` without soft hyphens, bidi marks and controls; odd spaces become spaces."""
    return text.translate(_ODD_MAP) if _ODD.search(text) else text


def text_line(text: str, mode: Mode) -> str:
    """Return what `Line` makes of nothing but text."""
    text = " ".join(clean(text).split())
    if mode == "plain":
        return text
    text = escape(text, "", "", in_link=False, with_math=False)
    return escape_line_starts(text) if mode == "prose" else text


@dataclass(slots=True)
class _Mark:
    """An open mark: where its opener stands in the output, -1 while nothing follows it."""

    text: str
    place: int = -1
    link: str = ""


@dataclass(slots=True)
class Line:
    """One paragraph in the making."""

    mode: Mode = "prose"
    _out: list[str] = field(default_factory=list)
    _kinds: list[int] = field(default_factory=list)
    _pairs: list[tuple[int, int]] = field(default_factory=list)
    _waiting: list[_Mark] = field(default_factory=list)
    _space: bool = False
    _gap: int = 0
    _break: bool = False

    def text(self, text: str) -> None:
        """Add visible text as it stands in the source."""
        text = clean(text)
        words = text.split()
        if not words:
            self._space = self._space or bool(text)
            return
        self._space = self._space or text[0].isspace()
        self._emit(_TEXT, " ".join(words))
        self._space = text[-1].isspace()

    def atom(self, text: str) -> None:
        """Add Markdown that is finished already."""
        self._emit(_ATOM, text)

    def code(self, text: str) -> None:
        """Add the text of a code span."""
        if self.mode == "plain":
            self.text(text)
            return
        text = clean(text)
        words = " ".join(text.split())
        if not words:
            return
        self._space = self._space or text[0].isspace()
        if self._kinds and self._kinds[-1] == _CODE and not (self._space or self._gap):
            self._out[-1] += words
        else:
            self._emit(_CODE, words)
        self._space = text[-1].isspace()

    def line_break(self) -> None:
        """Add a ``br``."""
        if self.mode == "prose":
            self._break = True
        else:
            self.gap(COMMA if self.mode == "cell" else SPACE)

    def stack(self) -> None:
        """Take a break back: a script after it stands under another one, not on a new line."""
        self._break = False
        self._gap = 0

    def gap(self, strength: int) -> None:
        """Keep what came apart from what follows."""
        self._gap = max(self._gap, strength)

    def open(self, mark: str, link: str = "") -> _Mark:
        """Begin a mark; nothing is written before there is text in it."""
        opened = _Mark(mark, link=link)
        self._waiting.append(opened)
        return opened

    def close(self, mark: _Mark) -> None:
        """End a mark; one with nothing in it leaves no trace."""
        if mark.place < 0:
            self._waiting.remove(mark)
            return
        if mark.link:
            self._push(_LINK_CLOSE, f"]({mark.link})")
            return
        self._push(_MARK, mark.text)
        self._pairs.append((mark.place, len(self._out) - 1))

    def _emit(self, kind: int, text: str) -> None:
        if self._out:
            self._separate(text)
        self._space, self._gap, self._break = False, 0, False
        for mark in self._waiting:
            mark.place = len(self._out)
            self._push(_LINK_OPEN if mark.link else _MARK, "[" if mark.link else mark.text)
        self._waiting.clear()
        self._push(kind, text)

    def _separate(self, following: str) -> None:
        if self._break:
            self._push(_ATOM, "  \n")
        elif self._gap:
            self._push(_ATOM, self._gap_text(following))
        elif self._space:
            self._push(_ATOM, " ")

    def _gap_text(self, following: str) -> str:
        last = self._out[-1][-1:]
        if last in _ENDS_CLAUSE or following[:1] in _BEGINS_MIDDLE:
            return " "
        return _GAPS[self._gap]

    def _push(self, kind: int, text: str) -> None:
        self._out.append(text)
        self._kinds.append(kind)

    def finish(self) -> str:
        """Return the Markdown of the line."""
        if self.mode == "plain":
            return "".join(self._out)
        self._settle_marks()
        self._settle_links()
        with_math = any(
            k == _ATOM and t.startswith("$") for k, t in zip(self._kinds, self._out, strict=True)
        )
        pieces: list[str] = []
        depth = 0
        for place, (kind, text) in enumerate(zip(self._kinds, self._out, strict=True)):
            depth += (kind == _LINK_OPEN) - (kind == _LINK_CLOSE)
            if kind == _TEXT:
                before, after = self._around(place)
                pieces.append(escape(text, before, after, in_link=depth > 0, with_math=with_math))
            else:
                pieces.append(code_span(text) if kind == _CODE else text)
        text = "".join(pieces)
        return escape_line_starts(text) if self.mode == "prose" else text

    def _around(self, place: int) -> tuple[str, str]:
        """Return the characters before and after a piece, empty at the edges."""
        out, before, after = self._out, place - 1, place + 1
        while before >= 0 and not out[before]:
            before -= 1
        while after < len(out) and not out[after]:
            after += 1
        return (
            out[before][-1] if before >= 0 else "",
            out[after][0] if after < len(out) else "",
        )

    def _settle_links(self) -> None:
        for place, kind in enumerate(self._kinds):
            if kind == _LINK_OPEN and place and self._out[place - 1].endswith("!"):
                self._out[place - 1] = self._out[place - 1][:-1] + "\\!"
                self._kinds[place - 1] = _ATOM
            if kind == _LINK_OPEN and self._is_bare_address(place):
                self._out[place] = self._out[place + 2] = ""
                self._kinds[place + 1] = _ATOM

    def _is_bare_address(self, place: int) -> bool:
        if place + 2 >= len(self._kinds) or self._kinds[place + 2] != _LINK_CLOSE:
            return False
        target = self._out[place + 2][2:-1]
        return self._kinds[place + 1] == _TEXT and self._out[place + 1] == target

    def _settle_marks(self) -> None:
        """Take marks away that Markdown would not read, and join those that touch."""
        marks = {place for pair in self._pairs for place in pair}
        closers = {end: start for start, end in self._pairs}
        for start, end in sorted(self._pairs):
            if not self._out[start]:
                continue
            touching = self._touching(start, marks)
            if touching in closers:
                self._join(closers[touching], touching, start, end)
            elif not self._readable(start, end):
                self._out[start] = self._out[end] = ""

    def _touching(self, start: int, marks: set[int]) -> int:
        place = start - 1
        while place >= 0 and not self._out[place]:
            place -= 1
        return place if place in marks else -1

    def _join(self, _first: int, first_end: int, start: int, end: int) -> None:
        if self._out[first_end] == self._out[start]:
            self._out[first_end] = self._out[start] = ""
        else:
            self._out[start] = self._out[end] = ""

    def _readable(self, start: int, end: int) -> bool:
        before, first = self._around(start)
        last, after = self._around(end)
        return not (
            (before.isalnum() and not first.isalnum()) or (after.isalnum() and not last.isalnum())
        )
