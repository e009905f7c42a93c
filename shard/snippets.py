"""What the result list shows of a document: snippet, section hints and passage evidence."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final

from common.frames import Preview, SectionEntry
from shard.definitions import Definition
from shard.document import Document
from shard.passages import LABELS, Match, Terms, Unit, best_share, by_section, matches_of, units_of
from shard.sentences import is_complete, sentences

MAX_SNIPPET_CHARS: Final = 300
MAX_SENTENCES: Final = 3
MAX_HINTS: Final = 3

_CLEAR_TEXT: Final = 0.6
_CLEAR_TITLE: Final = 0.5
"""Shares of what the query asks beyond the page's title that make a section a clear match: held
by one passage of it, or by its title."""

_CLEAR_WHOLE_TITLE: Final = 0.15
"""The same for a title all of whose words are in the query."""

_MIN_BEYOND_TITLE: Final = 0.15
"""Below this share the query only names the page: no section of it is meant."""

_CLOSE_TO_BEST: Final = 0.75
"""Share of the best hint's score that another one must reach."""

_SHORT_SENTENCE: Final = 30
"""A sentence of fewer characters is a label; it counts half."""

_FEW_SPACES: Final = 3
"""What has fewer is a term; the lead's first sentence says more."""

_INCOMPLETE: Final = 0.75
"""What a sentence without a closing mark counts: it may be an item or a label."""


def preview(  # noqa: PLR0913 - a query and a page
    document: Document,
    path: str,
    words: Sequence[str],
    weights: Sequence[float],
    stem: Callable[[str], str],
    *,
    defined: Sequence[Definition] = (),
) -> Preview:
    """Return what the result list shows of ``document``.

    ``passage`` is the largest share of the query's weight that one window of a section holds
    together, whatever the section. Sections that define what the query asks for come first among
    the hints, and the first of them that has prose gives the snippet.
    """
    terms = Terms(words, weights, stem)
    units = units_of(document)
    matches = matches_of(units, terms)
    sections = by_section(units, matches)
    passage = max((best_share(found, terms.shares) for found in sections.values()), default=0.0)
    return Preview(
        path=path,
        title=document.title,
        snippet=_defining(units, terms, defined) or _snippet(units, matches, terms),
        sections=_merged(defined, _hints(document, sections, terms)),
        passage=round(passage, 4),
    )


def _hints(
    document: Document, sections: dict[int, list[Match]], terms: Terms
) -> list[SectionEntry]:
    """Return the sections that clearly match, best first, ties in document order.

    Words of the page's title are in every section of it and tell none from another.
    """
    named = terms.in_text(document.title)
    shares = [0.0 if term in named else share for term, share in enumerate(terms.shares)]
    beyond = sum(shares)
    if beyond < _MIN_BEYOND_TITLE:
        return []
    shares = [share / beyond for share in shares]
    lead = best_share(sections.get(0, ()), shares) if document.sections[0].level == 1 else 0.0
    scored: list[tuple[float, int]] = []
    for place, found in sections.items():
        section = document.sections[place]
        text = best_share(found, shares)
        title = sum(shares[term] for term in terms.in_text(section.title))
        # "Box office" is meant when the query has both words, whatever else it has.
        enough = _CLEAR_WHOLE_TITLE if terms.has_all(section.title) else _CLEAR_TITLE
        clear = text >= _CLEAR_TEXT or (title >= enough and text > 0)
        if section.level > 1 and clear and text + title > lead:
            scored.append((-(text + title), place))
    best = sorted(scored)[:MAX_HINTS]
    kept = [place for score, place in best if score <= best[0][0] * _CLOSE_TO_BEST]
    return [SectionEntry(document.sections[p].id, document.sections[p].title) for p in kept]


def _merged(defined: Sequence[Definition], hints: Sequence[SectionEntry]) -> list[SectionEntry]:
    first = {one.id: SectionEntry(one.id, one.title) for one in defined}
    others = [hint for hint in hints if hint.id not in first]
    return [*first.values(), *others][:MAX_HINTS]


def _defining(units: Sequence[Unit], terms: Terms, defined: Sequence[Definition]) -> str:
    """Return the snippet from the first section that has prose among those that define."""
    for place in (one.place for one in defined):
        own = [unit for unit in units if unit.section == place and unit.prose]
        if own:
            best = _snippet(own, matches_of(own, terms), terms)
            # A signature alone says little: what follows says what it does.
            following = sentences(own[1].text) if own[1:] and own[0].text.endswith(best) else []
            return _fitted([best, *(own[1].text[begin:end] for begin, end in following)], 0)
    return ""


def _snippet(units: Sequence[Unit], matches: Sequence[Match], terms: Terms) -> str:
    """Return whole sentences around the best cluster of matches, else the first sentence."""
    prose = [match for match in matches if units[match.unit].prose]
    others = [match for match in matches if _says_something(units[match.unit].text)]
    best = _best_sentences(units, prose or others, terms)
    if best:
        return best
    prose_units = [unit for unit in units if unit.prose]
    complete = (unit for unit in prose_units if is_complete(unit.text))
    first = next(complete, prose_units[0] if prose_units else None)
    if first is not None:
        return _fitted([first.text[a:b] for a, b in sentences(first.text)], 0)
    return _shortened(units[0].text) if units else ""


def _says_something(text: str) -> bool:
    """Tell tables and listings from terms and labels."""
    return text.count(" ") >= _FEW_SPACES and not text.startswith(LABELS)


def _best_sentences(units: Sequence[Unit], matches: Sequence[Match], terms: Terms) -> str:
    by_unit: dict[int, list[Match]] = {}
    for match in matches:
        by_unit.setdefault(match.unit, []).append(match)
    best_score, best_unit, best_place = 0.0, -1, 0
    for number, found in by_unit.items():
        if terms.share({match.term for match in found}) <= best_score:
            continue
        score, place = _best_sentence(units[number].text, found, terms)
        if score > best_score + 1e-9:
            best_score, best_unit, best_place = score, number, place
    if best_unit < 0:
        return ""
    text = units[best_unit].text
    return _fitted([text[begin:end] for begin, end in sentences(text)], best_place)


def _best_sentence(text: str, matches: Sequence[Match], terms: Terms) -> tuple[float, int]:
    """Return the score and the place of the sentence with most of the query's weight.

    What only its neighbours have counts half.
    """
    spans = sentences(text)
    starts = [start for start, _ in spans]
    held: dict[int, set[int]] = {}
    for match in matches:
        held.setdefault(max(0, bisect_right(starts, match.start) - 1), set()).add(match.term)
    best, place = 0.0, 0
    for number, found in held.items():
        around = held.get(number + 1, set()) | held.get(number - 1, set())
        score = terms.share(found) + 0.5 * terms.share(around - found)
        begin, end = spans[number]
        score *= 0.5 if end - begin < _SHORT_SENTENCE else 1.0
        score *= 1.0 if is_complete(text[begin:end]) else _INCOMPLETE
        if score > best + 1e-9:
            best, place = score, number
    return best, place


def _fitted(texts: Sequence[str], place: int) -> str:
    """Return the sentence at ``place`` with as many of its neighbours as fit, at most three.

    One that ends in a colon announces what is not shown, and is no neighbour.
    """
    first = texts[place].strip()
    if len(first) > MAX_SNIPPET_CHARS:
        return _shortened(first)
    chosen = [first]
    for neighbour in (place + 1, place - 1):
        if not 0 <= neighbour < len(texts) or len(chosen) == MAX_SENTENCES:
            continue
        sentence = texts[neighbour].strip()
        too_long = len(" ".join(chosen)) + 1 + len(sentence) > MAX_SNIPPET_CHARS
        if too_long or sentence.endswith(":"):
            continue
        chosen = [*chosen, sentence] if neighbour > place else [sentence, *chosen]
    return " ".join(chosen)


def _shortened(text: str) -> str:
    if len(text) <= MAX_SNIPPET_CHARS:
        return text
    cut = text.rfind(" ", 0, MAX_SNIPPET_CHARS - 1)
    return text[: cut if cut > 0 else MAX_SNIPPET_CHARS - 1].rstrip(" ,;:") + "…"
