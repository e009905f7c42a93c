"""One request to one reply: what a shard knows, without sockets, threads or processes.

`Leaf.answer` is an iterator, so that whoever drives it can let more urgent work pass: None means
"not yet", the last item is the reply. Every failure becomes an `ErrorReply`.
"""

import os
from collections.abc import Iterator, Sequence

from common.codec import error_reply
from common.deadline import Deadline
from common.errors import (
    CorpusError,
    DeadlineExceeded,
    Quarantined,
    RefNotFound,
    ShardFault,
    WrongArchive,
)
from common.frames import (
    PROTOCOL_VERSION,
    DescribeReply,
    DescribeRequest,
    DocumentReply,
    DocumentRequest,
    LightHit,
    Preview,
    PreviewReply,
    PreviewRequest,
    QueryReply,
    QueryRequest,
    Reply,
    Request,
    SpellReply,
    SpellRequest,
    Suggestion,
)
from common.logs import get_logger
from shard import snippets
from shard.adapters import Adapter, is_html, is_plain_text
from shard.archive import Archive
from shard.cache import DocumentCache
from shard.definitions import Definition, definitions
from shard.document import Document
from shard.fingerprint import of_page
from shard.guard import Guard, Unguarded
from shard.identifiers import asked_in
from shard.index import Accept, Index, IndexHit, Spelling, TitleHit
from shard.moved import moved_to
from shard.symbols import Symbols, page_of
from shard.vitals import Vitals, resident_bytes

MAX_SUSPECTS = 4
"""Words of one query that are looked up otherwise, each some 10 ms; more are no typing errors."""

MAX_SUGGESTIONS = 8
"""Words suggested for one."""

Steps = Iterator[Reply | None]
"""None where more urgent work may pass; the last item is the reply."""


class Leaf:
    """Answers for one archive.

    Args:
        cache_bytes: Room for parsed documents.
        symbols: Where the symbols of a documentation stand; none of anything else.
        guard: Knows which pages are refused, and is told which page is worked on.
        vitals: What `DescribeReply` tells about the process.
    """

    def __init__(  # noqa: PLR0913 - the parts of a leaf
        self,
        library: str,
        archive: Archive,
        index: Index,
        adapter: Adapter,
        *,
        cache_bytes: int,
        symbols: Symbols | None = None,
        guard: Guard | None = None,
        vitals: Vitals | None = None,
    ) -> None:
        self._library = library
        self._archive = archive
        self._index = index
        self._adapter = adapter
        self._documents = DocumentCache(cache_bytes)
        self._symbols = symbols or Symbols()
        self._guard = guard or Unguarded()
        self._vitals = vitals or Vitals()
        self._logger = get_logger()

    def answer(self, request: Request, deadline: Deadline) -> Steps:
        """Yield None at each point where more urgent work may pass, then the reply."""
        try:
            yield from self._steps(request, deadline)
        except CorpusError as exc:
            yield error_reply(request.request_id, exc)
        except Exception:
            self._logger.exception("request failed", request=type(request).__name__)
            fault = ShardFault(f"{self._library} could not answer because of a fault of its own")
            yield error_reply(request.request_id, fault)

    def _steps(self, request: Request, deadline: Deadline) -> Steps:
        self._check_identity(request)
        if isinstance(request, DescribeRequest):
            yield self._describe(request)
        elif isinstance(request, QueryRequest):
            yield from self._query(request, deadline)
        elif isinstance(request, SpellRequest):
            yield from self._spell(request, deadline)
        elif isinstance(request, PreviewRequest):
            yield from self._preview(request, deadline)
        else:
            yield from self._document(request, deadline)

    def _check_identity(self, request: Request) -> None:
        if request.library != self._library:
            raise WrongArchive(f"expected library {self._library}, got {request.library}")
        if not isinstance(request, DescribeRequest) and request.archive != self._archive.uuid:
            raise WrongArchive(f"expected archive {self._archive.uuid}, got {request.archive}")

    def _describe(self, request: DescribeRequest) -> DescribeReply:
        archive, index, vitals = self._archive, self._index, self._vitals
        return DescribeReply(
            request_id=request.request_id,
            protocol=PROTOCOL_VERSION,
            library=self._library,
            archive=archive.uuid,
            snapshot=archive.snapshot,
            title=archive.title,
            language=archive.language,
            kind=self._adapter.kind,
            adapter=self._adapter.name,
            documents=index.documents,
            total_length=index.total_length,
            index=index.kind,
            index_reason=index.reason,
            pid=os.getpid(),
            keeper_pid=vitals.keeper_pid,
            uptime=vitals.uptime(),
            restarts=vitals.restarts,
            memory=resident_bytes(),
            draining=vitals.draining,
            quarantined=self._guard.refused(),
        )

    def _query(self, request: QueryRequest, deadline: Deadline) -> Steps:
        accept = self._adapter.accepts
        answer = self._index.query(request.words, request.limit, accept)
        yield None
        _check(deadline)
        titles = self._titles(request.text, request.limit, accept)
        hits = [_light(hit) for hit in answer.hits]
        yield QueryReply(
            request_id=request.request_id,
            documents=answer.documents,
            total_length=answer.total_length,
            frequencies=list(answer.frequencies),
            counted=answer.counted,
            hits=hits,
            titles=_titled(titles, hits, len(request.words)),
            whole=answer.whole,
        )

    def _titles(self, text: str, limit: int, accept: Accept) -> list[TitleHit]:
        """Return pages by the symbols on them that the query names, then by their titles."""
        found: dict[str, TitleHit] = {}
        for named in self._symbols.named_in(text):
            head = page_of(self._archive, named.symbol)
            if head is not None and accept(head):
                found.setdefault(head.path, TitleHit(head.path, head.title, named.alias))
        for hit in self._index.titles(text, limit, accept):
            found.setdefault(hit.path, hit)
        return list(found.values())[:limit]

    def _spell(self, request: SpellRequest, deadline: Deadline) -> Steps:
        found: list[list[Suggestion]] = []
        for word in request.words[:MAX_SUSPECTS]:
            if found:
                yield None
            _check(deadline)
            spellings = self._index.spellings(word, request.beside, MAX_SUGGESTIONS)
            found.append([_suggestion(one) for one in spellings])
        yield SpellReply(request_id=request.request_id, suggestions=found)

    def _preview(self, request: PreviewRequest, deadline: Deadline) -> Steps:
        previews: list[Preview] = []
        for path in request.paths:
            if previews:
                yield None
            _check(deadline)
            previews.append(self._preview_of(path, request))
        yield PreviewReply(request_id=request.request_id, previews=previews)

    def _preview_of(self, path: str, request: PreviewRequest) -> Preview:
        """Return the preview of one page; a failure costs this hit, not the others."""
        try:
            document = self._open(path)
            defined = self._definitions(document, request.text)
            return snippets.preview(
                document,
                path,
                request.words,
                request.weights,
                self._index.stem,
                defined=defined,
            )
        except CorpusError as exc:
            self._logger.info("preview failed", path=path, code=exc.code, reason=str(exc))
            return Preview(path=path, failed=True, quarantined=isinstance(exc, Quarantined))
        except Exception:
            self._logger.exception("preview failed", path=path)
        return Preview(path=path, failed=True)

    def _definitions(self, document: Document, text: str) -> list[Definition]:
        named = [one.symbol for one in self._symbols.named_in(text)]
        fragments = [symbol.fragment for symbol in named if symbol.path == document.path]
        return definitions(document, asked_in(text), fragments)

    def _document(self, request: DocumentRequest, deadline: Deadline) -> Steps:
        document = self._open_ref(request.path)
        yield None
        rendering = document.render(request.sections, request.max_chars)
        while True:
            _check(deadline)
            try:
                next(rendering)
            except StopIteration as end:
                rendered = end.value
                break
            yield None
        available, more = document.available()
        yield DocumentReply(
            request_id=request.request_id,
            path=document.path,
            title=document.title,
            sections=list(rendered.sections),
            available=list(available),
            more_sections=more,
            truncated=rendered.truncated,
        )

    def _open_ref(self, path: str) -> Document:
        """Return the document of a ref, which may be older than this edition."""
        try:
            return self._open(path)
        except RefNotFound:
            place = moved_to(self._archive, self._index, self._adapter, path)
            if not place:
                raise
            return self._open(place)

    def _open(self, path: str) -> Document:
        """Return the parsed document of ``path``, from the cache if it is there."""
        subject = of_page(self._archive.uuid, path)
        if self._guard.refuses(subject):
            raise Quarantined(f"{self._library} refuses this document after repeated failures")
        self._guard.narrow(subject, f"page {path}")
        head = self._archive.head(path)
        if not (is_html(head.mimetype) or is_plain_text(head.mimetype)):
            raise RefNotFound(f"Document not found in {self._library}: {path}")
        document = self._documents.get(head.path)
        if document is None:
            document = self._adapter.parse(self._archive.read(head.path))
            self._documents.put(head.path, document)
        return document


def _check(deadline: Deadline) -> None:
    if deadline.expired():
        raise DeadlineExceeded("the deadline passed while the request was worked on")


def _light(hit: IndexHit) -> LightHit:
    return LightHit(path=hit.path, title=hit.title, length=hit.length, counts=list(hit.counts))


def _suggestion(one: Spelling) -> Suggestion:
    return Suggestion(one.word, one.errors, one.documents, one.together, one.titles)


def _titled(titles: Sequence[TitleHit], hits: Sequence[LightHit], words: int) -> list[LightHit]:
    """Return the title hits, with the counts of those that the full-text index found as well."""
    known = {hit.path: hit for hit in hits}
    unknown = LightHit(path="", title="", length=0, counts=[0] * words)
    found: list[LightHit] = []
    for title in titles:
        counted = known.get(title.path, unknown)
        found.append(
            LightHit(
                path=title.path,
                title=title.title,
                length=counted.length,
                counts=counted.counts,
                alias=title.alias,
            )
        )
    return found
