"""The full-text database of an archive."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from unicodedata import normalize

import xapian

from common.errors import RefNotFound, ShardFault
from common.frames import IndexKind
from shard.archive import Archive, EntryHead
from shard.index.base import Accept, IndexAnswer, IndexHit, TitleHit
from shard.index.blob import Blob
from shard.index.lexicon import IndexLexicon
from shard.index.spelling import Spelling, spellings
from shard.index.titles import TitleSource, look_up
from shard.index.xapian_index.database import PathForm, open_database, reading
from shard.index.xapian_index.terms import terms_starting, together, word_counts
from shard.index.xapian_index.vocabulary import Vocabulary

BM25_K1 = 1.2
BM25_B = 0.75
"""The values of the gateway's own scoring; measured best on three test collections."""

MAX_EXAMINED = 1000
"""Matches looked at before a query gives up replacing those that are no content pages."""

MOST_TOGETHER = 500
"""Documents that are counted exactly, when the question is whether words go together."""

MAX_READ_BYTES = 500_000
"""Of a page that is opened to see how a word is written; few are longer."""

_START_OF_FORMS = 3
_WORD = re.compile(r"\w+")


class XapianIndex:
    """A full-text database inside an archive.

    Raises:
        ShardFault: The database cannot be opened or read.
    """

    kind: IndexKind = "xapian"
    reason = ""

    def __init__(self, archive: Archive, blob: Blob, titles: TitleSource) -> None:
        self._archive = archive
        self._titles = titles
        with reading("full-text index"):
            self._db = open_database(archive.path, blob)
            self._vocabulary = Vocabulary(self._db, archive.language)
            self.documents = int(self._db.get_doccount())
            self.total_length = int(self._db.get_total_length())
        self._paths = PathForm(self._db, archive)

    def query(self, words: Sequence[str], limit: int, accept: Accept) -> IndexAnswer:
        """Return the best documents by BM25 over this archive's own statistics."""
        with reading("full-text index"):
            terms = self._vocabulary.terms_of(words)
            frequencies = tuple(self._frequency(group) for group in terms)
            ranked = list(islice(self._ranked(terms, limit, accept), limit))
            counts = self._counts(terms, [match.document for match in ranked])
            hits = [
                IndexHit(match.head.path, match.head.title, match.length, counts[match.document])
                for match in sorted(ranked, key=lambda match: (-match.weight, match.head.path))
            ]
        return IndexAnswer(
            self.documents, self.total_length, frequencies, counted=True, hits=tuple(hits)
        )

    def titles(self, text: str, limit: int, accept: Accept) -> list[TitleHit]:
        """Return pages by title; see `shard.index.base.Index`."""
        return look_up(self._archive, self._titles, text, limit, accept)

    def stem(self, word: str) -> str:
        """Return ``word`` unaccented and stemmed as the index does."""
        return self._vocabulary.stem(word)

    def spellings(self, word: str, beside: Sequence[str], limit: int) -> list[Spelling]:
        """Return words close to ``word``; see `shard.index.spelling`."""
        with reading("full-text index"):
            return spellings(IndexLexicon(self, self._titles), word, beside, limit)

    def stems(self, start: str, but: str) -> Iterator[str]:
        """Yield the terms that begin with ``start`` but not with ``but``, unless that is empty."""
        return terms_starting(self._db, start, but)

    def documents_with(self, word: str) -> int:
        """Return how many documents have any form of ``word``."""
        return int(self._db.get_termfreq(self._vocabulary.stem(word)))

    def documents_with_all(self, words: Sequence[str]) -> int:
        """Return how many documents have all of ``words``; above `MOST_TOGETHER` an estimate."""
        enquire = self._having_all(words)
        return int(enquire.get_mset(0, 1, MOST_TOGETHER).get_matches_estimated())

    def forms(self, stem: str, beside: Sequence[str]) -> set[str]:
        """Return the words with this stem in the page that has ``beside`` as well, or in any."""
        if stem.isascii() and not self._vocabulary.stems:
            return {stem}
        matches = [*self._having_all(beside, stem).get_mset(0, 1)]
        for match in matches or self._having_all((), stem).get_mset(0, 1):
            with suppress(RefNotFound, ShardFault):
                page = self._archive.read(self._paths.entry_path(match.document.get_data()))
                text = page.content[:MAX_READ_BYTES].decode(errors="replace")
                forms = _words_starting(text, stem[:_START_OF_FORMS])
                return {form for form in forms if self._vocabulary.stem(form) == stem}
        return set()

    def _having_all(self, words: Sequence[str], *terms: str) -> xapian.Enquire:
        terms += tuple(term for group in self._vocabulary.terms_of(words) for term in group)
        enquire = xapian.Enquire(self._db)
        enquire.set_query(xapian.Query(xapian.Query.OP_AND, terms))
        return enquire

    def _frequency(self, group: Sequence[str]) -> int:
        return together([int(self._db.get_termfreq(term)) for term in group], group)

    def _ranked(
        self, terms: Sequence[Sequence[str]], limit: int, accept: Accept
    ) -> Iterator["_Match"]:
        flat = sorted({term for group in terms for term in group})
        if not flat or limit < 1:
            return
        enquire = xapian.Enquire(self._db)
        enquire.set_weighting_scheme(xapian.BM25Weight(BM25_K1, 0, 1, BM25_B, 0))
        enquire.set_query(xapian.Query(xapian.Query.OP_OR, flat))
        seen: set[str] = set()
        first, size = 0, limit * 2
        while first < MAX_EXAMINED:
            matches = enquire.get_mset(first, min(size, MAX_EXAMINED - first))
            for match in matches:
                head = self._page(match.document.get_data(), accept)
                if head is not None and head.path not in seen:
                    seen.add(head.path)
                    length = int(self._db.get_doclength(match.docid))
                    yield _Match(match.docid, match.weight, length, head)
            if matches.size() < size:
                return
            first, size = first + size, size * 4

    def _page(self, data: bytes, accept: Accept) -> EntryHead | None:
        try:
            head = self._archive.head(self._paths.entry_path(data))
        except (RefNotFound, ShardFault):
            return None
        return head if accept(head) else None

    def _counts(
        self, terms: Sequence[Sequence[str]], documents: Sequence[int]
    ) -> dict[int, tuple[int, ...]]:
        """Return the count of each word in each document, from the posting lists."""
        ordered = sorted(documents)
        columns = [word_counts(self._db, group, ordered) for group in terms]
        return {
            document: tuple(column[row] for column in columns)
            for row, document in enumerate(ordered)
        }


@dataclass(frozen=True, slots=True)
class _Match:
    document: int
    weight: float
    length: int
    head: EntryHead


def _words_starting(text: str, start: str) -> set[str]:
    """Return the words of ``text`` that begin with the letters ``start``, in small letters."""
    small = normalize("NFC", text.lower())
    if not start.isascii():
        return set(_WORD.findall(small))
    # Looking back is left to the second step: a pattern that begins with letters is found fast.
    found = re.finditer(rf"{re.escape(start)}\w*", small)
    return {match[0] for match in found if not small[match.start() - 1 : match.start()].isalnum()}
