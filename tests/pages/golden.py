"""Pages and the Markdown they become: ``<family>/<case>.html`` beside ``<family>/<case>.md``.

A page that does not begin with a doctype or ``html`` is the inside of a page and gets the frame of
its family around it. ``python -m tests.pages.golden`` rewrites every ``.md``; the difference is
for a human to read.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from shard.adapters import by_name
from shard.archive import Page
from shard.document import Document
from tests.pages.frames import framed
from tests.support.markdown import LARGE, rendered

PAGES = Path(__file__).parent
FAMILIES = ("mediawiki", "devdocs", "stackexchange", "generic")


def cases() -> Iterator[Path]:
    """Yield the page of every case."""
    for family in FAMILIES:
        yield from sorted((PAGES / family).glob("*.html"))


def read(case: Path) -> Document:
    """Return the document of a case; its title is the name of the case in words."""
    family = case.parent.name
    title = case.stem.replace("-", " ").capitalize()
    content = framed(family, title, case.read_bytes())
    return by_name(family).parse(Page(case.stem, title, "text/html", content))


def written(document: Document) -> str:
    """Return the whole document as the ``.md`` of its case has it."""
    parts = [f"title: {document.title}"]
    listed, _ = document.available(LARGE)
    levels = {section.id: section.level for section in document.sections}
    parts.append("\n".join(f"{'  ' * (levels[e.id] - 1)}- {e.id!r}: {e.title}" for e in listed))
    for section in rendered(document).sections:
        facts = f" {json.dumps(section.metadata)}" if section.metadata else ""
        parts += [f"=== {section.id!r}{facts}", section.content]
    return "\n\n".join(parts) + "\n"


def rewrite() -> int:
    """Write every ``.md`` anew and return how many changed."""
    changed = 0
    for case in cases():
        target = case.with_suffix(".md")
        text = written(read(case))
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")
            sys.stdout.write(f"{target.relative_to(PAGES)}\n")
            changed += 1
    return changed


if __name__ == "__main__":
    sys.stdout.write(f"{rewrite()} files changed\n")
