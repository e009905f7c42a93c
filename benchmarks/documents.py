"""The same pages through other converters and through ours: what breaks, what is lost, how long.

``python -m benchmarks.documents`` prints the tables of RESULTS.md; it needs the group ``bench`` of
pyproject.toml (``make bench`` installs it) and the archives of ``../shared/data``.

Every converter gets the page as it is in the archive, with the options that favour it: no line
wrapping, and no links where it can leave them out. Words are counted by `tests.support.visible`,
which knows none of the converters: what a page shows, after the drops that are declared there.
"""

import importlib.metadata
import platform
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import html2text
import html_to_markdown
import markdownify

from shard.adapters import Adapter, choose, is_html
from shard.archive import Archive, Page
from tests.support import visible
from tests.support.data import archives
from tests.support.markdown import form_problems

STEP = 8
"""Every so many-th content page of each archive is read: 967 of 7,653."""


@dataclass(slots=True)
class Tally:
    """What one converter made of all pages."""

    failed: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    pages_broken: int = 0
    kept: int = 0
    shown: int = 0
    written: int = 0
    low: int = 0
    seconds: list[float] = field(default_factory=list)


def by_html2text(page: Page, _adapter: Adapter) -> str:
    """Convert with html2text as libraries use it."""
    converter = html2text.HTML2Text(bodywidth=0)
    converter.ignore_images = True
    converter.ignore_links = True
    return converter.handle(page.content.decode("utf-8", "replace"))


def by_markdownify(page: Page, _adapter: Adapter) -> str:
    """Convert with markdownify."""
    text = page.content.decode("utf-8", "replace")
    return markdownify.markdownify(text, strip=["a", "img", "script", "style"])


def by_html_to_markdown(page: Page, _adapter: Adapter) -> str:
    """Convert with html-to-markdown."""
    converted = html_to_markdown.convert(page.content.decode("utf-8", "replace"))
    return str(getattr(converted, "content", converted) or "")


def by_us(page: Page, adapter: Adapter) -> str:
    """Read the page as a shard does, and write all of the answer."""
    return visible.answer(adapter.parse(page))


CONVERTERS: dict[str, Callable[[Page, Adapter], str]] = {
    "html2text": by_html2text,
    "markdownify": by_markdownify,
    "html-to-markdown": by_html_to_markdown,
    "corpus-mcp": by_us,
}


def pages() -> Iterator[tuple[Adapter, Page]]:
    """Yield the sampled content pages of every real archive."""
    for path in archives("mediawiki", "devdocs", "stackexchange", "other", "ir"):
        yield from _pages_of(path)


def _pages_of(path: Path) -> Iterator[tuple[Adapter, Page]]:
    archive = Archive(path)
    adapter = choose(archive).adapter
    heads = (head for head in archive.heads(10**9) if is_html(head.mimetype))
    for head in [head for head in heads if adapter.accepts(head)][::STEP]:
        yield adapter, archive.read(head.path)


def measure(tally: Tally, name: str, adapter: Adapter, page: Page) -> None:
    """Convert one page and add what came of it."""
    begin = time.perf_counter()
    try:
        text = CONVERTERS[name](page, adapter)
    except Exception as error:  # noqa: BLE001 - whatever another library raises is a result
        sys.stderr.write(f"{name}: {page.path}: {type(error).__name__}: {error}\n")
        tally.failed += 1
        return
    tally.seconds.append(time.perf_counter() - begin)
    problems = set(_problems(text, page))
    tally.broken.update(problems)
    tally.pages_broken += bool(problems)
    shown = visible.shown(page.content, adapter.name).words
    written = visible.words_of_markdown(text)
    kept = (shown & written).total()
    tally.kept += kept
    tally.shown += shown.total()
    tally.written += written.total()
    tally.low += shown.total() > 0 and kept / shown.total() < LEAST_KEPT


LEAST_KEPT = 0.98
"""The share of its words below which a page counts as damaged, as in the real suite."""


def _problems(text: str, page: Page) -> Iterator[str]:
    yield from form_problems(text)
    if "[edit]" in text or "This article is issued from" in text:
        yield "edit link or archive notice"
    flat = " ".join(text.split())
    if any(hidden in flat for hidden in visible.hidden_texts(page.content)):
        yield "hidden text"


def table(tallies: dict[str, Tally]) -> Iterator[str]:
    """Yield the lines of the table."""
    kinds = sorted({kind for tally in tallies.values() for kind in tally.broken})
    yield "| | " + " | ".join(f"{name} {_version(name)}" for name in tallies) + " |"
    yield "| --- |" + " ---: |" * len(tallies)
    rows: dict[str, Callable[[Tally], str]] = {
        "pages with a broken invariant": lambda t: f"{t.pages_broken:,}",
        **{f"– {kind}": lambda t, kind=kind: f"{t.broken[kind]:,}" for kind in kinds},
        "pages that raised": lambda t: f"{t.failed:,}",
        "words lost": lambda t: f"{100 * (1 - t.kept / t.shown):.3f} %",
        "pages with less than 98 % of their words": lambda t: f"{t.low:,}",
        "words too many": lambda t: f"{100 * (t.written - t.kept) / t.shown:.1f} %",
        "ms per page, mean": lambda t: f"{1000 * statistics.mean(t.seconds):.1f}",
        "ms per page, median": lambda t: f"{1000 * statistics.median(t.seconds):.1f}",
    }
    for label, value in rows.items():
        yield f"| {label} | " + " | ".join(value(tally) for tally in tallies.values()) + " |"


def _version(name: str) -> str:
    return importlib.metadata.version(name)


def main() -> None:
    """Convert all pages and print the table."""
    tallies = {name: Tally() for name in CONVERTERS}
    count = 0
    for adapter, page in pages():
        count += 1
        for name, tally in tallies.items():
            measure(tally, name, adapter, page)
    sys.stdout.write(f"{count} pages, Python {platform.python_version()}\n\n")
    sys.stdout.write("\n".join(table(tallies)) + "\n")


if __name__ == "__main__":
    main()
