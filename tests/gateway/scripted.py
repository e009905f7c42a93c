"""A replica whose answers a test writes: a real ROUTER socket in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import zmq

from common.codec import decode_request, encode, error_reply
from common.errors import CorpusError
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
    SectionContent,
    SectionEntry,
)

WAIT = 20.0
"""Seconds after which a test that still waits has failed."""

Script = Callable[[Request], Reply | CorpusError | list[bytes] | None]
"""A reply, an error to answer with, raw parts, or None to say nothing."""

_T = TypeVar("_T")


def run(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run a test's coroutine, bounded."""

    async def bounded() -> _T:
        async with asyncio.timeout(WAIT):
            return await coroutine

    return asyncio.run(bounded())


async def until(condition: Callable[[], Any]) -> None:
    """Let the event loop work until ``condition`` holds; the test's bound ends the wait."""
    while not condition():  # noqa: ASYNC110 - the state of a socket has no event to wait for
        await asyncio.sleep(0.002)


def described(request: Request, library: str = "Lib", **changes: Any) -> DescribeReply:
    """Return what a sound replica says about itself."""
    facts: dict[str, Any] = {
        "protocol": PROTOCOL_VERSION,
        "library": library,
        "archive": f"uuid-of-{library}",
        "snapshot": "2026-06",
        "title": f"The {library}",
        "language": "en",
        "kind": "article",
        "adapter": "mediawiki",
        "documents": 3,
        "total_length": 300,
        "index": "xapian",
        "pid": 1234,
    }
    return DescribeReply(request_id=request.request_id, **(facts | changes))


def found(request: QueryRequest, *titles: str) -> QueryReply:
    """Return a hit for each title, all with every word."""
    hits = [
        LightHit(path=title, title=title, length=100, counts=[2] * len(request.words))
        for title in titles
    ]
    return QueryReply(
        request_id=request.request_id,
        documents=3,
        total_length=300,
        frequencies=[len(hits)] * len(request.words),
        counted=True,
        hits=hits,
        titles=[],
    )


def read(request: PreviewRequest, snippet: str = "A snippet.") -> PreviewReply:
    """Return a preview for each path."""
    previews = [
        Preview(
            path=path, title=path, snippet=snippet, sections=[SectionEntry("S", "S")], passage=0.5
        )
        for path in request.paths
    ]
    return PreviewReply(request_id=request.request_id, previews=previews)


def rendered(request: DocumentRequest, content: str = "Text.") -> DocumentReply:
    """Return a document of one section."""
    return DocumentReply(
        request_id=request.request_id,
        path=request.path,
        title=request.path,
        sections=[SectionContent(id="", title=request.path, content=content)],
        available=[SectionEntry("", request.path)],
    )


def sound(library: str = "Lib", *titles: str) -> Script:
    """Return the script of a replica without faults."""

    def answer(request: Request) -> Reply:
        if isinstance(request, DescribeRequest):
            return described(request, library)
        if isinstance(request, QueryRequest):
            return found(request, *(titles or (f"{library} page",)))
        if isinstance(request, PreviewRequest):
            return read(request)
        return rendered(request)

    return answer


class ScriptedReplica:
    """Binds a path, or an endpoint, and answers by ``script`` until it is stopped.

    Attributes:
        script: May be replaced while it runs.
        asked: Every request but describe, in order of arrival.
        released: A script that blocks on it stands for a stuck worker; `stop` sets it.
    """

    def __init__(self, where: Path | str, script: Script | None = None) -> None:
        self.endpoint = where if isinstance(where, str) else f"ipc://{where}"
        self.script = script or sound()
        self.asked: list[Request] = []
        self.released = threading.Event()
        self._stopping = threading.Event()
        self._bound = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._bound.wait(WAIT)

    def stop(self) -> None:
        """Close the socket: peers see a disconnect, as when the process dies."""
        self._stopping.set()
        self.released.set()
        self._thread.join(WAIT)
        assert not self._thread.is_alive()

    def prepared(self, context: "zmq.Context[zmq.Socket[bytes]]") -> AbstractContextManager[Any]:
        """Return what is open beside the socket, in the same thread."""
        return nullcontext()

    def bind(self, socket: "zmq.Socket[bytes]") -> None:
        """Bind the socket."""
        socket.bind(self.endpoint)

    def _serve(self) -> None:
        with (
            zmq.Context() as context,
            self.prepared(context),
            context.socket(zmq.ROUTER) as socket,
        ):
            socket.setsockopt(zmq.LINGER, 0)
            self.bind(socket)
            self._bound.set()
            while not self._stopping.is_set():
                if socket.poll(5):
                    self._answer(socket)

    def _answer(self, socket: "zmq.Socket[bytes]") -> None:
        peer, *parts = socket.recv_multipart()
        request = decode_request(parts)
        if not isinstance(request, DescribeRequest):
            self.asked.append(request)
        answer = self.script(request)
        if answer is None or self._stopping.is_set():
            return
        if isinstance(answer, CorpusError):
            answer = error_reply(request.request_id, answer)
        socket.send_multipart([peer, *(answer if isinstance(answer, list) else encode(answer))])


def fails_with(error):
    """Return a script that describes itself and answers all else with ``error``."""
    return lambda request: described(request) if isinstance(request, DescribeRequest) else error
