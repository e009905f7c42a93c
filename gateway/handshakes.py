"""Connections that get no handshake: what to tell the operator, and when to try anew.

ZeroMQ tries again by itself when a peer hangs up, every 20 ms for ever, and never again when a peer
breaks the protocol or refuses a key. Both are too much and too little here: the first costs a core
some percent when a key is wrong, the second would lose a replica until the gateway is restarted.
Pure policy with a clock; `gateway.client` does it.
"""

import time

from common.deadline import Clock

PATIENCE = 3.0
"""Seconds without a handshake, though connections are taken, after which that is told. A shard that
starts binds when it is able to answer."""

HURRIED = 10.0
"""Attempts per second above which a peer hangs up: with one that is silent each takes a second."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 10.0
"""Seconds between two attempts that are ours to make: as long as an operator is ready to wait for a
corrected key to be taken up."""

REFUSED = "refuses our CURVE key: see CURVE_PEERS_FILE of the shard"
PLAIN = "does not speak CURVE: see SHARD_TCP_PLAIN of the shard"
ENCRYPTED = "speaks only CURVE: see CURVE_SECRET_FILE"
FOREIGN = "does not speak the protocol of ZeroMQ"
SILENT = "takes connections but does not answer: it is stuck, or no shard"
SILENT_ENCRYPTED = (
    "takes connections but does not answer: it is stuck, does not speak CURVE, or has another key:"
    " see CURVE_PEERS_FILE"
)


class Handshakes:
    """The attempts of one connection since it last succeeded.

    Attributes:
        reason: Why there is no handshake, for the operator; empty if there is nothing to say.
        hangs_up: Whether the peer ends every connection at once, so that hurrying leads nowhere.
        pause: Seconds until the next attempt that is ours to make; each time longer.
    """

    def __init__(self, *, encrypted: bool, clock: Clock = time.monotonic) -> None:
        self.reason = ""
        self.hangs_up = False
        self.pause = FIRST_PAUSE
        self._encrypted = encrypted
        self._clock = clock
        self._attempts = 0
        self._since = 0.0
        self._last = 0.0

    def succeeded(self) -> None:
        """A handshake was completed."""
        self.reason = ""
        self.hangs_up = False
        self.pause = FIRST_PAUSE
        self._attempts = 0

    def reached(self) -> None:
        """Something took the connection; the handshake is still to come."""
        now = self._clock()
        if not self._attempts or now - self._last > PATIENCE:
            self._attempts, self._since = 0, now
        self._attempts += 1
        self._last = now
        waited = now - self._since
        if waited >= PATIENCE:
            self.reason = self.reason or (SILENT_ENCRYPTED if self._encrypted else SILENT)
            self.hangs_up = self.hangs_up or self._attempts >= HURRIED * waited

    def refused(self) -> None:
        """The peer does not know our key."""
        self.reason = REFUSED

    def mismatched(self) -> None:
        """One side speaks CURVE and the other does not."""
        self.reason = PLAIN if self._encrypted else ENCRYPTED

    def foreign(self) -> None:
        """The peer says what no ZeroMQ peer says."""
        self.reason = FOREIGN

    def paused(self) -> None:
        """The pause is over, and an attempt of ours begins."""
        self.pause = min(2 * self.pause, LONGEST_PAUSE)
