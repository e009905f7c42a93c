"""Nodes to blocks of Markdown.

The tree is written down directly, without a second HTML parser: measured on the longest article
of the sample archives, html2text needs 95 to 170 ms for what this does in a tenth, glues or
parts words at the edges of emphasis, and breaks items that hold paragraphs or listings.

Wrappers (`div`, `p`, …) are walked with a stack of our own; only lists, quotes and definition
lists recurse, down to `MAX_DEPTH`, below which their text is written as one paragraph.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from lxml.html import HtmlElement

from shard.html import math
from shard.html.blocks import Block, join, paragraph
from shard.html.code import fence
from shard.html.dom import HEADINGS, PARAGRAPH, STRUCTURES, WRAPPERS, Node, contents, has_block
from shard.html.escape import escape
from shard.html.infobox import infobox_blocks, is_infobox
from shard.html.inline import inline
from shard.html.tables import cells_of, is_layout, rows_of, strays, table_blocks

MAX_DEPTH: Final = 24
"""Lists and quotes nested deeper than this are written flat; real pages reach 16."""

_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_STRUCTURES: Final = frozenset(STRUCTURES)
_WRAPPERS: Final = frozenset(WRAPPERS)


def blocks_of(nodes: Iterable[Node], depth: int = 0) -> list[Block]:
    """Return ``nodes`` as blocks of Markdown, in order."""
    found: list[Block] = []
    for item in flow(nodes):
        if isinstance(item, list):
            text = inline(item)
            if text:
                found.append(paragraph(text))
        elif depth >= MAX_DEPTH:
            text = inline([item], "cell")
            found += [paragraph(text)] if text else []
        else:
            found += _structure(item, depth)
    return found


def heading(level: int, title: str) -> Block:
    """Return the heading line of a section; ``title`` is plain text, formulas as they are."""
    with_math = title.count("$") > 1
    text = title if with_math else escape(title, "", "", in_link=False, with_math=False)
    return Block("heading", (f"{'#' * min(level, 6)} {text}",))


def flow(nodes: Iterable[Node]) -> Iterator[list[Node] | HtmlElement]:
    """Yield runs of inline nodes, and the structures between them, wrappers taken away."""
    run: list[Node] = []
    todo: list[Node] = list(nodes)[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, str) and node != PARAGRAPH:
            run.append(node)
            continue
        inside = _opened(node)
        if inside is None and not _stands_alone(node):
            run.append(node)
            continue
        if run and (isinstance(node, str) or node.tag in _STRUCTURES | _WRAPPERS
                    or node.tag == math.TAG):  # fmt: skip
            yield run
            run = []
        if inside is not None:
            todo.extend(inside)
        elif not isinstance(node, str):
            yield node
    if run:
        yield run


def _opened(node: Node) -> list[Node] | None:
    """Return the contents of a wrapper, last first; None for what stays as it is."""
    if isinstance(node, str):
        return None
    tag = node.tag
    if tag in _WRAPPERS:
        return [PARAGRAPH, *list(contents(node))[::-1]]
    if tag == "table":
        return _unwrapped(node)
    if tag in _STRUCTURES or tag == math.TAG:
        return None
    # <b><p>…</p></b> and <a><div>…</div></a>: the mark gives way to the blocks.
    return list(contents(node))[::-1] if has_block(node) else None


def _unwrapped(table: HtmlElement) -> list[Node] | None:
    if is_infobox(table) or not is_layout(table):
        return None
    inside: list[Node] = [*strays(table), *(c for c in table if c.tag == "caption")]
    for row in rows_of(table):
        inside += cells_of(row)
    return [PARAGRAPH, *inside[::-1]]


def _stands_alone(node: Node) -> bool:
    if isinstance(node, str):
        return True
    return node.tag in _STRUCTURES or (node.tag == math.TAG and math.is_display(node))


def _structure(element: HtmlElement, depth: int) -> list[Block]:
    tag = element.tag
    if tag in HEADINGS:
        text = inline([element], "title").replace("**", "")
        return [paragraph(f"**{text}**")] if text else []
    if tag == math.TAG:
        return [Block("formula", (math.markdown(element),))]
    if tag == "table" and is_infobox(element):
        return [*blocks_of(strays(element), depth + 1), *infobox_blocks(element)]
    return _WRITERS[tag](element, depth)


def _table(element: HtmlElement, depth: int) -> list[Block]:
    """Write what stands between rows before the table, as browsers show it, then the table."""
    return [*blocks_of(strays(element), depth + 1), *table_blocks(element)]


def _code(element: HtmlElement, _depth: int) -> list[Block]:
    text = fence(element)
    return [Block("code", (text,))] if text else []


def _rule(_element: HtmlElement, _depth: int) -> list[Block]:
    return [Block("formula", ("---",))]


def _quote(element: HtmlElement, depth: int) -> list[Block]:
    pieces = tuple(
        _prefixed(block.text, "> ", "> ") for block in blocks_of(contents(element), depth + 1)
    )
    return [Block("quote", pieces, joint="\n>\n")] if pieces else []


def _bullets(element: HtmlElement, depth: int) -> list[Block]:
    return _list(element, depth, lambda _number: "- ")


def _numbers(element: HtmlElement, depth: int) -> list[Block]:
    return _list(element, depth, lambda number: f"{number}. ")


def _list(element: HtmlElement, depth: int, mark: Callable[[int], str]) -> list[Block]:
    items: list[str] = []
    loose = False
    number = _integer(element.get("start"), 1)
    for item in _items(element):
        number = _integer(item.get("value"), number) if isinstance(item, HtmlElement) else number
        nodes: Iterable[Node] = contents(item) if _is_item(item) else [item]
        inner = blocks_of(nodes, depth + 1)
        if not inner:
            continue
        text, is_loose = _item_text(inner)
        loose = loose or is_loose
        begin = mark(number)
        if items and not isinstance(item, str) and item.tag in _LISTS:
            items[-1] += "\n" + _prefixed(text, " " * len(begin), " " * len(begin))
            continue
        items.append(_prefixed(text, begin, " " * len(begin)))
        number += 1
    return [Block("list", tuple(items), joint="\n\n" if loose else "\n")] if items else []


def _is_item(node: Node) -> bool:
    return isinstance(node, HtmlElement) and node.tag == "li"


def _items(element: HtmlElement) -> Iterator[Node]:
    """Yield the items, and what stands between them: a list there belongs to the item before."""
    for node in contents(element):
        if not isinstance(node, str) or node.strip():
            yield node


def _item_text(inner: list[Block]) -> tuple[str, bool]:
    """Return the text of an item, and whether its list needs empty lines between items."""
    text = inner[0].text
    loose = False
    for block in inner[1:]:
        tight = block.kind in {"list", "code"} and "\n\n" not in block.joint
        loose = loose or not tight
        text += ("\n" if tight else "\n\n") + block.text
    return text, loose


def _prefixed(text: str, first: str, following: str) -> str:
    lines = text.split("\n")
    empty = following.rstrip()
    return "\n".join(
        [first + lines[0], *(following + line if line else empty for line in lines[1:])]
    )


def _integer(text: str | None, default: int) -> int:
    digits = (text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else default


def _definitions(element: HtmlElement, depth: int) -> list[Block]:
    """Write terms in bold and definitions after a colon; without terms it is only an indent."""
    nodes = list(_terms(element))
    if not any(_is_term(node) for node in nodes):
        return [block for node in nodes for block in blocks_of([node], depth + 1)]
    pieces: list[str] = []
    loose = False
    for node in nodes:
        if _is_term(node):
            term = inline([node], "title").replace("**", "")
            pieces += [f"**{term}**"] if term else []
            continue
        inner = blocks_of([node], depth + 1)
        if inner:
            loose = loose or len(inner) > 1
            pieces.append(_prefixed(join(inner), ": ", "  "))
    return [Block("list", tuple(pieces), joint="\n\n" if loose else "\n")] if pieces else []


def _is_term(node: Node) -> bool:
    return isinstance(node, HtmlElement) and node.tag == "dt"


def _terms(element: HtmlElement) -> Iterator[Node]:
    """Yield terms and definitions, also those that a ``div`` groups, and what is between them."""
    for node in contents(element):
        if isinstance(node, str):
            if node.strip():
                yield node
        elif node.tag == "div" and any(child.tag in {"dt", "dd"} for child in node):
            yield from contents(node)
        else:
            yield node


_WRITERS: Final[dict[str, Callable[[HtmlElement, int], list[Block]]]] = {
    "ul": _bullets,
    "menu": _bullets,
    "dir": _bullets,
    "ol": _numbers,
    "dl": _definitions,
    "table": _table,
    "blockquote": _quote,
    "hr": _rule,
    "pre": _code,
    "xmp": _code,
    "listing": _code,
    "plaintext": _code,
}
