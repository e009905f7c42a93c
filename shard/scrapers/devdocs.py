"""Documentation pages, as devdocs2zim writes them.

Symbols are the ``dt`` elements with an id; they go into ``navbar.json`` under the type that the
plan's ``navigation`` gives to the page's folder.
"""

import json
from html import escape

from shard.scrapers.contents import Entry, Redirect
from shard.scrapers.source import Folder, Source, inner_html, up


def pages(folder: Folder) -> tuple[list[Entry], list[Redirect]]:
    """Return one page per source, the list of symbols, and the docset's other files."""
    sources = list(folder.sources())
    symbols = json.dumps(_navbar(folder, sources), ensure_ascii=False)
    others = [
        Entry("navbar.json", "", symbols, "application/json", front=False),
        Entry("licenses.txt", "", _text(folder, "License"), "text/plain", front=False),
        Entry("application.css", "", "._page { margin: 1em }\n", "text/css", front=False),
        Entry("assets/index.js", "", "// navigation\n", "text/javascript", front=False),
    ]
    aliases = [Redirect(name, name, target) for name, target in folder.plan.redirects.items()]
    return [*(_page(folder, source) for source in sources), *others], aliases


def _page(folder: Folder, source: Source) -> Entry:
    heading = f"<h1>{escape(source.title)}</h1> "
    html = folder.fill(
        "",
        title=source.title,
        path=escape(source.path),
        up=up(source.path),
        slug=_text(folder, "Name").rpartition("_")[2],
        holder=escape(_text(folder, "Publisher")),
        licence=escape(_text(folder, "License")),
        body=heading + inner_html(source.body),
    )
    return Entry(source.path, source.title, html)


def _text(folder: Folder, name: str) -> str:
    return folder.plan.metadata.get(name, "")


def _navbar(folder: Folder, sources: list[Source]) -> dict[str, object]:
    groups: dict[str, list[dict[str, str]]] = {}
    for source in sources:
        kind = folder.plan.navigation.get(source.path.partition("/")[0], "Guides")
        group = groups.setdefault(kind, [])
        group.append({"name": source.title, "href": source.path})
        group.extend(
            {"name": term.get("id", ""), "href": f"{source.path}#{term.get('id')}"}
            for term in source.body.iterfind(".//dt[@id]")
        )
    return {
        "name": _text(folder, "Title"),
        "landingHref": folder.plan.main,
        "licenseHref": "licenses.txt",
        "version": "",
        "children": [{"name": kind, "children": group} for kind, group in groups.items()],
    }
