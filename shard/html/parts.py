"""Parts of a page that has no headings: a book in one piece, a dump, a log.

A section longer than `GIANT_CHARS` is cut into sections ``part-1``, ``part-2``, … of about
`PART_CHARS`, between paragraphs, so that it can be read piece by piece.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from shard.html.anchors import Ids
from shard.html.dom import PARAGRAPH, WRAPPERS, Node, contents
from shard.html.sections import Section

GIANT_CHARS: Final = 40_000
"""The longest section under a heading has 34,000 characters of its own (a page of Python's)."""

PART_CHARS: Final = 10_000

_WRAPPERS: Final = frozenset(WRAPPERS)
_LISTS: Final = frozenset({"ul", "ol"})


def split_giants(sections: list[Section]) -> list[Section]:
    """Return ``sections`` with each giant one cut into parts below it."""
    sizes = [_size(section.nodes) for section in sections]
    if max(sizes, default=0) <= GIANT_CHARS:
        return sections
    ids = Ids([*(section.id for section in sections), ""])
    found: list[Section] = []
    places: dict[int, int] = {}
    for place, section in enumerate(sections):
        places[place] = len(found)
        if section.parent is not None:
            section.parent = places[section.parent]
        found.append(section)
        if sizes[place] > GIANT_CHARS:
            found += _parts(section, places[place], ids)
    for section in found:
        section.inner = [(before, places[inner]) for before, inner in section.inner]
    return found


def _parts(section: Section, place: int, ids: Ids) -> Iterator[Section]:
    prefix = f"{section.id}-part" if section.id else "part"
    parent = place if section.id else None
    chunks = list(_chunks(section.nodes))
    section.nodes, section.inner = [], []
    for number, nodes in enumerate(chunks, start=1):
        name = ids.give(f"{prefix}-{number}")
        yield Section(name, f"Part {number}", section.level + 1, parent=parent, nodes=nodes)


def _chunks(nodes: list[Node]) -> Iterator[list[Node]]:
    chunk: list[Node] = []
    used = 0
    for node, size in _small(nodes):
        if used and used + size > PART_CHARS:
            yield chunk
            chunk, used = [], 0
        chunk.append(node)
        used += size
    if used or any(not isinstance(node, str) for node in chunk):
        yield chunk


def _small(nodes: list[Node]) -> Iterator[tuple[Node, int]]:
    """Yield the nodes with their sizes, large wrappers opened, long texts and lists cut."""
    sizes = _sizes(nodes)
    todo = nodes[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            yield from ((piece, len(piece)) for piece in _pieces(node))
            continue
        size = sizes.get(node, PART_CHARS)
        if size > PART_CHARS and node.tag in _WRAPPERS:
            todo.extend([PARAGRAPH, *list(contents(node))[::-1], PARAGRAPH])
        elif size > PART_CHARS and node.tag in _LISTS:
            todo.extend(_shorter_lists(node, sizes)[::-1])
        else:
            yield node, size


def _sizes(nodes: Iterable[Node]) -> dict[HtmlElement, int]:
    """Return how many characters each element in ``nodes`` has, read once from the leaves up."""
    sizes: dict[HtmlElement, int] = {}
    for node in nodes:
        if isinstance(node, str):
            continue
        for element in reversed(list(node.iter())):
            below = sum(sizes[child] + len(child.tail or "") for child in element)
            own = len(element.text or "") if isinstance(element.tag, str) else 0
            sizes[element] = own + below
    return sizes


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PART_CHARS:
        end = text.rfind(" ", start + 1, start + PART_CHARS)
        end = end if end > start else start + PART_CHARS
        yield text[start:end]
        start = end
    yield text[start:] if start else text


def _shorter_lists(element: HtmlElement, sizes: dict[HtmlElement, int]) -> list[Node]:
    """Return a list as several small ones; an item that is too large gives up its bullet."""
    found: list[Node] = []
    start = element.get("start") or "1"
    first = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
    shorter, used = element.makeelement(element.tag, {"start": str(first)}), 0
    items = [child for child in element if isinstance(child.tag, str)]
    for number, item in enumerate(items, start=first):
        if used and used + sizes[item] > PART_CHARS:
            found.append(shorter)
            sizes[shorter] = used
            shorter, used = element.makeelement(element.tag, {"start": str(number)}), 0
        if sizes[item] > PART_CHARS:
            found += [PARAGRAPH, *contents(item), PARAGRAPH]
            shorter.set("start", str(number + 1))
            continue
        shorter.append(item)
        used += sizes[item]
    sizes[shorter] = used
    return [*found, shorter]


def _size(nodes: Iterable[Node]) -> int:
    """Return about how many characters ``nodes`` show."""
    return sum(
        len(node)
        if isinstance(node, str)
        else len(etree.tostring(node, method="text", encoding="unicode", with_tail=False))
        for node in nodes
    )
