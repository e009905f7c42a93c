"""What the commands print for people: tables on a terminal, aligned lines without one."""

import json
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from common.errors import ConfigError
from common.manifest import Library, Manifest
from deploy.corpus import Corpus, Served
from deploy.status import ClusterStatus, LibraryStatus, Replica

_GOOD = {"ready": "green", "running": "green"}
_PASSING = {"starting": "yellow", "draining": "yellow", "degraded": "yellow", "suspect": "yellow"}

_PIPE_COLUMNS = 1000
"""Without a terminal nothing is cut or wrapped; other programs and logs take long lines."""


def console() -> Console:
    """Return a console on standard output."""
    plain = Console(highlight=False)
    if plain.is_terminal:
        return plain
    return Console(highlight=False, width=_PIPE_COLUMNS, no_color=True)


def print_table(table: Table) -> None:
    """Print a table; without a terminal no line ends in blanks."""
    target = console()
    if target.is_terminal:
        target.print(table)
        return
    with target.capture() as lines:
        target.print(table)
    sys.stdout.writelines(line.rstrip() + "\n" for line in lines.get().splitlines())


def print_json(value: object) -> None:
    """Print ``value`` for other programs."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_lines(lines: Iterable[Text]) -> None:
    """Print running text: folded on a terminal, line by line without one."""
    target = console()
    for line in lines:
        target.print(line, soft_wrap=not target.is_terminal)


def libraries(manifest: Manifest, root: Path) -> Table:
    """Return the libraries of a manifest, and which files their paths mean."""
    table = blank("library", "adapter", "replicas", "path", "files")
    for library in manifest.libraries:
        table.add_row(
            Text(library.name),
            library.adapter,
            str(library.replicas),
            Text(library.path),
            _files(library, root),
        )
    return table


def validated(corpus: Corpus) -> Table:
    """Return what was found in each archive."""
    table = blank("library", "archive", "snapshot", "pages", "adapter", "index", "remarks")
    for served in corpus.served:
        report = served.report
        table.add_row(
            Text(served.library.name),
            Text(served.library.path),
            report.snapshot or "–",
            f"{report.pages:,}",
            _adapter(served),
            report.index or "–",
            Text("; ".join(report.warnings)),
        )
    return table


def cluster(status: ClusterStatus) -> Table:
    """Return one row per replica; what belongs to the library stands in its first."""
    table = blank(
        *("library", "state", "snapshot", "pages", "index"),
        *("replica", "state", "keeper", "worker", "uptime", "restarts"),
    )
    for library in status.gateway.libraries:
        for number, replica in enumerate(library.replicas or [Replica(state="down")]):
            head = _library_cells(library) if number == 0 else [Text()] * 5
            table.add_row(*head, replica.label or str(number), *_replica_cells(replica))
    return table


def headline(status: ClusterStatus, url: str, *, supervised: bool) -> str:
    """Return the line above the table: where the cluster is, and how it is."""
    if not status.from_gateway:
        return f"{url}/mcp: the gateway does not answer; this is what supervisord knows"
    warning = "" if supervised else "; supervisord does not run, so nothing would be restarted"
    return f"{url}/mcp: {status.gateway.state}{warning}"


def document(content: dict[str, Any]) -> str:
    """Return the Markdown of a fetched document, with its title above and what is cut below."""
    parts = [f"# {content['title']}", *(section["content"] for section in content["sections"])]
    if content.get("truncated"):
        parts.append("(truncated: ask for sections of it)")
    return "\n\n".join(part.strip() for part in parts)


def ready_line(library: LibraryStatus) -> str:
    """Return the line that `up` prints for a library."""
    facts = [
        library.snapshot or "no snapshot",
        f"{library.documents or 0:,} pages",
        f"index {library.index or 'unknown'}",
        f"adapter {library.adapter or 'unknown'}",
    ]
    if len(library.replicas) > 1:
        facts.append(f"{len(library.replicas)} replicas")
    return f"  {library.name}: {', '.join(facts)}"


def hits(content: dict[str, Any]) -> list[Text]:
    """Return the answer to a search, for reading."""
    lines = [] if content.get("results") else [Text("nothing found")]
    for number, hit in enumerate(content.get("results", []), start=1):
        origin = " ".join(filter(None, [hit["library"], hit.get("snapshot", "")]))
        lines.append(Text.assemble(f"{number}. ", (hit["title"], "bold"), (f"  ({origin})", "dim")))
        lines.append(Text(f"   {hit['ref']}", "cyan"))
        if hit.get("snippet"):
            lines.append(Text(f"   {hit['snippet']}"))
        if sections := hit.get("relevant_sections"):
            lines.append(Text("   sections: " + ", ".join(section["id"] for section in sections)))
    lines.extend(
        Text(f"missing: {library['library']} ({library['reason']})", "yellow")
        for library in content.get("degraded", [])
    )
    if content.get("note"):
        lines.append(Text(f"note: {content['note']}", "yellow"))
    return lines


def uptime(seconds: float | None) -> str:
    """Return a duration in its two largest units."""
    if seconds is None:
        return "–"
    minutes, rest = divmod(math.floor(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    for large, small, names in ((days, hours, "dh"), (hours, minutes, "hm"), (minutes, rest, "ms")):
        if large:
            return f"{large}{names[0]}{small:02}{names[1]}"
    return f"{rest}s"


def blank(*columns: str) -> Table:
    """Return a table without rows; columns of numbers stand to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        numeric = column in {"pages", "restarts", "keeper", "worker", "replicas", "uptime"}
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    return table


def _files(library: Library, root: Path) -> Text:
    try:
        found = library.candidates(root)
    except ConfigError:
        return Text("missing", "red")
    if not library.is_glob or len(found) == 1:
        return Text(found[0].name if library.is_glob else "there")
    return Text(f"{len(found)} candidates")


def _adapter(served: Served) -> str:
    if served.library.adapter != "auto":
        return served.library.adapter
    return f"{served.report.adapter or 'unknown'} (auto)"


def _library_cells(library: LibraryStatus) -> list[Text]:
    return [
        Text(library.name),
        _state(library.state, "" if any(one.error for one in library.replicas) else library.error),
        Text(library.snapshot or "–"),
        Text("–" if library.documents is None else f"{library.documents:,}"),
        Text(_with_reason(library.index or "–", library.index_reason)),
    ]


def _replica_cells(replica: Replica) -> list[Text]:
    return [
        _state(replica.state, "; ".join(replica.troubles)),
        Text(str(replica.keeper_pid or "–")),
        Text(str(replica.pid or "–")),
        Text(uptime(replica.uptime)),
        Text("–" if replica.restarts is None else str(replica.restarts)),
    ]


def _state(state: str, reason: str | None = None) -> Text:
    style = _GOOD.get(state) or _PASSING.get(state) or "red"
    return Text(_with_reason(state or "unknown", reason), style)


def _with_reason(text: str, reason: str | None) -> str:
    return f"{text} ({reason})" if reason else text
