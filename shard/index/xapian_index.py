"""The embedded Xapian databases, read where they lie: ranked search with scores and counts.

libzim indexes a page's text unaccented and lower-cased, stemmed where Xapian knows the archive's
language, without prefixes or positions; CJK text in n-grams of one and two characters. The title
database keeps titles as they are in value 0, with positions, redirects included.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from unicodedata import normalize

import xapian

from common.errors import RefNotFound, ShardFault
from common.frames import IndexKind
from common.text import is_cjk, is_unspaced, unaccent
from shard.archive import Archive, EntryHead
from shard.index.base import Accept, IndexAnswer, IndexHit, TitleHit
from shard.index.blob import Blob
from shard.index.lexicon import IndexLexicon
from shard.index.spelling import Spelling, spellings
from shard.index.titles import Candidate, TitleSource, look_up
from shard.index.unspaced import AnyOf, runs_of
from shard.languages import iso_639_1

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
_FOREIGN = (
    xapian.Error,
    OSError,
    ValueError,
    ArithmeticError,
    LookupError,
    RuntimeError,
    MemoryError,
)
_WORD = re.compile(r"\w+")
_PLAIN_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_@].*)?")
_ANCHOR = "0posanchor"
"""First term of every title that libzim indexed since 2021: a phrase after it is a beginning."""

_MAX_EXPANSION = 200
_SHORTEST_PREFIX = 3
_COMPLETE = 1000
"""Titles from which on a word on its own is taken for a complete one."""

_MOST_TITLES = 200_000
"""Titles that the rarest word of a text may be in: reading more takes a tenth of a second. The
page called "The" is still found by its path."""


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
        with _reading("full-text index"):
            self._db = _open(archive.path, blob)
            self._vocabulary = Vocabulary(self._db, archive.language)
            self.documents = int(self._db.get_doccount())
            self.total_length = int(self._db.get_total_length())
        self._paths = _PathForm(self._db, archive)

    def query(self, words: Sequence[str], limit: int, accept: Accept) -> IndexAnswer:
        """Return the best documents by BM25 over this archive's own statistics."""
        with _reading("full-text index"):
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
        with _reading("full-text index"):
            return spellings(IndexLexicon(self, self._titles), word, beside, limit)

    def stems(self, start: str, but: str) -> Iterator[str]:
        """Yield the terms that begin with ``start`` but not with ``but``, unless that is empty."""
        return _terms_starting(self._db, start, but)

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
        return _together([int(self._db.get_termfreq(term)) for term in group], group)

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
        columns = [_word_counts(self._db, group, ordered) for group in terms]
        return {
            document: tuple(column[row] for column in columns)
            for row, document in enumerate(ordered)
        }


class XapianTitles:
    """The title database inside an archive.

    Raises:
        ShardFault: The database cannot be opened or read.
    """

    def __init__(self, archive: Archive, blob: Blob) -> None:
        with _reading("title index"):
            self._db = _open(archive.path, blob)
            self._anchored = int(self._db.get_termfreq(_ANCHOR)) > 0
            self._stop = _stop_words(self._db)
        self._paths = _PathForm(self._db, archive)

    def beginning(self, text: str, limit: int) -> list[Candidate]:
        """Return titles that begin with the words of ``text``, the shortest first."""
        with _reading("title index"):
            terms = self._terms(text)
            if is_cjk(text):
                # N-grams have no order of their own.
                return self._candidates(self._containing(terms), limit)
            whole = [_ANCHOR, *terms] if self._anchored else terms
            query = xapian.Query(xapian.Query.OP_PHRASE, whole)
            return self._candidates(query, limit) if self._bounded(terms) else []

    def containing(self, text: str, limit: int) -> list[Candidate]:
        """Return titles that have every word of ``text``, the last one as a prefix."""
        with _reading("title index"):
            terms = self._terms(text)
            return self._candidates(self._containing(terms), limit)

    def words(self, start: str, but: str) -> Iterator[str]:
        """Yield the words of titles that begin with ``start`` but not with ``but``."""
        with _reading("title index"):
            yield from _terms_starting(self._db, start, but)

    def having(self, word: str) -> int:
        """Return how many titles have ``word``."""
        with _reading("title index"):
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
        found = [self._uncasefolded(term) for term in _terms(text)]
        return [term for term in found if term not in self._stop or self._db.term_exists(term)]

    def _uncasefolded(self, term: str) -> str:
        spellings = [] if self._db.term_exists(term) else _uncasefolded(term)
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


class Vocabulary:
    """How an index turns words into terms: its stemmer and its stop words."""

    def __init__(self, db: xapian.Database, archive_language: str) -> None:
        spelling = db.get_metadata("language").decode(errors="replace")
        self._stemmer = _stemmer(spelling, archive_language)
        self._stop = _stop_words(db)
        self._db = db

    @property
    def stems(self) -> bool:
        """Whether terms are stems of words."""
        return self._stemmer is not None

    def stem(self, word: str) -> str:
        """Return the term of a word."""
        bare = unaccent(word.casefold())
        return bare if self._stemmer is None else _stemmed(self._stemmer, bare)

    def terms_of(self, words: Sequence[str]) -> list[list[str]]:
        """Return the terms of each word: several for CJK, none for a stop word.

        Stop words only go while other words remain.
        """
        content = [word for word in words if unaccent(word) not in self._stop]
        return [self._terms(word) if word in content or not content else [] for word in words]

    def _terms(self, word: str) -> list[str]:
        terms = _terms(word, self._stemmer)
        if is_cjk(word):
            # Single characters say little; those of a word alone are all there is.
            return [term for term in terms if len(term) > 1] or terms
        if self._known(terms):
            return terms
        if is_unspaced(word):
            return runs_of(unaccent(word), self._terms_from, self._db.term_exists)
        # What libzim indexed was neither casefolded nor, perhaps, stemmed by today's stemmer.
        spellings = [_terms(spelling, self._stemmer) for spelling in _uncasefolded(word)]
        return next(filter(self._known, [*spellings, _terms(word)]), terms)

    def _terms_from(self, start: bytes) -> Iterator[str]:
        return (term.term.decode(errors="replace") for term in self._db.allterms(start))

    def _known(self, terms: Sequence[str]) -> bool:
        return all(self._db.term_exists(term) for term in terms)


@dataclass(frozen=True, slots=True)
class _Match:
    document: int
    weight: float
    length: int
    head: EntryHead


class _PathForm:
    """How documents of a database name their entry.

    With ``data=fullPath`` in the database's metadata the namespace comes first, which libzim leaves
    out of paths in archives of the new scheme. Without it the text is the path.
    """

    def __init__(self, db: xapian.Database, archive: Archive) -> None:
        full = db.get_metadata("data") == b"fullPath"
        self._skip = 2 if full and archive.new_namespaces else 0

    def entry_path(self, data: bytes) -> str:
        return data.decode(errors="replace")[self._skip :]


def _open(path: Path, blob: Blob) -> xapian.Database:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    os.lseek(file, blob.offset, os.SEEK_SET)
    # The database owns the descriptor from here on, and closes it also when it fails to open.
    return xapian.Database(file)


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Translate what Xapian raises; all of it means damage, since we only read.

    Some damage is not noticed as such by Xapian and shows as an error of the C++ library, which the
    bindings make a RuntimeError, MemoryError or IndexError.
    """
    try:
        yield
    except _FOREIGN as exc:
        reason = " ".join(str(exc).split()) or type(exc).__name__
        raise ShardFault(f"{what} is damaged: {reason[:200]}") from exc


def _words_starting(text: str, start: str) -> set[str]:
    """Return the words of ``text`` that begin with the letters ``start``, in small letters."""
    small = normalize("NFC", text.lower())
    if not start.isascii():
        return set(_WORD.findall(small))
    # Looking back is left to the second step: a pattern that begins with letters is found fast.
    found = re.finditer(rf"{re.escape(start)}\w*", small)
    return {match[0] for match in found if not small[match.start() - 1 : match.start()].isalnum()}


def _terms_starting(db: xapian.Database, start: str, but: str) -> Iterator[str]:
    """Yield the terms that begin with ``start`` but not with ``but``, in the order of their bytes.

    Terms with a capital are those of Xapian's own prefixes, or say where a title begins.
    """
    terms = db.allterms(start.encode())
    for term in terms:
        text = term.term.decode(errors="replace")
        while but and text.startswith(but):
            try:
                text = terms.skip_to(but.encode() + b"\xff").term.decode(errors="replace")
            except StopIteration:
                return
        yield text


def _terms(text: str, stemmer: xapian.Stem | None = None) -> list[str]:
    """Return the distinct terms of ``text`` in order, as libzim's indexer makes them."""
    generator = xapian.TermGenerator()
    generator.set_flags(xapian.TermGenerator.FLAG_CJK_NGRAM)
    if stemmer is not None:
        generator.set_stemmer(stemmer)
        generator.set_stemming_strategy(xapian.TermGenerator.STEM_ALL)
    terms: dict[str, None] = {}
    for word in unaccent(text.lower()).split():
        document = xapian.Document()
        generator.set_document(document)
        generator.index_text(word)
        found = [(min(term.positer, default=0), term.term.decode()) for term in document.termlist()]
        terms.update(dict.fromkeys(term for _, term in sorted(found)))
    return list(terms)


def _uncasefolded(word: str) -> list[str]:
    """Return what may have been ``word`` before casefolding, which libzim does not do."""
    spellings = []
    if "ss" in word:
        spellings.append(word.replace("ss", "ß"))
    if word.endswith("σ"):
        spellings.append(word[:-1] + "ς")
    return spellings


def _stemmer(spelling: str, archive_language: str) -> xapian.Stem | None:
    """Return the stemmer that libzim chose for an index of this language, if Xapian has one.

    It takes a locale: a list of languages, or a code with anything around it, has no stemmer. An
    index that does not name its language was made for that of its archive.
    """
    code = iso_639_1(spelling) if _PLAIN_CODE.fullmatch(spelling) else ""
    code = code if spelling else archive_language
    try:
        return xapian.Stem(code) if code else None
    except xapian.InvalidArgumentError:
        return None


def _stemmed(stemmer: xapian.Stem, word: str) -> str:
    return str(stemmer(word).decode(errors="replace"))


def _stop_words(db: xapian.Database) -> frozenset[str]:
    return frozenset(db.get_metadata("stopwords").decode(errors="replace").split("\n"))


def _word_counts(db: xapian.Database, group: Sequence[str], documents: Sequence[int]) -> list[int]:
    columns = [_term_counts(db, term, documents) for term in group]
    rows = zip(*columns, strict=True)
    return [_together(counts, group) for counts in rows] or [0] * len(documents)


def _together(counts: Sequence[int], group: Sequence[str]) -> int:
    """Return the count of a word that is several terms: the lower median of theirs.

    Where any of the terms is the word, that is their sum. Of a short CJK word it is the rarest
    pair of characters. A run of CJK text that is a whole question counts where most of its pairs
    are; no document has them all.
    """
    if isinstance(group, AnyOf):
        return sum(counts)
    return sorted(counts)[(len(counts) - 1) // 2] if counts else 0


def _term_counts(db: xapian.Database, term: str, documents: Sequence[int]) -> list[int]:
    """Return the count of a term in each document; ``documents`` ascend, as posting lists do."""
    postings = db.postlist(term)
    counts = []
    current = None
    for document in documents:
        if current is None or current.docid < document:
            try:
                current = postings.skip_to(document)
            except StopIteration:
                break
        counts.append(int(current.wdf) if current.docid == document else 0)
    return counts + [0] * (len(documents) - len(counts))
