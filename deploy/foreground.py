"""Signals of a command that must tidy up before it goes."""

import contextlib
import signal
from collections.abc import Iterator

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM and a closed terminal arrive as KeyboardInterrupt, like Ctrl-C."""
    before = [signal.signal(number, signal.default_int_handler) for number in _ENDING]
    try:
        yield
    finally:
        for number, handler in zip(_ENDING, before, strict=True):
            signal.signal(number, handler)
