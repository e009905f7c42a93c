"""A shard whose leaf does what its requests say: hang, abort, wait for a file.

``python -m tests.shard.rigged ENDPOINT [BROKEN]``: as long as the file BROKEN exists, the leaf
cannot be opened.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from common import logs, settings
from common.deadline import Deadline
from common.errors import ArchiveError
from common.frames import (
    PROTOCOL_VERSION,
    DescribeReply,
    DescribeRequest,
    DocumentReply,
    DocumentRequest,
    PreviewRequest,
    QueryReply,
    QueryRequest,
    Reply,
    Request,
)
from shard import service
from shard.guard import Guard, Unguarded
from shard.vitals import Vitals
from shard.worker import Facts, Post

LIBRARY = "Rigged"
ARCHIVE = "00000000-0000-0000-0000-000000000001"


HOARD = 16 * 1024 * 1024


class RiggedLeaf:
    """Obeys the text of a query and the path of a document.

    A query ``abort``, ``segv``, ``exit`` or ``hang`` ends or blocks the process, ``hoard`` takes
    16 MiB and keeps them. A document is
    "rendered" for as long as the file at its path is missing, one step at a time.
    """

    def __init__(self, guard: Guard, vitals: Vitals) -> None:
        self._guard = guard
        self._vitals = vitals
        self._hoard: list[bytes] = []

    def answer(self, request: Request, deadline: Deadline) -> Iterator[Reply | None]:
        if isinstance(request, DescribeRequest):
            yield self._describe(request)
        elif isinstance(request, QueryRequest):
            _obey(request.text)
            if request.text == "hoard":
                self._hoard.append(b"x" * HOARD)
            yield query_reply(request)
        elif isinstance(request, PreviewRequest):
            raise RuntimeError("a bug")  # noqa: TRY004 - it stands for any
        else:
            while not Path(request.path).exists():
                yield None
            yield document_reply(request)

    def _describe(self, request: DescribeRequest) -> DescribeReply:
        return DescribeReply(
            request_id=request.request_id,
            protocol=PROTOCOL_VERSION,
            library=LIBRARY,
            archive=ARCHIVE,
            snapshot="",
            title="",
            language="",
            kind="page",
            adapter="generic",
            documents=0,
            total_length=0,
            index="titles",
            pid=os.getpid(),
            keeper_pid=self._vitals.keeper_pid,
            uptime=self._vitals.uptime(),
            restarts=self._vitals.restarts,
            draining=self._vitals.draining,
            quarantined=self._guard.refused(),
        )


def query_reply(request: QueryRequest) -> QueryReply:
    return QueryReply(
        request_id=request.request_id,
        documents=0,
        total_length=0,
        frequencies=[0] * len(request.words),
        counted=True,
        hits=[],
        titles=[],
    )


def document_reply(request: DocumentRequest, title: str = "") -> DocumentReply:
    return DocumentReply(
        request_id=request.request_id, path=request.path, title=title, sections=[], available=[]
    )


def _obey(text: str) -> None:
    if text not in {"abort", "segv", "exit", "hang"}:
        return
    logs.get_logger().info("obeying", text=text)
    if text == "abort":
        os.abort()
    elif text == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif text == "exit":
        os._exit(5)
    while True:
        time.sleep(1000)


def main(endpoint: str, broken: str = "/nonexistent") -> int:
    since = time.monotonic()
    logs.configure("INFO", role="shard", library=LIBRARY)

    def open_leaf(guard: Guard, vitals: Vitals) -> tuple[RiggedLeaf, Facts]:
        if Path(broken).exists():
            raise ArchiveError(f"{broken} stands in the way")
        return RiggedLeaf(guard, vitals), {"archive": "none", "index": "titles", "documents": 0}

    return service.run(Post(endpoint, settings.load()), open_leaf, since=since)


UNGUARDED = RiggedLeaf(Unguarded(), Vitals())

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
