"""Pages of a site of no known kind: a header, a menu, the page, a footer."""

from html import escape

from shard.scrapers.contents import Entry, Redirect
from shard.scrapers.source import Folder, inner_html


def pages(folder: Folder) -> tuple[list[Entry], list[Redirect]]:
    """Return one page per source, at its path with ``.html``, with the plan's menu on each."""
    entries = [
        Entry(
            f"{source.path}.html",
            source.title,
            folder.fill("", title=source.title, menu=_menu(folder), body=inner_html(source.body)),
        )
        for source in folder.sources()
    ]
    style = Entry("style.css", "", "main { max-width: 40em }\n", "text/css", front=False)
    aliases = [Redirect(name, name, target) for name, target in folder.plan.redirects.items()]
    return [*entries, style], aliases


def _menu(folder: Folder) -> str:
    return "".join(
        f'<li><a href="{escape(path)}">{escape(text)}</a></li>'
        for path, text in folder.plan.navigation.items()
    )
