"""Where the sentences of a text begin and end."""

import re
from typing import Final

_END = re.compile(
    r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[¿¡]?[^\W_a-z])|(?<=[。！？｡؟])"
)  # fmt: skip
"""White space after a closing mark and before what may begin a sentence."""

_COMPLETE = re.compile(r"[.!?…。！？｡؟][\"'”’»)\]]*\Z")

_LAST_WORD = re.compile(r"([^\W\d_]+)\.\Z")

_ABBREVIATIONS: Final = frozenset({
    "al", "approx", "bd", "bzw", "ca", "capt", "cf", "co", "col", "corp", "dept", "dr", "ed",
    "eds", "esp", "etc", "fig", "figs", "ft", "gen", "gov", "hon", "hrsg", "inc", "jr", "lt",
    "ltd", "min", "mme", "mr", "mrs", "ms", "mt", "nr", "no", "op", "pp", "prof", "rep", "resp",
    "rev", "sen", "sgt", "sq", "sr", "st", "str", "vgl", "vol", "vols", "vs", "гг", "им", "см",
    "ст", "стр", "ул", "зв",
})  # fmt: skip
"""Words whose full stop ends no sentence; nor does a single letter's (``e.g.``, ``J.``)."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of ``text`` begin and end.

    A text without a closing mark is one sentence.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        end = match.start() + len(match.group().rstrip())
        if _is_abbreviation(text[start:end]):
            continue
        spans.append((start, end))
        start = match.end()
    if start < len(text) or not spans:
        spans.append((start, len(text)))
    return spans


def is_complete(sentence: str) -> bool:
    """Tell whether a sentence ends as sentences do."""
    return _COMPLETE.search(sentence) is not None


def _is_abbreviation(sentence: str) -> bool:
    match = _LAST_WORD.search(sentence[-12:])
    if match is None:
        return False
    word = match.group(1)
    return len(word) == 1 or word.casefold() in _ABBREVIATIONS
