"""Parts of a page that has no headings: a book in one piece, a dump, a log.

A section longer than `GIANT_CHARS` is cut into sections ``part-1``, ``part-2``, … of about
`PART_CHARS`, between paragraphs, so that it can be read piece by piece.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from shard.html.anchors import Ids
from shard.html.dom import PARAGRAPH, WRAPPERS, Node, contents, visible_text
from shard.html.sections import Section

GIANT_CHARS: Final = 40_000
"""The longest section of the sample articles has 27,000 characters of its own."""

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


def _chunks(nodes: Iterable[Node]) -> Iterator[list[Node]]:
    chunk: list[Node] = []
    used = 0
    for node in _small(nodes):
        size = _size([node])
        if chunk and used + size > PART_CHARS and used:
            yield chunk
            chunk, used = [], 0
        chunk.append(node)
        used += size
    if used or any(not isinstance(node, str) for node in chunk):
        yield chunk


def _small(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the nodes with large wrappers opened and long texts and lists cut."""
    todo = list(nodes)[::-1]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            yield from _pieces(node)
        elif _size([node]) <= PART_CHARS:
            yield node
        elif node.tag in _WRAPPERS:
            todo.extend([PARAGRAPH, *list(contents(node))[::-1], PARAGRAPH])
        elif node.tag in _LISTS:
            yield from _shorter_lists(node)
        else:
            yield node


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PART_CHARS:
        end = text.rfind(" ", start + 1, start + PART_CHARS)
        end = end if end > start else start + PART_CHARS
        yield text[start:end]
        start = end
    yield text[start:] if start else text


def _shorter_lists(element: Node) -> Iterator[Node]:
    if isinstance(element, str):
        return
    items = [child for child in element if isinstance(child.tag, str)]
    number = int(element.get("start") or 1) if (element.get("start") or "1").isdigit() else 1
    shorter, used = element.makeelement(element.tag, {"start": str(number)}), 0
    for item in items:
        size = _size([item])
        if used and used + size > PART_CHARS:
            yield shorter
            shorter, used = element.makeelement(element.tag, {"start": str(number)}), 0
        shorter.append(item)
        used += size
        number += 1
    yield shorter


def _size(nodes: Iterable[Node]) -> int:
    """Return about how many characters ``nodes`` show."""
    return sum(len(node) if isinstance(node, str) else len(visible_text([node])) for node in nodes)
