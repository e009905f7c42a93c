"""Signals of a command that must tidy up before it goes."""

import contextlib
import signal
from collections.abc import Iterator

from deploy.errors import Failed

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM and a closed terminal arrive as KeyboardInterrupt, like Ctrl-C.

    A script starts what it puts into the background with SIGINT ignored; whoever sends one then
    means it. SIGHUP stays ignored if it was: that is what ``nohup`` is for.

    Raises:
        Failed: The block was interrupted and did not take that for a good end.
    """
    before = {number: signal.getsignal(number) for number in _ENDING}
    if before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]
    for number in before:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise Failed("interrupted") from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
