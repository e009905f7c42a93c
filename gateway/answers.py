"""What the two tools return, as the public contract spells it; fields are JSON keys."""

import msgspec

from common.errors import DegradedReason
from common.frames import Kind, SectionContent, SectionEntry


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a search."""

    ref: str
    library: str
    kind: Kind
    title: str
    snapshot: str
    snippet: str
    relevant_sections: list[SectionEntry]


class Degraded(msgspec.Struct, frozen=True):
    """A library that is missing from the results, and why."""

    library: str
    reason: DegradedReason


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What search returns; ``degraded`` and ``note`` only if there is something to say."""

    results: list[Hit]
    degraded: list[Degraded] = []
    note: str = ""


class FetchAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What fetch returns; ``more_sections`` counts what ``available_sections`` leaves out."""

    ref: str
    library: str
    kind: Kind
    title: str
    snapshot: str
    sections: list[SectionContent]
    available_sections: list[SectionEntry]
    more_sections: int = 0
    truncated: bool


MAX_HIT_BYTES = 1200
"""UTF-8 bytes of JSON per result on average, so that five results stay under 6 KB."""

MAX_TITLE_CHARS = 200

_SNIPPET_CHARS = (300, 200, 120, 60, 0)
_SECTIONS = (3, 2, 1, 0)


def fit(answer: SearchAnswer) -> SearchAnswer:
    """Return ``answer`` within its size: five results under 6 KB, more of them in proportion.

    Scripts of three bytes per character and long section titles need it. The snippet gives way
    first, down to a third, then the section hints, then what is left of the snippet. References
    are never cut.
    """
    most = MAX_HIT_BYTES * max(5, len(answer.results))
    if _size(answer) <= most:
        return answer
    own = _size(msgspec.structs.replace(answer, results=[]))
    share = max(0, most - own) // max(1, len(answer.results)) - 1
    return msgspec.structs.replace(answer, results=[_fit_hit(hit, share) for hit in answer.results])


def _fit_hit(hit: Hit, share: int) -> Hit:
    smaller = msgspec.structs.replace(hit, title=_cut(hit.title, MAX_TITLE_CHARS))
    for chars, sections in _steps():
        if _size(smaller) <= share:
            break
        smaller = msgspec.structs.replace(
            smaller,
            snippet=_cut(hit.snippet, chars),
            relevant_sections=hit.relevant_sections[:sections],
        )
    return smaller


def _steps() -> list[tuple[int, int]]:
    first = [(chars, _SECTIONS[0]) for chars in _SNIPPET_CHARS[:3]]
    second = [(_SNIPPET_CHARS[2], sections) for sections in _SECTIONS[1:]]
    return [*first, *second, *((chars, 0) for chars in _SNIPPET_CHARS[3:])]


def _cut(text: str, chars: int) -> str:
    if len(text) <= chars:
        return text
    if not chars:
        return ""
    head = text[: chars - 1]
    spaced = head.rpartition(" ")[0] if " " in head[chars // 2 :] else head
    return spaced + "…"


def _size(value: msgspec.Struct) -> int:
    return len(msgspec.json.encode(value))
