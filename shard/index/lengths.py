"""How long pages are and what they hold, where the index does not tell: read off the pages.

A library of long articles has some page with every word of any query, so without lengths it beats
the one that is about the query: over eleven archives the judged collections reach 0.25 of nDCG@10
with words that match alone, 0.44 with lengths and with the counts of each library's best pages.
"""

import re
from collections.abc import Iterable
from contextlib import suppress

from common.errors import RefNotFound, ShardFault
from common.text import is_cjk, is_unspaced
from shard.archive import Archive, EntryHead

SAMPLE = 16
"""Pages that tell the average length of all: between 0.65 and 1.8 times the true one in the eleven
archives, where reading them takes 5 to 40 ms."""

_LISTED = 4 * SAMPLE
"""Entries looked at for the sample; in old archives most are pictures."""

MAX_READ_BYTES = 512 * 1024
"""Larger pages are not read to count words: it would take more than 10 ms."""

_HTML = "text/html"
_TAG = re.compile(r"<[^<>]*>")
_ENDING = re.compile(r"(?:ings?|ed|ers?|ies|es|[sye])$")
_LEAST_ROOT = 4
"""Letters that tell a word by its beginning; fewer begin too many others."""


class PageLengths:
    """Estimated lengths of an archive's pages, in words.

    Attributes:
        average: Words of an average page; 0 if no page could be read.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        sample = [content for head in _spread(archive) if (content := read(archive, head))]
        words = sum(len(page_text(content).split()) for content in sample)
        self.average = words / len(sample) if sample else 0.0
        self._density = words / sum(map(len, sample)) if sample else 0.0

    def of(self, path: str) -> int:
        """Return the words of a page as its size suggests; 0 if that is unknown."""
        with suppress(RefNotFound, ShardFault):
            return round(self._archive.size(path) * self._density)
        return 0


def read(archive: Archive, head: EntryHead) -> bytes:
    """Return the bytes of an HTML page; nothing if they are too many or cannot be read."""
    with suppress(RefNotFound, ShardFault):
        if head.mimetype.startswith(_HTML):
            return archive.read(head.path, most=MAX_READ_BYTES).content
    return b""


def page_text(content: bytes) -> str:
    """Return what stands between the tags of a page: casefolded words between single spaces."""
    text = _TAG.sub(" ", content.decode(errors="replace")).casefold()
    return f" {' '.join(text.split())} "


def count(words: Iterable[str], text: str) -> list[int]:
    """Return about how often each word occurs in a `page_text`; 2 ms for a page of 100 kB.

    The archive's stemmer is not known here, so a long word counts with what begins like it, and
    a short one as it is; accents count. What is not found counts as nothing, though the index may
    know better.
    """
    return [text.count(_pattern(word)) for word in words]


def _pattern(word: str) -> str:
    if is_cjk(word) or is_unspaced(word):
        return word
    long = next((part for part in (_ENDING.sub("", word), word) if len(part) >= _LEAST_ROOT), "")
    return f" {long}" if long else f" {word} "


def _spread(archive: Archive) -> list[EntryHead]:
    pages = [head for head in archive.heads(_LISTED) if head.mimetype.startswith(_HTML)]
    return pages[:: max(1, len(pages) // SAMPLE)][:SAMPLE]
