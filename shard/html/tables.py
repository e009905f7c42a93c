"""Tables: a grid with every span filled, as GitHub's Markdown has it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml.html import HtmlElement

from shard.html.blocks import Block
from shard.html.dom import HEADINGS, PARAGRAPH, STRUCTURES, Node, contents
from shard.html.inline import inline

MAX_COLUMNS: Final = 200
"""A colspan beyond this is a mistake of the page (browsers stop at 1000)."""

MAX_CELLS: Final = 400_000
"""Cells of a filled grid; the rest of a larger table is left out row by row."""

MAX_REPEATED: Final = 20_000
"""Characters that spanning cells may repeat, beside `REPEATS` times those of the table itself;
after that they stand only where they begin. 100 kB of page would else become 200 MB of text."""

REPEATS: Final = 10

_NOTE_CHARS: Final = 40
"""A text across the whole table that is longer is a note, not a value of each column."""

_STRUCTURED: Final = tuple(tag for tag in STRUCTURES if tag not in HEADINGS)


@dataclass(slots=True)
class Cell:
    """A cell of the source and what it spans."""

    element: HtmlElement
    is_header: bool
    colspan: int = 1
    rowspan: int = 1
    text: str = ""


@dataclass(slots=True)
class Grid:
    """Rows of equal length; a cell that spans stands in each place it covers."""

    rows: list[list[Cell | None]] = field(default_factory=list)
    header_rows: int = 0
    caption: str = ""

    @property
    def width(self) -> int:
        """Number of columns."""
        return max((len(row) for row in self.rows), default=0)


def rows_of(table: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the rows of ``table`` itself, not those of a table inside it."""
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in {"thead", "tbody", "tfoot"}:
            yield from (row for row in child if row.tag == "tr")


def strays(table: HtmlElement) -> Iterator[Node]:
    """Yield what stands in ``table`` but in no cell and no caption."""
    for node in _between(table, {"tr", "thead", "tbody", "tfoot", "caption", "colgroup", "col"}):
        yield node
        yield PARAGRAPH
    for group in table.iterchildren("thead", "tbody", "tfoot"):
        yield from _between(group, {"tr"})
    for row in rows_of(table):
        yield from _between(row, {"td", "th"})


def _between(parent: HtmlElement, known: set[str]) -> Iterator[Node]:
    for node in contents(parent):
        if node.strip() if isinstance(node, str) else node.tag not in known:
            yield node


def cells_of(row: HtmlElement) -> list[HtmlElement]:
    """Return the cells of a row."""
    return [cell for cell in row if cell.tag in {"td", "th"}]


def is_layout(table: HtmlElement) -> bool:
    """Tell whether a table only arranges blocks: then its cells are read one after another.

    Case: one cell, or a single row or column (without a header) that holds lists, tables or
    headings. Headings that only title the rows below them (cppreference) arrange nothing.
    """
    if table.get("role") in {"presentation", "none"}:
        return True
    rows = [cells_of(row) for row in rows_of(table)]
    widths = [len(cells) for cells in rows if cells]
    if not widths or sum(widths) == 1:
        return True
    if any(True for _ in table.iterchildren("caption")):
        return False
    single = len(widths) == 1 or max(widths) == 1
    if next(table.iter(*HEADINGS), None) is not None and _has_heading(rows):
        return True
    if any(cell.tag == "th" for cells in rows for cell in cells):
        return False
    return single and _has_structure(rows)


def _has_heading(rows: list[list[HtmlElement]]) -> bool:
    """Tell whether headings stand in the cells, other than titles of the rows below."""
    with_heading = [row for row in rows if any(_headings_in(cell) for cell in row)]
    others = [row for row in rows if len(row) > 1 and row not in with_heading]
    if len(others) < len(with_heading):
        return bool(with_heading)
    return any(len(row) > 1 or _headings_in(row[0]) != _shown(row[0]) for row in with_heading)


def _headings_in(cell: HtmlElement) -> str:
    return "".join(_shown(heading) for heading in cell.iter(*HEADINGS))


def _shown(element: HtmlElement) -> str:
    return "".join("".join(element.itertext()).split())


def _has_structure(rows: list[list[HtmlElement]]) -> bool:
    return any(next(cell.iter(*_STRUCTURED), None) is not None for row in rows for cell in row)


def table_blocks(table: HtmlElement) -> list[Block]:
    """Return a table as Markdown: its caption as a line, then the grid."""
    grid = read_grid(table)
    blocks = []
    if grid.caption:
        blocks.append(Block("text", (f"**{grid.caption}**",)))
    lines = grid_lines(grid)
    if lines:
        blocks.append(Block("table", tuple(lines), head=2))
    return blocks


def read_grid(table: HtmlElement) -> Grid:
    """Return the filled grid of ``table`` without rows and columns that are empty."""
    grid = Grid(caption=caption_of(table))
    heads = _place_cells(grid, table)
    width = grid.width
    for row in grid.rows:
        row.extend([None] * (width - len(row)))
    _take_title_row(grid, heads)
    keep = [any(cell and cell.text for cell in row) for row in grid.rows]
    grid.header_rows = _count_header_rows(grid, heads, keep)
    grid.rows = [row for row, kept in zip(grid.rows, keep, strict=True) if kept]
    _drop_empty_columns(grid)
    return grid


def caption_of(table: HtmlElement) -> str:
    """Return the caption of ``table`` on one line, without bold marks."""
    for child in table:
        if child.tag == "caption":
            return inline(contents(child), "title").replace("**", "")
    return ""


def _place_cells(grid: Grid, table: HtmlElement) -> list[bool]:
    """Fill ``grid`` and return for each row whether it stands in a ``thead``."""
    heads: list[bool] = []
    below: dict[int, tuple[Cell, int]] = {}
    total = 0
    repeats = _Repeats()
    for row in rows_of(table):
        parent = row.getparent()
        heads.append(parent is not None and parent.tag == "thead")
        placed = _place_row(row, below)
        total += len(placed)
        if total > MAX_CELLS:
            heads.pop()
            break
        grid.rows.append(repeats.limited(placed))
    return heads


class _Repeats:
    """Leaves out repetitions that would make a table much longer than its source."""

    def __init__(self) -> None:
        self._begun: set[int] = set()
        self._left = MAX_REPEATED

    def limited(self, row: list[Cell | None]) -> list[Cell | None]:
        """Return the next ``row``, with holes where a text is repeated once too often."""
        return [cell if cell and self._may_stand(cell) else None for cell in row]

    def _may_stand(self, cell: Cell) -> bool:
        chars = len(cell.text)
        if id(cell) not in self._begun:
            self._begun.add(id(cell))
            self._left += REPEATS * chars
            return True
        if chars > self._left:
            return False
        self._left -= chars
        return True


def _place_row(row: HtmlElement, below: dict[int, tuple[Cell, int]]) -> list[Cell | None]:
    placed: list[Cell | None] = []
    for element in cells_of(row):
        _fill_from_above(placed, below)
        cell = _cell(element)
        for _ in range(min(cell.colspan, MAX_COLUMNS - len(placed))):
            if cell.rowspan > 1:
                below[len(placed)] = (cell, cell.rowspan - 1)
            placed.append(cell)
    _fill_from_above(placed, below)
    while below and len(placed) <= max(below):
        placed.append(None)
        _fill_from_above(placed, below)
    return placed


def _fill_from_above(placed: list[Cell | None], below: dict[int, tuple[Cell, int]]) -> None:
    while (found := below.pop(len(placed), None)) is not None:
        cell, left = found
        if left > 1:
            below[len(placed)] = (cell, left - 1)
        placed.append(cell)


def _cell(element: HtmlElement) -> Cell:
    is_header = element.tag == "th"
    return Cell(
        element,
        is_header,
        colspan=_span(element.get("colspan"), MAX_COLUMNS),
        rowspan=_span(element.get("rowspan"), 65_534),
        text=cell_text(element, is_header=is_header),
    )


def cell_text(element: HtmlElement, *, is_header: bool = False) -> str:
    """Return what stands in a cell on one line, pipes escaped."""
    text = inline(contents(element), "title" if is_header else "cell")
    if is_header and text.startswith("**") and text.endswith("**") and text.count("**") == 2:
        text = text[2:-2]
    return text.replace("|", "\\|") if "|" in text else text


def _span(value: str | None, most: int) -> int:
    digits = (value or "").strip()[:6]
    if not digits.isascii() or not digits.isdigit():
        return 1
    number = int(digits)
    return most if number == 0 else min(number, most)


def _take_title_row(grid: Grid, heads: list[bool]) -> None:
    """Take a first row that is one header over the whole width into the caption."""
    if len(grid.rows) < 2 or grid.width < 2:
        return
    first = grid.rows[0]
    cell = first[0]
    if cell is None or not cell.is_header or any(other is not cell for other in first):
        return
    title = cell.text.replace("**", "")
    grid.caption = ": ".join(filter(None, (grid.caption.rstrip(": "), title)))
    grid.rows.pop(0)
    heads.pop(0)


def _count_header_rows(grid: Grid, heads: list[bool], keep: list[bool]) -> int:
    """Return how many of the kept rows are headers: those of thead, or all ``th`` at the top."""
    count = 0
    for row, in_head, kept in zip(grid.rows, heads, keep, strict=True):
        cells = [cell for cell in row if cell is not None]
        if kept and not in_head and not (cells and all(cell.is_header for cell in cells)):
            break
        if kept and not in_head and len({id(cell) for cell in cells}) == 1 and grid.width > 1:
            break  # one header across the table begins a group of rows
        count += kept
    return min(count, max(0, sum(keep) - 1)) if sum(keep) > 1 else 0


def _drop_empty_columns(grid: Grid) -> None:
    """Drop columns without text, and those that only a cell's colspan reaches into.

    Case: ``colspan=9`` over a table of three columns.
    """
    used = [any(_begins(row, column) for row in grid.rows) for column in range(grid.width)]
    if not all(used):
        grid.rows = [
            [cell for cell, kept in zip(row, used, strict=True) if kept] for row in grid.rows
        ]


def _begins(row: list[Cell | None], column: int) -> bool:
    cell = row[column]
    if cell is None or not cell.text:
        return False
    return column == 0 or row[column - 1] is not cell


def grid_lines(grid: Grid) -> list[str]:
    """Return the lines of the table: header, delimiter, rows."""
    if not grid.rows or not grid.width:
        return []
    header = _merged_header(grid)
    body = [_line(_texts(row)) for row in grid.rows[grid.header_rows :]]
    return [_line(header), "|" + " --- |" * len(header), *body]


def _texts(row: list[Cell | None]) -> list[str]:
    """Return what stands in each column; a note across the whole table only once."""
    texts = [cell.text if cell else "" for cell in row]
    if len(texts[0]) > _NOTE_CHARS and all(cell is row[0] for cell in row):
        return [texts[0], *[""] * (len(texts) - 1)]
    return texts


def _merged_header(grid: Grid) -> list[str]:
    """Return one header per column: the texts of all header rows above it, each once."""
    merged = []
    for column in range(grid.width):
        texts: list[str] = []
        for row in grid.rows[: grid.header_rows]:
            cell = row[column]
            if cell and cell.text and cell.text not in texts:
                texts.append(cell.text)
        merged.append(" ".join(texts))
    return merged


def _line(texts: list[str]) -> str:
    return "| " + " | ".join(texts) + " |"
