"""The words of an archive, for `shard.index.spelling`: those of its titles, those of its index."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from shard.index.titles import TitleSource

MOST_TITLES = 20
"""Titles that are counted when the question is whether words go together."""


class Terms(Protocol):
    """A full-text index that tells what it has; see `shard.index.xapian_index.XapianIndex`."""

    def stem(self, word: str) -> str:
        """Return the term of a word."""

    def stems(self, start: str, but: str) -> Iterator[str]:
        """Yield the terms that begin with ``start`` but not with ``but``, unless that is empty."""

    def documents_with(self, word: str) -> int:
        """Return how many documents have any form of ``word``."""

    def documents_with_all(self, words: Sequence[str]) -> int:
        """Return how many documents have all of ``words``."""

    def forms(self, stem: str, beside: Sequence[str]) -> set[str]:
        """Return the words with this stem in one page."""


class TitleLexicon:
    """The words of titles, which are not stemmed."""

    def __init__(self, titles: TitleSource) -> None:
        self._titles = titles

    def stem(self, word: str) -> str:
        """Return ``word``: forms are words of their own."""
        return word

    def documents_with(self, word: str) -> int:
        """Return how many titles have ``word``."""
        return self._titles.having(word)

    def titles_with(self, word: str) -> int:
        """Return how many titles have ``word``."""
        return self._titles.having(word)

    def words(self, start: str, but: str) -> Iterator[str]:
        """Yield words of titles."""
        return self._titles.words(start, but)

    def stems(self, start: str, but: str) -> Iterator[str]:  # noqa: ARG002
        """Yield nothing: the words are all there is."""
        return iter(())

    def forms(self, stem: str, beside: Sequence[str]) -> set[str]:  # noqa: ARG002
        """Return ``stem``, which is a word."""
        return {stem}

    def together(self, words: Sequence[str]) -> tuple[int, int]:
        """Return twice how many titles have all of ``words``, the last as a prefix."""
        titles = len(self._titles.containing(" ".join(words), MOST_TITLES))
        return titles, titles


class IndexLexicon(TitleLexicon):
    """The words of titles, and those whose stems a full-text index has."""

    def __init__(self, terms: Terms, titles: TitleSource) -> None:
        super().__init__(titles)
        self._terms = terms

    def stem(self, word: str) -> str:
        """Return the term of ``word``."""
        return self._terms.stem(word)

    def documents_with(self, word: str) -> int:
        """Return how many documents, or else titles, have ``word``."""
        return self._terms.documents_with(word) or super().documents_with(word)

    def stems(self, start: str, but: str) -> Iterator[str]:
        """Yield the terms of the index."""
        return self._terms.stems(start, but)

    def forms(self, stem: str, beside: Sequence[str]) -> set[str]:
        """Return forms that a page has."""
        return self._terms.forms(stem, beside)

    def together(self, words: Sequence[str]) -> tuple[int, int]:
        """Return how many documents, and how many titles, have all of ``words``."""
        return self._terms.documents_with_all(words), super().together(words)[1]
