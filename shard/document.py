"""One parsed document: its sections, and their Markdown when it is asked for."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from common.errors import SectionNotFound
from common.frames import SectionContent, SectionEntry
from shard.html.blocks import Block, cut, join
from shard.html.markdown import blocks_of, heading
from shard.html.plain import Paragraph, paragraphs
from shard.html.sections import LEAD_LEVEL, Section

MAX_LISTED = 100
"""Sections that a document lists; the deepest are left out first."""

_BYTES_PER_BYTE = 7
"""Memory of a document per byte of its page: measured 4.2 to 5.4 once parsed, 5.6 to 6.2 when all
of it was rendered, over 100 articles and 100 reference pages."""

_FIXED_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Rendered:
    """Sections in document order, each once; ``truncated`` if the budget cut something off."""

    sections: list[SectionContent]
    truncated: bool


class Document:
    """A page as sections.

    Attributes:
        path: Entry path.
        title: Of the page.
        size: Bytes it holds, for the cache.
        sections: In document order.
    """

    def __init__(
        self, path: str, title: str, sections: Sequence[Section], *, page_bytes: int = 0
    ) -> None:
        self.path = path
        self.title = title
        self.sections = tuple(sections)
        self.size = _FIXED_BYTES + _BYTES_PER_BYTE * page_bytes
        self._blocks: dict[int, list[Block]] = {}
        self._paragraphs: dict[int, tuple[Paragraph, ...]] = {}
        self._places = self._read_places()
        self._ends = self._read_ends()

    def _read_places(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for place, section in enumerate(self.sections):
            places[section.id] = place
        for place, section in enumerate(self.sections):
            for alias in section.aliases:
                places.setdefault(alias, place)
        if self.sections:
            # A thread has no lead: its question stands first.
            places.setdefault("", 0)
        return places

    def _read_ends(self) -> list[int]:
        """Return for each section the place after its last descendant."""
        ends = list(range(1, len(self.sections) + 1))
        for place in range(len(self.sections) - 1, 0, -1):
            parent = self.sections[place].parent
            if parent is not None:
                ends[parent] = max(ends[parent], ends[place])
        return ends

    def available(self, limit: int = MAX_LISTED) -> tuple[list[SectionEntry], int]:
        """Return the sections to list, in document order, and how many are left out.

        If there are more than ``limit``, whole levels are left out, the deepest first; of the
        last level that fits in part, the first sections are listed.
        """
        by_level = sorted(range(len(self.sections)), key=lambda place: self.sections[place].level)
        listed = sorted(by_level[:limit])
        entries = [SectionEntry(self.sections[p].id, self.sections[p].title) for p in listed]
        return entries, len(self.sections) - len(listed)

    def render(self, ids: Sequence[str], max_chars: int) -> Generator[None, None, Rendered]:
        """Render the whole document, or these sections with their subtrees.

        Yields between sections, so that more urgent work may pass.

        Raises:
            SectionNotFound: One of ``ids`` is not there; nothing is rendered then.
        """
        groups = self._asked(ids) if ids else [[place] for place in range(len(self.sections))]
        budget = _Budget(max_chars)
        contents: list[SectionContent] = []
        for group in groups:
            text = yield from self._render_group(group, budget, is_asked=bool(ids))
            section = self.sections[group[0]]
            name, title = self._named(section, ids)
            if text or (ids and not budget.spent):
                contents.append(
                    SectionContent(
                        id=name,
                        title=title,
                        content=text,
                        metadata=section.metadata,
                    )
                )
            if budget.spent:
                break
        return Rendered(contents, budget.spent)

    def _named(self, section: Section, ids: Sequence[str]) -> tuple[str, str]:
        """Return id and title under which a section was asked for."""
        if section.id in ids:
            return section.id, section.title
        alias = next((name for name in ids if name in section.aliases), None)
        return (alias, alias) if alias else (section.id, section.title)

    def _render_group(
        self, group: Sequence[int], budget: "_Budget", *, is_asked: bool
    ) -> Generator[None, None, str]:
        parts: list[str] = []
        pieces = self._in_reading_order(group) if is_asked else self._in_order(group)
        first = is_asked
        for place, blocks in pieces:
            if blocks and (first or self._has_content(place)):
                part = budget.take(blocks, 2 if parts else 0)
                parts += [part] if part else []
            first = False
            if budget.spent:
                break
            yield
        return "\n\n".join(parts)

    def _in_order(self, group: Iterable[int]) -> Iterator[tuple[int, list[Block]]]:
        for place in group:
            yield place, self._own_blocks(place)

    def _in_reading_order(self, group: Sequence[int]) -> Iterator[tuple[int, list[Block]]]:
        """Yield the blocks of a subtree; symbols stand where the text around them has them."""
        todo = [(place, 0, 0) for place in reversed(group)]
        shown: set[int] = set()
        while todo:
            place, begin, number = todo.pop()
            if number == 0 and place in shown:
                continue
            shown.add(place)
            section = self.sections[place]
            # Symbols of the lead are sections beside it, as headings are.
            if not section.inner or section.level == LEAD_LEVEL:
                yield place, self._own_blocks(place)
                continue
            is_last = number == len(section.inner)
            end, symbol = (len(section.nodes), -1) if is_last else section.inner[number]
            blocks = blocks_of(section.nodes[begin:end])
            yield place, self._with_heading(place, blocks) if number == 0 else blocks
            if not is_last:
                todo.append((place, end, number + 1))
                todo += [(below, 0, 0) for below in reversed(range(symbol, self._ends[symbol]))]

    def _with_heading(self, place: int, blocks: list[Block]) -> list[Block]:
        section = self.sections[place]
        if section.level == LEAD_LEVEL:
            return blocks
        return [heading(section.level, section.title), *blocks]

    def _asked(self, ids: Sequence[str]) -> list[list[int]]:
        """Return the places of each asked subtree, outermost only, in document order."""
        missing = [name for name in dict.fromkeys(ids) if name not in self._places]
        if missing:
            listed, _ = self.available()
            raise SectionNotFound(
                "no such section: " + ", ".join(repr(name) for name in missing)
                + "; available_sections lists those there are",
                missing=missing,
                available=[(entry.id, entry.title) for entry in listed],
            )  # fmt: skip
        groups: list[list[int]] = []
        end = 0
        for place in sorted({self._places[name] for name in ids}):
            if place >= end:
                end = self._ends[place]
                groups.append(list(range(place, end)))
        return groups

    def _has_content(self, place: int) -> bool:
        """Tell whether a section or one below it has more than its heading."""
        return any(
            any(block.kind != "heading" for block in self._own_blocks(below))
            for below in range(place, self._ends[place])
        )

    def _own_blocks(self, place: int) -> list[Block]:
        found = self._blocks.get(place)
        if found is None:
            found = self._with_heading(place, blocks_of(self.sections[place].nodes))
            self._blocks[place] = found
        return found

    def paragraphs(self, place: int) -> tuple[Paragraph, ...]:
        """Return the plain text of the section at ``place``, without its subsections."""
        found = self._paragraphs.get(place)
        if found is None:
            found = tuple(paragraphs(self.sections[place].nodes))
            self._paragraphs[place] = found
        return found

    def text(self, section: Section) -> str:
        """Return the plain visible text of ``section`` without its subsections."""
        place = self._places[section.id]
        return "\n".join(paragraph.text for paragraph in self.paragraphs(place))


class _Budget:
    """Characters left to write; once ``spent``, nothing more is written."""

    def __init__(self, max_chars: int) -> None:
        self._most = max_chars
        self._left = max_chars
        self.spent = False

    def take(self, blocks: Sequence[Block], joint: int) -> str:
        """Return the blocks of one section as they fit.

        A section that does not fit is left out, except one that no budget of this size
        could hold: that is cut between its blocks.
        """
        text = join(blocks)
        if joint + len(text) <= self._left:
            self._left -= joint + len(text)
            return text
        self.spent = True
        return cut(blocks, self._left - joint) if len(text) > self._most else ""
