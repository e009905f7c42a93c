"""Structured logs: one JSON object per line on stderr, a constant event name plus fields.

Nothing is ever written to stdout, which belongs to the protocol when the gateway speaks stdio.
"""

import io
import logging
import select
import sys
from contextlib import suppress
from functools import cached_property, lru_cache
from os import write
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from structlog.typing import Processor

PATIENCE_MS = 200
"""Milliseconds that a reader who has fallen behind is waited for, once until it has caught up."""


def configure(level: str = "INFO", **fields: Any) -> None:
    """Set up logging for this process; ``fields`` (role, library, …) stand in every line.

    The standard library's loggers (uvicorn, mcp) go the same way, from WARNING on.
    """
    structlog = _structlog()
    sink = Sink(sys.stderr)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            *shared,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=structlog.WriteLoggerFactory(file=sink),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(**fields)
    handler = logging.StreamHandler(sink)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)


def get_logger() -> Any:
    """Return the logger; bind fields to it or pass them with each event."""
    return _Logger()


class Sink:
    """Where lines go: never an error, and never a wait that does not end.

    Whoever reads the other end of a pipe may die, and then a write fails; or it may stop reading,
    and then a write blocks. Neither may fail or hold up the work that is being logged, so such
    lines are lost.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._descriptor = _descriptor(stream)
        self._patience = PATIENCE_MS
        self._torn = False
        self._poll = select.poll()
        if self._descriptor is not None:
            self._poll.register(self._descriptor, select.POLLOUT)

    def write(self, text: str) -> int:
        """Write what there is room for; return the length of ``text``."""
        with suppress(OSError, ValueError):
            if self._descriptor is not None:
                self._write_all(self._descriptor, text.encode("utf-8", "backslashreplace"))
            elif self._stream is not None:
                self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: nothing is kept back."""

    def _write_all(self, descriptor: int, data: bytes) -> None:
        if self._torn:
            data = b"\n" + data
        # A pipe that polls as writable takes this much at once without blocking.
        for start in range(0, len(data), select.PIPE_BUF):
            if not self._poll.poll(self._patience):
                self._patience = 0
                self._torn |= start > 0
                return
            write(descriptor, data[start : start + select.PIPE_BUF])
            self._torn = False
        self._patience = PATIENCE_MS


def _descriptor(stream: TextIO | None) -> int | None:
    try:
        return None if stream is None else stream.fileno()
    except (io.UnsupportedOperation, ValueError):
        # Not a file: what a test puts in the place of stderr.
        return None


class _Logger:
    """A logger that is made when it is first used: many a process never logs anything."""

    @cached_property
    def _real(self) -> Any:
        return _structlog().get_logger()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@lru_cache(maxsize=1)
def _structlog() -> ModuleType:
    # structlog loads rich where it is installed, for a console that is not ours: measured, half
    # of its 0.2 s, in each of a cluster's processes.
    before = {"rich": sys.modules["rich"]} if "rich" in sys.modules else {}
    sys.modules["rich"] = None  # type: ignore[assignment]
    try:
        import structlog  # noqa: PLC0415 - see `_Logger`
    finally:
        del sys.modules["rich"]
        sys.modules.update(before)
    return structlog
