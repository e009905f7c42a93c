"""Requests to a shard, with what a test does not care about filled in."""

from common.frames import (
    DescribeRequest,
    DocumentRequest,
    PreviewRequest,
    QueryRequest,
    SpellRequest,
)

LIBRARY = "Rigged"
ARCHIVE = "00000000-0000-0000-0000-000000000001"


def describe(number: int = 1, *, library: str = LIBRARY) -> DescribeRequest:
    return DescribeRequest(request_id=number, library=library)


def query(
    text: str = "word",
    number: int = 1,
    *,
    library: str = LIBRARY,
    archive: str = ARCHIVE,
    budget: float = 10.0,
    limit: int = 10,
) -> QueryRequest:
    return QueryRequest(
        request_id=number,
        library=library,
        archive=archive,
        budget=budget,
        text=text,
        words=text.split(),
        limit=limit,
    )


def spell(
    *words: str,
    number: int = 1,
    beside: tuple[str, ...] = (),
    library: str = LIBRARY,
    archive: str = ARCHIVE,
    budget: float = 10.0,
) -> SpellRequest:
    return SpellRequest(
        request_id=number,
        library=library,
        archive=archive,
        budget=budget,
        words=list(words),
        beside=list(beside),
    )


def preview(
    *paths: str,
    number: int = 1,
    words: tuple[str, ...] = ("word",),
    library: str = LIBRARY,
    archive: str = ARCHIVE,
    budget: float = 10.0,
    text: str = "",
) -> PreviewRequest:
    return PreviewRequest(
        request_id=number,
        library=library,
        archive=archive,
        budget=budget,
        paths=list(paths),
        words=list(words),
        weights=[1.0] * len(words),
        text=text,
    )


def document(
    path: str = "page",
    number: int = 1,
    *,
    sections: tuple[str, ...] = (),
    library: str = LIBRARY,
    archive: str = ARCHIVE,
    budget: float = 10.0,
    max_chars: int = 100_000,
) -> DocumentRequest:
    return DocumentRequest(
        request_id=number,
        library=library,
        archive=archive,
        budget=budget,
        path=path,
        sections=list(sections),
        max_chars=max_chars,
    )
