"""What is wrong with a document, whatever page it came from."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import takewhile

from shard.document import Document
from shard.html.dom import Node, visible_text
from shard.html.line import clean

_TAG = re.compile(
    r"(?<!\\)</?(?:div|span|p|a|table|tr|td|th|ul|ol|li|dl|dt|dd|sup|sub|b|i|br|code|pre|em|strong"
    r"|h[1-6]|img|math|cite|style|script|small|details|summary|section)\b[^\n<]{0,200}?>",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^(?P<lead>[\s>:*\d.-]*?)(?P<ticks>`{3,})(?P<info>[^`\n]*)$")
_SPAN = re.compile(r"(?<![`\\])(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_DELIMITER = re.compile(r"[\s>]*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)+\|?\s*\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"[*~`^]|\]\([^)]*\)|\[")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_WORD = re.compile(r"\w+")

LARGE = 10**9


def rendered(document: Document, ids: tuple[str, ...] = (), max_chars: int = LARGE):
    """Return what `Document.render` returns."""
    rendering = document.render(ids, max_chars)
    while True:
        try:
            next(rendering)
        except StopIteration as end:
            return end.value


def whole(document: Document) -> str:
    """Return the Markdown of the whole document."""
    return "\n\n".join(part.content for part in rendered(document).sections)


def outside_code(markdown: str) -> tuple[str, bool]:
    """Return the lines that stand in no fence, and whether every fence was closed."""
    kept: list[str] = []
    ticks = ""
    for line in markdown.split("\n"):
        match = _FENCE.match(line)
        if not ticks and match:
            ticks = match.group("ticks")
        elif ticks and re.fullmatch(r"[\s>]*" + ticks + r"\s*", line):
            ticks = ""
        elif not ticks:
            kept.append(line)
    return "\n".join(kept), not ticks


def problems(document: Document) -> list[str]:
    """Return every broken invariant of ``document``, in words."""
    return list(_problems(document))


def _problems(document: Document) -> Iterator[str]:
    ids = [section.id for section in document.sections]
    ids += [alias for section in document.sections for alias in section.aliases]
    yield from (f"id {name!r} occurs {n} times" for name, n in Counter(ids).items() if n > 1)
    text = whole(document)
    if text != whole(document):
        yield "two renderings differ"
    yield from _in_markdown(text)
    yield from _in_sections(document)
    missing = missing_words(document, text)
    if missing:
        yield f"words lost: {missing[:8]}"


def _in_markdown(text: str) -> Iterator[str]:
    outside, balanced = outside_code(text)
    if not balanced:
        yield "a fence stays open"
    yield from _in_text(_SPAN.sub("", outside))
    yield from _in_tables(outside)


def form_problems(text: str) -> Iterator[str]:
    """Yield the kind of each broken invariant of any Markdown, whoever wrote it."""
    outside, balanced = outside_code(text)
    bare = _SPAN.sub("", outside)
    if not balanced:
        yield "fence left open"
    if _TAG.search(bare):
        yield "raw tag"
    if "{\\displaystyle" in bare:
        yield "TeX wrapper"
    if any(_uneven_tables(outside.split("\n"))):
        yield "table with uneven rows"


def _uneven_tables(lines: list[str]) -> Iterator[bool]:
    """Yield for each table, with or without pipes at its sides, whether its rows differ."""
    for place, line in enumerate(lines):
        if place and _DELIMITER.match(line):
            width = _cells(line)
            rows = [lines[place - 1]]
            rows += takewhile(_PIPE.search, lines[place + 1 :])
            yield any(_cells(row) != width for row in rows)


def _cells(row: str) -> int:
    return len(_PIPE.findall(row.strip().removeprefix("|").removesuffix("|"))) + 1


def union_differs(document: Document) -> bool:
    """Tell whether all sections, asked for by their ids, say another thing than the whole does.

    Only the headings of empty sections come in addition, since they were asked for.
    """
    ids = tuple(section.id for section in document.sections)
    asked = Counter(_lines(part.content for part in rendered(document, ids).sections))
    given = Counter(_lines(part.content for part in rendered(document).sections))
    return bool(given - asked) or any(not line.startswith("#") for line in asked - given)


def _lines(texts: Iterable[str]) -> Iterator[str]:
    return (line for text in texts for line in text.split("\n") if line)


def _in_text(text: str) -> Iterator[str]:
    match = _TAG.search(text)
    if match:
        yield f"raw tag {match.group()!r}"
    if "{\\displaystyle" in text:
        yield "a TeX wrapper is left"


def _in_tables(text: str) -> Iterator[str]:
    before = 0
    for line in text.split("\n"):
        bare = line.lstrip(" >:-")
        cells = len(_PIPE.findall(bare)) if bare.startswith("|") and bare.endswith("|") else 0
        if before and cells and cells != before:
            yield f"a row of {cells - 1} cells below one of {before - 1}: {bare[:80]!r}"
        before = cells


def _in_sections(document: Document) -> Iterator[str]:
    for section in document.sections:
        parts = rendered(document, (section.id,)).sections
        if len(parts) != 1 or parts[0].id != section.id:
            yield f"section {section.id!r} cannot be fetched alone"


def missing_words(document: Document, text: str) -> list[str]:
    """Return the words that the sections' nodes show and ``text`` has not."""
    found = set(_WORD.findall(text)) | set(_WORD.findall(_ESCAPE.sub(r"\1", text)))
    found |= set(_WORD.findall(_MARKS.sub("", _ESCAPE.sub(r"\1", text))))
    found |= set(_WORD.findall(_MARKS.sub(" ", text).replace("_", " ")))
    everything = "".join(_WORD.findall(text)).replace("_", "")
    glued, apart = set[str](), set[str]()
    for section in document.sections:
        glued.update(_WORD.findall(clean(visible_text(section.nodes))))
        apart.update(_WORD.findall(clean(_apart(section.nodes))))
    # "H2" is written as H_2, "1st" as it is: a word is lost if it is in neither reading, and
    # its letters stand nowhere in a row ("a" and code "b" touch in the page, a tick parts them).
    lost = (glued - found) & (apart - found)
    return sorted(word for word in lost if word.replace("_", "") not in everything)


def _apart(nodes: list[Node]) -> str:
    """Return the visible text of ``nodes``, sup and sub apart from what is before them."""
    pieces: list[str] = []
    for node in nodes:
        if isinstance(node, str):
            pieces.append(node)
            continue
        copied = deepcopy(node)
        for script in copied.iter("sup", "sub"):
            script.text = " " + (script.text or "")
        pieces.append(visible_text([copied]))
    return " ".join(pieces)
