"""What a query asks for: its text for the look-up among titles, its words for the full-text index.

The words are those of `common.text.words`, so that a word of the query is a word of the index.
Stemming is the shard's affair: each stems in the language of its own archive.
"""

import unicodedata
from dataclasses import dataclass

from common.errors import InvalidQuery
from common.text import normalise, words
from gateway.stopwords import likely_stop_words

MAX_WORDS = 32
"""Distinct words of one query that are searched for: each costs a posting list in every archive."""

MAX_WORD_CHARS = 64
"""Xapian's term generator leaves out longer words, so no index holds one."""

MAX_TEXT_CHARS = 2000
"""Of a longer query the rest is not read: 32 words of 64 characters fit."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A query, taken apart.

    Attributes:
        text: The whole query, normalised, as it is looked up among titles.
        words: Its distinct words, casefolded, in query order, without stop words while others
            remain; 1 to `MAX_WORDS` of at most `MAX_WORD_CHARS` characters.
        corrections: Words that whoever asked spelt otherwise, each with what stands for it.
    """

    text: str
    words: tuple[str, ...]
    corrections: tuple[tuple[str, str], ...] = ()


def analyse(query: str) -> Analysis:
    """Take a query apart.

    Archives whose language is a three-letter code, the usual case, were indexed without stop
    words, so the words that only ask ("how do I") are left out here, or every long page would
    match them. They stay if nothing else is left ("the who"). Pictures are words where there are
    no others: no text is found by them, but titles are.

    Raises:
        InvalidQuery: It holds no word.
    """
    text = normalise(query[:MAX_TEXT_CHARS])
    spoken = [word[:MAX_WORD_CHARS] for word in words(text) or _pictures(text)]
    if not spoken:
        raise InvalidQuery("the query holds no word: write the words that the page should contain")
    names = _capitals(text)
    stop = likely_stop_words(spoken)
    content = [word for word in spoken if word not in stop or word in names]
    return Analysis(text, tuple(dict.fromkeys(content or spoken))[:MAX_WORDS])


def _pictures(text: str) -> list[str]:
    """Return what holds an emoji or a like symbol; punctuation and signs of money are none."""
    return [word for word in text.split() if any(unicodedata.category(c) == "So" for c in word)]


def _capitals(text: str) -> frozenset[str]:
    """Return the casefolded words that stand in capitals, hence name something: WHO, IT, vitamin A.

    Not "I", not the first word, whose capital says nothing if it is one letter, and none at all
    in a text without small letters.
    """
    if text.upper() == text:
        return frozenset()
    first, *rest = text.split(" ")
    named = [spelt for spelt in rest if spelt.isupper() and spelt.strip("?!.,") != "I"]
    if len(first) > 1 and first.isupper():
        named.append(first)
    return frozenset(word for spelt in named for word in words(spelt))
