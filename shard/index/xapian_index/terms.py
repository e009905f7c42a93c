"""Words to the terms that libzim's indexer made of them, and how often those occur."""

from collections.abc import Iterator, Sequence

import xapian

from common.text import unaccent
from shard.index.unspaced import AnyOf


def terms_in(text: str, stemmer: xapian.Stem | None = None) -> list[str]:
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


def terms_starting(db: xapian.Database, start: str, but: str) -> Iterator[str]:
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


def uncasefolded(word: str) -> list[str]:
    """Return what may have been ``word`` before casefolding, which libzim does not do."""
    spellings = []
    if "ss" in word:
        spellings.append(word.replace("ss", "ß"))
    if word.endswith("σ"):
        spellings.append(word[:-1] + "ς")
    return spellings


def stop_words(db: xapian.Database) -> frozenset[str]:
    """Return the words that the index leaves out."""
    return frozenset(db.get_metadata("stopwords").decode(errors="replace").split("\n"))


def word_counts(db: xapian.Database, group: Sequence[str], documents: Sequence[int]) -> list[int]:
    """Return the count of a word, given as its terms, in each document; ``documents`` ascend."""
    columns = [_term_counts(db, term, documents) for term in group]
    rows = zip(*columns, strict=True)
    return [together(counts, group) for counts in rows] or [0] * len(documents)


def together(counts: Sequence[int], group: Sequence[str]) -> int:
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
