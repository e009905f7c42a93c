"""The title database of an archive."""

from collections.abc import Iterator, Sequence

import xapian

from common.text import is_cjk
from shard.archive import Archive
from shard.index.blob import Blob
from shard.index.titles import Candidate
from shard.index.xapian_index.database import PathForm, open_database, reading
from shard.index.xapian_index.terms import stop_words, terms_in, terms_starting, uncasefolded

_ANCHOR = "0posanchor"
"""First term of every title that libzim indexed since 2021: a phrase after it is a beginning."""

_MAX_EXPANSION = 200
_SHORTEST_PREFIX = 3
_COMPLETE = 1000
"""Titles from which on a word on its own is taken for a complete one."""

_MOST_TITLES = 200_000
"""Titles that the rarest word of a text may be in: reading more takes a tenth of a second. The
page called "The" is still found by its path."""


class XapianTitles:
    """The title database inside an archive.

    Raises:
        ShardFault: The database cannot be opened or read.
    """

    def __init__(self, archive: Archive, blob: Blob) -> None:
        with reading("title index"):
            self._db = open_database(archive.path, blob)
            self._anchored = int(self._db.get_termfreq(_ANCHOR)) > 0
            self._stop = stop_words(self._db)
        self._paths = PathForm(self._db, archive)

    def beginning(self, text: str, limit: int) -> list[Candidate]:
        """Return titles that begin with the words of ``text``, the shortest first."""
        with reading("title index"):
            terms = self._terms(text)
            if is_cjk(text):
                # N-grams have no order of their own.
                return self._candidates(self._containing(terms), limit)
            whole = [_ANCHOR, *terms] if self._anchored else terms
            query = xapian.Query(xapian.Query.OP_PHRASE, whole)
            return self._candidates(query, limit) if self._bounded(terms) else []

    def containing(self, text: str, limit: int) -> list[Candidate]:
        """Return titles that have every word of ``text``, the last one as a prefix."""
        with reading("title index"):
            terms = self._terms(text)
            return self._candidates(self._containing(terms), limit)

    def words(self, start: str, but: str) -> Iterator[str]:
        """Yield the words of titles that begin with ``start`` but not with ``but``."""
        with reading("title index"):
            yield from terms_starting(self._db, start, but)

    def having(self, word: str) -> int:
        """Return how many titles have ``word``."""
        with reading("title index"):
            return int(self._db.get_termfreq(word))

    def _containing(self, terms: Sequence[str]) -> xapian.Query:
        if not self._bounded(terms):
            return xapian.Query()
        parts = [*(xapian.Query(term) for term in terms[:-1]), self._beginning_with(terms)]
        return xapian.Query(xapian.Query.OP_AND, parts)

    def _beginning_with(self, terms: Sequence[str]) -> xapian.Query:
        """Return the query for the last term: as a prefix, where that stays small."""
        last = terms[-1]
        complete = len(terms) == 1 and self._db.get_termfreq(last) > _COMPLETE
        if complete or len(last) < _SHORTEST_PREFIX:
            return xapian.Query(last)
        limit = xapian.Query.WILDCARD_LIMIT_MOST_FREQUENT
        synonym = xapian.Query.OP_SYNONYM
        return xapian.Query(xapian.Query.OP_WILDCARD, last, _MAX_EXPANSION, limit, synonym)

    def _bounded(self, terms: Sequence[str]) -> bool:
        rarest = min((int(self._db.get_termfreq(term)) for term in terms), default=0)
        return bool(terms) and rarest <= _MOST_TITLES

    def _terms(self, text: str) -> list[str]:
        # Databases made until 2022 have no stop words at all, later ones have them in titles.
        found = [self._uncasefolded(term) for term in terms_in(text)]
        return [term for term in found if term not in self._stop or self._db.term_exists(term)]

    def _uncasefolded(self, term: str) -> str:
        spellings = [] if self._db.term_exists(term) else uncasefolded(term)
        return next(filter(self._db.term_exists, spellings), term)

    def _candidates(self, query: xapian.Query, limit: int) -> list[Candidate]:
        enquire = xapian.Enquire(self._db)
        # Nothing but length counts: among titles that match, the shortest is the closest.
        enquire.set_weighting_scheme(xapian.BM25Weight(0.001, 0, 1, 1, 0))
        enquire.set_query(query)
        return [self._candidate(match.document) for match in enquire.get_mset(0, limit)]

    def _candidate(self, document: xapian.Document) -> Candidate:
        title = document.get_value(0).decode(errors="replace")
        return Candidate(self._paths.entry_path(document.get_data()), title)
