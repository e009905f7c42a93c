"""Which signals end a command, and which do not."""

import os
import signal
from collections.abc import Iterator

import pytest

from deploy.errors import Failed
from deploy.foreground import interruptible

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Give the handlers of this process back as they were."""
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_interrupts_the_block(number: signal.Signals) -> None:
    with pytest.raises(Failed, match="interrupted"), interruptible():
        os.kill(os.getpid(), number)


def test_interrupt_counts_also_where_it_was_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    with pytest.raises(Failed, match="interrupted"), interruptible():
        os.kill(os.getpid(), signal.SIGINT)


def test_closed_terminal_stays_ignored_under_nohup() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    survived = False

    with interruptible():
        os.kill(os.getpid(), signal.SIGHUP)
        survived = True

    assert survived


def test_handlers_are_as_before_after_the_block() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]

    with interruptible():
        pass

    assert [signal.getsignal(number) for number in SIGNALS] == before
