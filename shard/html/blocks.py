"""A block of Markdown, and where it may be cut."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["text", "heading", "list", "table", "code", "quote", "formula"]

_WHOLE: Final = frozenset({"formula", "heading"})
_FENCE = re.compile(r"(`{3,})")


@dataclass(frozen=True, slots=True)
class Block:
    """One block: ``pieces`` joined by ``joint``.

    A cut falls between pieces only; the first ``head`` of them (the header of a table) are
    worth nothing without a following one.
    """

    kind: Kind
    pieces: tuple[str, ...]
    joint: str = "\n"
    head: int = 0

    @property
    def text(self) -> str:
        """The Markdown of the block."""
        return self.joint.join(self.pieces)


def paragraph(text: str) -> Block:
    """Return a block of running text."""
    return Block("text", (text,))


def join(blocks: Iterable[Block]) -> str:
    """Return the Markdown of ``blocks``."""
    return "\n\n".join(block.text for block in blocks)


def cut(blocks: Sequence[Block], max_chars: int) -> str:
    """Return as much of ``blocks`` as fits, ending at the edge of a block or of a piece.

    A paragraph or a listing that is too long for the budget all by itself is cut as well, at a
    space or a line end: else a page of one paragraph would have no content at all. No formula,
    code span or table row is ever cut, and a fence is always closed.
    """
    kept: list[str] = []
    used = 0
    for block in blocks:
        text = block.text
        joint = 2 if kept else 0
        if used + joint + len(text) <= max_chars:
            kept.append(text)
            used += joint + len(text)
            continue
        part = _part(block, max_chars - used - joint, alone=_is_heading_only(kept))
        if part:
            kept.append(part)
        break
    return "\n\n".join(kept)


def _is_heading_only(kept: Sequence[str]) -> bool:
    return len(kept) == 0 or (len(kept) == 1 and kept[0].startswith("#"))


def _part(block: Block, room: int, *, alone: bool) -> str:
    if room <= 0 or block.kind in _WHOLE:
        return ""
    pieces = _fitting(block, room)
    if len(pieces) > block.head:
        return block.joint.join(pieces)
    if not alone:
        return ""
    if block.kind == "code":
        return _part_of_code(block.text, room)
    return _part_of_text(block.text, room) if block.kind == "text" else ""


def _fitting(block: Block, room: int) -> list[str]:
    pieces: list[str] = []
    used = 0
    for piece in block.pieces:
        used += len(piece) + (len(block.joint) if pieces else 0)
        if used > room:
            break
        pieces.append(piece)
    return pieces


def _part_of_code(text: str, room: int) -> str:
    opening, _, _ = text.partition("\n")
    match = _FENCE.match(opening)
    ticks = match.group(1) if match else "```"
    kept = [opening]
    used = len(opening) + len(ticks) + 1
    for line in text.split("\n")[1:-1]:
        used += len(line) + 1
        if used > room:
            break
        kept.append(line)
    return "\n".join([*kept, ticks]) if len(kept) > 1 else ""


def _part_of_text(text: str, room: int) -> str:
    end = room
    while end > 0:
        space = text.rfind(" ", 0, end)
        end = space if space > 0 else end
        part = text[:end]
        broken = _unclosed(part)
        if broken < 0:
            return part.rstrip()
        if space <= 0 and broken == 0:
            return ""
        end = broken
    return ""


def _unclosed(text: str) -> int:
    """Return where the code span, formula or link begins that ``text`` leaves open, else -1."""
    for mark in ("`", "$"):
        places = [m.start() for m in re.finditer(r"(?<!\\)" + re.escape(mark) + "+", text)]
        if len(places) % 2:
            return places[-1]
    opened = text.rfind("[")
    if opened >= 0 and "](" in text[opened:] and ")" not in text[opened:]:
        return opened
    return -1
