"""Infoboxes as lines: ``**Key:** value``."""

from collections.abc import Iterator
from typing import Final

from lxml.html import HtmlElement

from shard.html.blocks import Block
from shard.html.dom import classes
from shard.html.escape import escape_line_starts
from shard.html.tables import caption_of, cell_text, cells_of, rows_of

_NAMES: Final = frozenset({"infobox", "taxobox", "infobox_v2", "infobox_v3", "biota"})


def is_infobox(table: HtmlElement) -> bool:
    """Tell whether ``table`` is the box of facts of an article."""
    return any(name in _NAMES or name.startswith("infobox-table") for name in classes(table))


def infobox_blocks(table: HtmlElement) -> list[Block]:
    """Return the lines of an infobox; its header cells become lines of their own."""
    caption = caption_of(table)
    lines = [f"**{caption}**"] if caption else []
    lines += [line for row in rows_of(table) for line in _row_lines(row)]
    return [Block("list", tuple(lines), joint="  \n")] if lines else []


def _row_lines(row: HtmlElement) -> Iterator[str]:
    cells = [(cell, cell.tag == "th" or _is_label(cell)) for cell in cells_of(row)]
    filled = [
        (is_key, text.replace("\\|", "|"))
        for cell, is_key in cells
        if (text := cell_text(cell, is_header=is_key))
    ]
    texts = [text for _, text in filled]
    if len(filled) >= 2 and all(cell.tag == "th" for cell, _ in cells):
        yield _bold(", ".join(texts))
    elif len(filled) >= 2 and (filled[0][0] or texts[0].endswith(":")):
        yield _bold(texts[0].replace("**", "").rstrip(": ") + ":") + " " + ", ".join(texts[1:])
    elif len(filled) == 1 and filled[0][0]:
        yield _bold(texts[0])
    elif filled:
        yield escape_line_starts(", ".join(texts))


def _bold(text: str) -> str:
    return "**" + text.replace("**", "") + "**"


def _is_label(cell: HtmlElement) -> bool:
    return any("label" in name for name in classes(cell))
