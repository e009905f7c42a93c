"""What the gateway believes about one replica: a state machine without I/O.

::

    down ──connected──▶ starting ──described──▶ ready ◀──described, answered── suspect
      ▲                    │                     │ ▲                              ▲
      │                    └──described as draining, said so──▶ draining          │
      │                                          └──missed a deadline, silent─────┘
      └── disconnected, from everywhere

A replica of another protocol version, or of another library, is refused: it stays ``down`` with
the reason in ``error`` until it disconnects.
"""

import time
from enum import StrEnum

from common.deadline import Clock
from common.frames import PROTOCOL_VERSION, DescribeReply

SUSPECT_AFTER = 2.0
"""Seconds without an answer to what is due, after which a replica that nobody waits for any longer
is suspect. One thread serves it, and a page of 2 MB holds that for a second or more: slow is not
stuck."""

NOT_CONNECTED = "not connected"
"""What there is to say of a replica that nobody answers for, be it not yet or not any more."""


class State(StrEnum):
    """What may be asked of a replica: only a ready one gets requests."""

    STARTING = "starting"
    READY = "ready"
    SUSPECT = "suspect"
    DRAINING = "draining"
    DOWN = "down"


class Membership:
    """The state of one replica of ``library``; every method is one event.

    Attributes:
        state: Where it stands.
        since: When it came there, on the clock.
        error: Why it is not ready, for the operator; empty if there is nothing to say.
        described: What it last said about itself; kept while it is away, for status pages.
        unable: Whether it has said that it cannot serve, and nothing better since.
    """

    def __init__(self, library: str, *, clock: Clock = time.monotonic) -> None:
        self.state = State.DOWN
        self.since = clock()
        self.error = NOT_CONNECTED
        self.described: DescribeReply | None = None
        self.unable = False
        self._library = library
        self._clock = clock
        self._refused = False

    @property
    def ready(self) -> bool:
        """Whether it may be asked."""
        return self.state is State.READY

    def connected(self) -> None:
        """A peer answers: who it is has to be asked."""
        self._refused = False
        self._enter(State.STARTING)

    def disconnected(self) -> None:
        """The peer is gone."""
        self._refused = False
        self._enter(State.DOWN, NOT_CONNECTED)

    def not_admitted(self, reason: str) -> None:
        """There is no handshake with whatever is at the endpoint."""
        self._enter(State.DOWN, reason)

    def described_as(self, reply: DescribeReply) -> None:
        """The peer says who it is."""
        if self.state is State.DOWN and not self._refused:
            return
        if reply.protocol != PROTOCOL_VERSION:
            self.refuse(f"speaks protocol {reply.protocol}, expected {PROTOCOL_VERSION}")
        elif reply.library != self._library:
            self.refuse(f"serves another library: {reply.library!r}")
        else:
            self._refused = False
            self.unable = False
            self.described = reply
            self._enter(State.DRAINING if reply.draining else State.READY)

    def refuse(self, reason: str) -> None:
        """The peer is none of ours; only a new connection changes that, or a better answer."""
        self._refused = True
        self.unable = False
        self._enter(State.DOWN, reason)

    def cannot_serve(self, reason: str) -> None:
        """Somebody stands in for the worker, which has been tried in vain more than once."""
        self.refuse(reason)
        # Kept when the stand-in makes room for the next attempt, which may fail as well.
        self.unable = True

    def renamed(self) -> None:
        """The peer serves another archive than it said: it has to be asked again."""
        if self.state is not State.DOWN:
            self._enter(State.STARTING)

    def answered(self) -> None:
        """The peer answered a request."""
        if self.state is State.SUSPECT:
            self._enter(State.READY)

    def missed(self) -> None:
        """The peer let a deadline pass, or was silent for so long that nobody waits any more."""
        if self.state in (State.READY, State.STARTING):
            self._enter(State.SUSPECT, "has stopped answering in time")

    def draining(self) -> None:
        """The peer says it takes nothing new."""
        if self.state is not State.DOWN:
            self._enter(State.DRAINING)

    def _enter(self, state: State, error: str = "") -> None:
        self.error = error
        if state is not self.state:
            self.state = state
            self.since = self._clock()
