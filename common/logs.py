"""Structured logs: one JSON object per line on stderr, a constant event name plus fields.

Nothing is ever written to stdout, which belongs to the protocol when the gateway speaks stdio.
"""

import logging
import sys
from typing import Any

import structlog


def configure(level: str = "INFO", **fields: Any) -> None:
    """Set up logging for this process; ``fields`` (role, library, …) stand in every line.

    The standard library's loggers (uvicorn, mcp) go the same way, from WARNING on.
    """
    shared: list[structlog.typing.Processor] = [
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
    return structlog.get_logger()
