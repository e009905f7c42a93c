"""What a worker was working on, in sixteen bytes.

Two requests have the same fingerprint when they would meet the same fault: a query by its words, a
document and a preview by the page, whatever else they ask. The archive's UUID is part of it, so
that a newer edition starts without a record.
"""

import hashlib
from collections.abc import Iterable

from common.frames import (
    DescribeRequest,
    DocumentRequest,
    PreviewRequest,
    QueryRequest,
    Request,
    SpellRequest,
)

SIZE = 16
"""Bytes of a fingerprint."""

NOTHING = bytes(SIZE)
"""Of work that is never held against a request: opening the archive, describing it."""

MAX_LABEL_CHARS = 120


def of_request(request: Request) -> bytes:
    """Return the fingerprint of ``request``; that of a preview covers all its pages."""
    if isinstance(request, DescribeRequest):
        return NOTHING
    if isinstance(request, DocumentRequest):
        return of_page(request.archive, request.path)
    if isinstance(request, PreviewRequest):
        return _digest("preview", request.archive, *request.words, "", *request.paths)
    if isinstance(request, SpellRequest):
        return _digest("spell", request.archive, *request.words)
    return _digest("query", request.archive, request.text, *request.words)


def of_page(archive: str, path: str) -> bytes:
    """Return the fingerprint of work on one page."""
    return _digest("page", archive, path)


def label(request: Request, *, with_text: bool) -> str:
    """Return what an operator reads in the log; query text only where the settings allow it."""
    if isinstance(request, DocumentRequest):
        return f"document {request.path}"[:MAX_LABEL_CHARS]
    if isinstance(request, QueryRequest) and with_text:
        return f"query {request.text}"[:MAX_LABEL_CHARS]
    if isinstance(request, PreviewRequest):
        return f"preview of {len(request.paths)}"
    return str(request.__struct_config__.tag)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b(_joined(parts), digest_size=SIZE).digest()


def _joined(parts: Iterable[str]) -> bytes:
    # Lengths in front, so that no two lists of parts give the same bytes.
    encoded = (part.encode("utf-8", "surrogatepass") for part in parts)
    return b"".join(b"%d:%b" % (len(part), part) for part in encoded)
