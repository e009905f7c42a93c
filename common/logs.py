"""Structured logs: one JSON object per line on stderr, a constant event name plus fields.

Nothing is ever written to stdout, which belongs to the protocol when the gateway speaks stdio.
"""

import logging
import sys
from functools import cached_property, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from structlog.typing import Processor


def configure(level: str = "INFO", **fields: Any) -> None:
    """Set up logging for this process; ``fields`` (role, library, …) stand in every line.

    The standard library's loggers (uvicorn, mcp) go the same way, from WARNING on.
    """
    structlog = _structlog()
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
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(**fields)
    handler = logging.StreamHandler(sys.stderr)
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
