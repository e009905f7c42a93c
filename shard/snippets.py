"""What the result list shows of a document: snippet, section hints and passage evidence."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from common import text as words_of
from common.frames import Preview, SectionEntry
from shard.document import Document

MAX_SNIPPET_CHARS: Final = 300

WINDOW_WORDS: Final = 60
"""Words of one passage. Measured in DESIGN 3: long articles stop losing to short notes."""

MAX_HINTS: Final = 3

_MIN_HINT_SHARE: Final = 0.5
"""Share of the query's weight that a section's best passage must hold to be a clear match."""

_TITLE_BONUS: Final = 0.5
"""What a query word in a section's title adds to its weight in the text."""

_MAX_SCANNED_CHARS: Final = 2_000_000
"""Text looked at per document; enough for the longest article, bounded for a dump."""

_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]?[^\W_a-z])|(?<=[。！？｡؟])")


class _Unit(NamedTuple):
    """A paragraph of a section."""

    section: int
    text: str
    prose: bool


class _Match(NamedTuple):
    """Query word number ``term`` at word ``position`` of unit ``unit``, characters from-to."""

    position: int
    term: int
    unit: int
    start: int


@dataclass(frozen=True, slots=True)
class _Window:
    """The best passage of a stretch of text."""

    share: float
    unit: int
    start: int


def preview(
    document: Document,
    path: str,
    words: Sequence[str],
    weights: Sequence[float],
    stem: Callable[[str], str],
) -> Preview:
    """Return what the result list shows of ``document``.

    The passage is the largest share of the query's weight that `WINDOW_WORDS` words of one
    section hold together, title words of the section counted in part.
    """
    terms = _Terms(words, weights, stem)
    units = list(_units(document))
    matches = list(_matches(units, terms))
    windows = _best_windows(units, matches, terms)
    best = max(windows.values(), key=lambda window: window.share, default=None)
    return Preview(
        path=path,
        title=document.title,
        snippet=_snippet(units, matches, terms),
        sections=_hints(document, windows, terms),
        passage=round(best.share, 4) if best else 0.0,
    )


class _Terms:
    """The query's words by their stems, with the share of the query's weight each has."""

    def __init__(
        self, words: Sequence[str], weights: Sequence[float], stem: Callable[[str], str]
    ) -> None:
        self._stem = stem
        self._cache: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        for number, word in enumerate(words):
            self._stems.setdefault(self._folded(word), number)
        total = sum(weights) or 1.0
        self.shares = [weight / total for weight in weights]

    def _folded(self, word: str) -> str:
        return self._stem(words_of.unaccent(word))

    def find(self, word: str) -> int:
        """Return the number of the query word that ``word`` is, or -1."""
        found = self._cache.get(word)
        if found is None:
            found = self._stems.get(self._folded(word), -1)
            self._cache[word] = found
        return found

    def share(self, found: set[int]) -> float:
        """Return the share of the query's weight that these words have."""
        return sum(self.shares[term] for term in found)


_WORD = re.compile(r"[\w\u0300-\u036f]+(?:['’][\w]+)*[+#]{0,3}")


def _units(document: Document) -> Iterator[_Unit]:
    left = _MAX_SCANNED_CHARS
    for place, _ in enumerate(document.sections):
        for paragraph in document.paragraphs(place):
            yield _Unit(place, paragraph.text[:left], paragraph.prose)
            left -= len(paragraph.text)
            if left <= 0:
                return


def _matches(units: Sequence[_Unit], terms: _Terms) -> Iterator[_Match]:
    position = 0
    for number, unit in enumerate(units):
        for word in _WORD.finditer(unit.text):
            term = terms.find(word.group().casefold().replace("’", "'"))
            if term >= 0:
                yield _Match(position, term, number, word.start())
            position += 1


def _best_windows(
    units: Sequence[_Unit], matches: Sequence[_Match], terms: _Terms
) -> dict[int, _Window]:
    """Return the best window of each section that has a match."""
    by_section: dict[int, list[_Match]] = {}
    for match in matches:
        by_section.setdefault(units[match.unit].section, []).append(match)
    return {place: _best_window(found, terms) for place, found in by_section.items()}


def _best_window(matches: Sequence[_Match], terms: _Terms) -> _Window:
    best = _Window(0.0, matches[0].unit, matches[0].start)
    counts: dict[int, int] = {}
    first = 0
    for match in matches:
        counts[match.term] = counts.get(match.term, 0) + 1
        while match.position - matches[first].position >= WINDOW_WORDS:
            gone = matches[first].term
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            first += 1
        share = terms.share(set(counts))
        if share > best.share + 1e-9:
            best = _Window(share, matches[first].unit, matches[first].start)
    return best


def _hints(document: Document, windows: dict[int, _Window], terms: _Terms) -> list[SectionEntry]:
    """Return the sections that clearly match, best first, ties in document order."""
    scored: list[tuple[float, int]] = []
    lead = windows[0].share if 0 in windows else 0.0
    for place, section in enumerate(document.sections):
        if section.level == 1:
            continue
        text = windows[place].share if place in windows else 0.0
        title = _title_share(section.title, terms)
        score = text + _TITLE_BONUS * title
        if text > 0 and (text >= _MIN_HINT_SHARE or title >= _MIN_HINT_SHARE) and score > lead:
            scored.append((-score, place))
    best = sorted(scored)[:MAX_HINTS]
    if best:
        floor = best[0][0] * 0.75
        best = [entry for entry in best if entry[0] <= floor]
    return [SectionEntry(document.sections[p].id, document.sections[p].title) for _, p in best]


def _title_share(title: str, terms: _Terms) -> float:
    found = {terms.find(word.group().casefold()) for word in _WORD.finditer(title)}
    return terms.share(found - {-1})


def _snippet(units: Sequence[_Unit], matches: Sequence[_Match], terms: _Terms) -> str:
    """Return whole sentences around the best cluster of matches, else the first sentence."""
    prose = [match for match in matches if units[match.unit].prose]
    candidates = prose or matches
    best = _best_sentences(units, candidates, terms)
    if best:
        return best
    for unit in units:
        if unit.prose:
            return _fitted([unit.text[a:b] for a, b in _sentences(unit.text)], 0)
    return _shortened(units[0].text) if units else ""


def _best_sentences(units: Sequence[_Unit], matches: Sequence[_Match], terms: _Terms) -> str:
    by_unit: dict[int, list[_Match]] = {}
    for match in matches:
        by_unit.setdefault(match.unit, []).append(match)
    best_score, best = 0.0, ""
    for number, found in by_unit.items():
        score, place = _best_sentence(units[number].text, found, terms)
        if score > best_score + 1e-9:
            spans = _sentences(units[number].text)
            best_score = score
            best = _fitted([units[number].text[a:b] for a, b in spans], place)
    return best


def _best_sentence(text: str, matches: Sequence[_Match], terms: _Terms) -> tuple[float, int]:
    """Return the score and the place of the sentence with most of the query's weight.

    A neighbour that fits beside it counts half.
    """
    spans = _sentences(text)
    starts = [start for start, _ in spans]
    held: dict[int, set[int]] = {}
    for match in matches:
        held.setdefault(bisect_right(starts, match.start) - 1, set()).add(match.term)
    best, place = 0.0, 0
    for number, found in held.items():
        around = held.get(number + 1, set()) | held.get(number - 1, set())
        score = terms.share(found) + 0.5 * terms.share(around - found)
        if score > best + 1e-9:
            best, place = score, number
    return best, place


def _sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of ``text`` begin and end."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE.finditer(text):
        spans.append((start, match.start() + len(match.group().rstrip())))
        start = match.end()
    if start < len(text) or not spans:
        spans.append((start, len(text)))
    return spans


def _fitted(sentences: Sequence[str], place: int) -> str:
    """Return the sentence at ``place`` with as many of its neighbours as fit, at most three."""
    first = sentences[place].strip()
    if len(first) > MAX_SNIPPET_CHARS:
        return _shortened(first)
    chosen = [first]
    for neighbour in (place + 1, place - 1):
        if not 0 <= neighbour < len(sentences) or len(chosen) == 3:
            continue
        sentence = sentences[neighbour].strip()
        if len(" ".join(chosen)) + 1 + len(sentence) > MAX_SNIPPET_CHARS:
            continue
        chosen = [*chosen, sentence] if neighbour > place else [sentence, *chosen]
    return " ".join(chosen)


def _shortened(text: str) -> str:
    if len(text) <= MAX_SNIPPET_CHARS:
        return text
    cut = text.rfind(" ", 0, MAX_SNIPPET_CHARS - 1)
    return text[: cut if cut > 0 else MAX_SNIPPET_CHARS - 1].rstrip(" ,;:") + "…"
