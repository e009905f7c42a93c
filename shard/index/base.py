"""What every index answers, whatever is behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from common.frames import IndexKind
from shard.archive import EntryHead
from shard.index.spelling import Spelling

Accept = Callable[[EntryHead], bool]
"""Tells whether an entry is a content page, worth a hit."""


@dataclass(frozen=True, slots=True)
class IndexHit:
    """A content page that has at least one of the words.

    Attributes:
        length: Words in the document; an estimate, or 0, where the index does not tell.
        counts: Occurrences of each word, aligned with the query's words; where the index does not
            tell, at least 1 for a word that matches.
    """

    path: str
    title: str
    length: int
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """The statistics of the words in this archive, and its best hits.

    Attributes:
        frequencies: Documents that have each word; 0 for a stop word.
        counted: Whether counts and lengths are the index's own; see `IndexHit`.
        hits: Best first by the index's own order, ties by path; no path twice.
        whole: False if there is an index that cannot be read, so that pages are missing here.
    """

    documents: int
    total_length: int
    frequencies: tuple[int, ...]
    counted: bool
    hits: tuple[IndexHit, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class TitleHit:
    """A content page found by its title, or by the redirect whose title is ``alias``."""

    path: str
    title: str
    alias: str


class Index(Protocol):
    """A full-text index, or what stands in for one.

    Every method raises `ShardFault` when the index turns out to be damaged.
    """

    @property
    def kind(self) -> IndexKind:
        """What answers."""

    @property
    def reason(self) -> str:
        """Why it is not ``xapian``; empty when it is."""

    @property
    def documents(self) -> int:
        """Documents in the full-text index, or pages of the archive if there is none."""

    @property
    def total_length(self) -> int:
        """Words in all of them; an estimate, or 0, where the index does not tell."""

    def query(self, words: Sequence[str], limit: int, accept: Accept) -> IndexAnswer:
        """Return the documents that have any of ``words``, best first.

        Paths are those of content pages, redirects followed. An entry that cannot be opened or
        that ``accept`` refuses is replaced by the next one.
        """

    def titles(self, text: str, limit: int, accept: Accept) -> list[TitleHit]:
        """Return pages whose title, or that of a redirect to them, matches ``text``.

        Exact matches (the same when folded) come first, then those that begin with it, then those
        that have all its words, the last as a prefix.
        """

    def spellings(self, word: str, beside: Sequence[str], limit: int) -> list[Spelling]:
        """Return words of the archive that ``word``, which it has not, may be misspelt for.

        The likeliest first, each with what speaks for it; ``beside`` are other words that were
        typed with it.
        """

    def stem(self, word: str) -> str:
        """Return the form under which the index keeps ``word``."""
