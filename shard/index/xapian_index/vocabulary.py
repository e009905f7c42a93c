"""How one index turns words into terms."""

import re
from collections.abc import Iterator, Sequence

import xapian

from common.text import is_cjk, is_unspaced, unaccent
from shard.index.unspaced import runs_of
from shard.index.xapian_index.terms import stop_words, terms_in, uncasefolded
from shard.languages import iso_639_1

_PLAIN_CODE = re.compile(r"[A-Za-z]{2,3}(?:[-_@].*)?")


class Vocabulary:
    """How an index turns words into terms: its stemmer and its stop words."""

    def __init__(self, db: xapian.Database, archive_language: str) -> None:
        spelling = db.get_metadata("language").decode(errors="replace")
        self._stemmer = _stemmer(spelling, archive_language)
        self._stop = stop_words(db)
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
        terms = terms_in(word, self._stemmer)
        if is_cjk(word):
            # Single characters say little; those of a word alone are all there is.
            return [term for term in terms if len(term) > 1] or terms
        if self._known(terms):
            return terms
        if is_unspaced(word):
            return runs_of(unaccent(word), self._terms_from, self._db.term_exists)
        # What libzim indexed was neither casefolded nor, perhaps, stemmed by today's stemmer.
        spellings = [terms_in(spelling, self._stemmer) for spelling in uncasefolded(word)]
        return next(filter(self._known, [*spellings, terms_in(word)]), terms)

    def _terms_from(self, start: bytes) -> Iterator[str]:
        return (term.term.decode(errors="replace") for term in self._db.allterms(start))

    def _known(self, terms: Sequence[str]) -> bool:
        return all(self._db.term_exists(term) for term in terms)


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
