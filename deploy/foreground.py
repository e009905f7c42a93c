"""Signals of a command that must tidy up before it goes."""

import contextlib
import signal
from collections.abc import Iterator

from deploy.errors import Failed

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM and a closed terminal arrive as KeyboardInterrupt, like Ctrl-C.

    Raises:
        Failed: The block was interrupted and did not take that for a good end.
    """
    before = [signal.signal(number, signal.default_int_handler) for number in _ENDING]
    try:
        yield
    except KeyboardInterrupt:
        raise Failed("interrupted") from None
    finally:
        for number, handler in zip(_ENDING, before, strict=True):
            signal.signal(number, handler)
