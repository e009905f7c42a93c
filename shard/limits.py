"""How much one request may ask for: far more than any gateway does, and a bounded amount of work.

A frame of 1 MiB can hold half a million texts, which would take 50 bytes each once decoded; so a
request is measured before it may wait.
"""

from common.errors import ProtocolError
from common.frames import (
    DocumentRequest,
    PreviewRequest,
    QueryRequest,
    Request,
    SpellRequest,
)

MAX_WORDS = 256
"""Words of one request; a gateway sends 32 at most, and each costs a posting list."""

MAX_HITS = 1000
"""Hits of one query; a gateway asks for 30."""

MAX_PATHS = 1000
"""Previews of one request; a gateway asks for some 15."""

MAX_SECTIONS = 1000
"""Sections of one request; a gateway passes on no more."""


def check(request: Request) -> None:
    """Refuse what no gateway asks for, and what would keep everybody else waiting.

    Raises:
        ProtocolError: It is too much.
    """
    if isinstance(request, QueryRequest):
        _at_most(MAX_WORDS, "words", request.words)
        if not 0 <= request.limit <= MAX_HITS:
            raise ProtocolError(f"expected a limit from 0 to {MAX_HITS}, got {request.limit}")
    elif isinstance(request, SpellRequest):
        _at_most(MAX_WORDS, "words", request.words)
        _at_most(MAX_WORDS, "words beside", request.beside)
    elif isinstance(request, PreviewRequest):
        _at_most(MAX_WORDS, "words", request.words)
        _at_most(MAX_WORDS, "weights", request.weights)
        _at_most(MAX_PATHS, "paths", request.paths)
    elif isinstance(request, DocumentRequest):
        _at_most(MAX_SECTIONS, "sections", request.sections)


def _at_most(most: int, what: str, given: list[str] | list[float]) -> None:
    if len(given) > most:
        raise ProtocolError(f"expected at most {most} {what}, got {len(given)}")
