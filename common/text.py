"""Words and folding, the same on both sides of the wire.

`words` splits as Xapian's term generator does (the index of every archive was built with it), so
that a word of the query is a word of the index: letters, digits, marks and ``_`` belong to a word;
``'`` and ``&`` do between two letters; ``.`` and ``,`` do between two digits; up to three ``+`` or
``#`` at the end do (C++, C#).
"""

import re
import unicodedata

_BLOCKS_WITH_MARKS = ((0x300, 0x1E00), (0x2000, 0x3100), (0xA600, 0xAC00), (0xFB00, 0xFE30))
"""Where the basic plane has combining marks; looking through all of it takes five times as long,
in each process that starts."""


def _ranges_of_marks() -> str:
    """Return the combining marks of all scripts as the ranges of a character class."""
    marks = [
        code
        for first, last in _BLOCKS_WITH_MARKS
        for code in range(first, last)
        if unicodedata.category(chr(code))[0] == "M"
    ]
    known = frozenset(marks)
    starts = [code for code in marks if code - 1 not in known]
    ends = [code for code in marks if code + 1 not in known]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


MARKS = _ranges_of_marks()
"""What a word has besides what ``\\w`` means: vowels of Thai and of the scripts of India."""

_WORD = re.compile(
    rf"(?:(?<=\d)[.,](?=\d)|(?<=[\w{MARKS}])['’&·](?=\w)|[\w{MARKS}])+(?:[+#]{{1,3}}(?![+#\w]))?"
)
_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3031-\u303f\u3040-\u30ff\u3100-\u312f"
    "\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_NOT_WORD = re.compile(r"[^\w+#]+|_+")
_SPACES = re.compile(r"\s+")
_FOLDED_ASCII = "".join(
    char.lower() if char.isalnum() or char in "+#" else " " for char in map(chr, range(128))
)
"""What each ASCII character folds to: most titles are ASCII, and a search folds hundreds."""


_BASIC_PLANE = 0xFFFF


class _WithoutMarks(dict[int, int | None]):
    """A table for `str.translate` that learns each character when it first sees it.

    Only those of the basic plane, so that it stays under 10 MB whatever is asked.
    """

    def __missing__(self, code: int) -> int | None:
        kept = None if unicodedata.category(chr(code)).startswith("M") else code
        if code <= _BASIC_PLANE:
            self[code] = kept
        return kept


_WITHOUT_MARKS = _WithoutMarks()


def normalise(text: str) -> str:
    """Return ``text`` in NFKC with white space collapsed and control characters gone."""
    if text.isascii() and text.isprintable():
        return _SPACES.sub(" ", text).strip()
    composed = unicodedata.normalize("NFKC", text)
    if not composed.isprintable():
        composed = "".join(
            " " if unicodedata.category(char) in {"Cc", "Zs", "Zl", "Zp"} else char
            for char in composed
            if unicodedata.category(char) not in {"Cf", "Cs"}
        )
    return _SPACES.sub(" ", composed).strip()


def unaccent(text: str) -> str:
    """Return ``text`` without combining marks, as libzim does before it indexes."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", decomposed.translate(_WITHOUT_MARKS))


def words(text: str) -> list[str]:
    """Return the words of ``text``, casefolded, in order, with repetitions."""
    return [match.group().replace("’", "'") for match in _WORD.finditer(text.casefold())]


def fold(text: str) -> str:
    """Return the form in which two titles are the same title.

    Case, accents, white space, ``_`` and punctuation fold away, except ``+`` and ``#``, which tell
    C from C++ and C#. A text of nothing but punctuation folds to itself, casefolded.
    """
    if text.isascii() and (quick := text.translate(_FOLDED_ASCII).split()):
        return " ".join(quick)
    bare = unaccent(normalise(text).casefold())
    folded = _NOT_WORD.sub(" ", bare).strip()
    return _SPACES.sub(" ", folded) or _SPACES.sub(" ", bare).strip()


def is_cjk(text: str) -> bool:
    """Tell whether ``text`` holds a character that the index stores in n-grams."""
    return _CJK.search(text) is not None


def is_unspaced(text: str) -> bool:
    """Tell whether ``text`` is Thai, Lao, Khmer or Burmese: words without spaces, and no n-grams.

    The index takes what stands between two spaces for one word.
    """
    return _UNSPACED.search(text) is not None
