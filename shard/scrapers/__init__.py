"""Page sources in, the pages that a scraper would have written out.

A folder holds an ``archive.toml`` (`Plan`) and one HTML fragment per page, in a compact form. Each
family of archives (`mediawiki`, `devdocs`, `stackexchange`, `generic`) puts around a fragment what
its scraper would: titles, navigation, footers and its own markup for headings, formulas, code and
posts. So small archives can be written by hand and still meet the adapters as real ones do.

Nothing here runs when an archive is served.
"""

from collections.abc import Callable
from pathlib import Path

from common.errors import ConfigError
from shard.scrapers import devdocs, generic, mediawiki, stackexchange
from shard.scrapers.contents import Contents, Entry, Redirect
from shard.scrapers.source import Folder, open_folder

_FAMILIES: dict[str, Callable[[Folder], tuple[list[Entry], list[Redirect]]]] = {
    "mediawiki": mediawiki.pages,
    "devdocs": devdocs.pages,
    "stackexchange": stackexchange.pages,
    "generic": generic.pages,
}


def scrape(path: Path) -> Contents:
    """Return the contents of the archive whose sources lie in the folder ``path``.

    Raises:
        ConfigError: No ``archive.toml``, one that breaks a rule, or a source that does.
    """
    folder = open_folder(path)
    plan = folder.plan
    if plan.family not in _FAMILIES:
        known = ", ".join(_FAMILIES)
        raise ConfigError(f"{path}: family: expected one of {known}, got {plan.family!r}")
    entries, redirects = _FAMILIES[plan.family](folder)
    return Contents(
        entries=entries,
        redirects=redirects,
        metadata=dict(plan.metadata),
        language=plan.language,
        main=plan.main,
    )
