"""Which adapter reads an archive: as configured, else by its metadata, else by its pages."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from common.errors import ConfigError, CorpusError
from shard.adapters.base import Adapter, is_html
from shard.adapters.devdocs import DevDocs
from shard.adapters.generic import Generic
from shard.adapters.mediawiki import MediaWiki
from shard.adapters.stackexchange import StackExchange
from shard.archive import Archive

ADAPTERS: Final[dict[str, Adapter]] = {
    adapter.name: adapter for adapter in (MediaWiki(), DevDocs(), StackExchange(), Generic())
}

_SAMPLED_PAGES: Final = 5
"""Pages looked at when the metadata tell nothing."""

_LISTED_HEADS: Final = 200

_SCRAPERS: Final = (
    (re.compile(r"mwoffliner", re.IGNORECASE), "mediawiki"),
    (re.compile(r"devdocs", re.IGNORECASE), "devdocs"),
    (re.compile(r"sotoki", re.IGNORECASE), "stackexchange"),
    (re.compile(r"zimit|warc2zim|gutenberg|nautilus|youtube", re.IGNORECASE), "generic"),
)
_WIKIS = re.compile(
    r"\b(?:wikipedia|wikibooks|wiktionary|wikiquote|wikisource|wikiversity|wikivoyage|wikinews"
    r"|wikispecies|mdwiki|wikimed|mediawiki)", re.IGNORECASE,
)  # fmt: skip
_NAMES: Final = (
    (re.compile(r"devdocs", re.IGNORECASE), "devdocs"),
    (re.compile(r"stack_?exchange|stackoverflow|serverfault|superuser|askubuntu", re.IGNORECASE),
     "stackexchange"),
    (_WIKIS, "mediawiki"),
)  # fmt: skip
_PAGES: Final = (
    (re.compile(rb"<devdocs-navbar|class=\"_app\"|class=\"_page "), "devdocs"),
    (re.compile(rb"class=\"question-page|id=\"question\"|js-post-body|sotoki"), "stackexchange"),
    (re.compile(rb"mw-parser-output|id=\"mw-content-text\"|class=\"[^\"]*\bmediawiki\b"),
     "mediawiki"),
)  # fmt: skip


class Choice(NamedTuple):
    """An adapter, and why it was chosen."""

    adapter: Adapter
    reason: str


def by_name(name: str) -> Adapter:
    """Return the adapter of this name.

    Raises:
        ConfigError: There is none.
    """
    adapter = ADAPTERS.get(name)
    if adapter is None:
        known = ", ".join(ADAPTERS)
        raise ConfigError(f"unknown adapter {name!r}, expected one of {known} or auto")
    return adapter


def choose(archive: Archive) -> Choice:
    """Return the adapter that fits an archive: by metadata, else by the look of its pages."""
    scraper = archive.metadata("Scraper")
    for pattern, name in _SCRAPERS:
        if pattern.search(scraper):
            return Choice(ADAPTERS[name], f"metadata Scraper is {scraper!r}")
    for key in ("Name", "Tags", "Creator", "Source"):
        value = archive.metadata(key)
        for pattern, name in _NAMES:
            if pattern.search(value):
                return Choice(ADAPTERS[name], f"metadata {key} is {value!r}")
    return _by_pages(archive)


def _by_pages(archive: Archive) -> Choice:
    for path, content in _sample(archive):
        for pattern, name in _PAGES:
            if pattern.search(content):
                return Choice(ADAPTERS[name], f"page {path!r} has the markup of {name}")
    return Choice(ADAPTERS["generic"], "no metadata and no page of a known scraper")


def _sample(archive: Archive) -> Iterator[tuple[str, bytes]]:
    left = _SAMPLED_PAGES
    for head in archive.heads(_LISTED_HEADS):
        if left == 0:
            return
        if not is_html(head.mimetype):
            continue
        try:
            yield head.path, archive.read(head.path).content
        except CorpusError:
            continue
        left -= 1
