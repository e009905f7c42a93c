"""Who may speak to a shard over a network: whose public key is on the list, in CURVE.

libzmq asks about every key (ZAP); pyzmq's authenticator answers from a thread of its own, so that a
gateway is let in while a long request runs. Native code that keeps the interpreter lock keeps it
waiting: the handshake is then tried again a second later. Should that thread be gone, libzmq lets
nobody in. Importing this imports asyncio (some 20 ms), so only shards with keys do.
"""

import time

import zmq
from zmq.auth.thread import ThreadAuthenticator

from common.curve import Keys
from common.deadline import Clock
from common.errors import ConfigError
from common.logs import get_logger

REPORT = 60.0
"""Seconds between two log lines about refused keys."""

_DOMAIN = "corpus"


class Admission:
    """The keys of one server.

    Attributes:
        refused: Handshakes with a key that is not on the list.
    """

    def __init__(self, keys: Keys, *, clock: Clock = time.monotonic) -> None:
        self.refused = 0
        self._secret = keys.secret.encode()
        self._peers = frozenset(key.encode() for key in keys.peers)
        self._clock = clock
        self._silent_until = 0.0
        self._logger = get_logger()
        self._authenticator: ThreadAuthenticator | None = None

    def open(self, context: "zmq.Context[zmq.Socket[bytes]]", socket: "zmq.Socket[bytes]") -> None:
        """Have ``socket``, which is not bound yet, admit only those on the list."""
        self._authenticator = ThreadAuthenticator(context)
        self._authenticator.configure_curve_callback(_DOMAIN, credentials_provider=self)
        self._authenticator.start()
        socket.setsockopt(zmq.CURVE_SERVER, 1)
        socket.setsockopt(zmq.CURVE_SECRETKEY, self._secret)
        socket.setsockopt(zmq.ZAP_DOMAIN, _DOMAIN.encode())
        socket.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)

    def close(self) -> None:
        """End the thread; nobody is admitted any more."""
        if self._authenticator is not None:
            self._authenticator.stop()
            self._authenticator = None

    def callback(self, domain: str, key: bytes) -> bool:
        """Tell whether ``key`` is on the list; called by the authenticator, in its thread."""
        del domain
        if key in self._peers:
            return True
        self.refused += 1
        if self._clock() >= self._silent_until:
            self._silent_until = self._clock() + REPORT
            self._logger.warning("key refused", key=key.decode("ascii"), total=self.refused)
        return False


def check_curve() -> None:
    """Return if this ZeroMQ can encrypt.

    Raises:
        ConfigError: It was built without.
    """
    if not zmq.has("curve"):
        raise ConfigError("CURVE_SECRET_FILE: expected a ZeroMQ with CURVE, got one without")
