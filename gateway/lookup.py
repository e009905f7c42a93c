"""Names to addresses, in threads that hold nobody up.

``getaddrinfo`` may block for ten seconds when nobody answers, and nothing can interrupt it. The
threads of an executor, the event loop's own among them, are waited for when the process ends;
these are daemons.
"""

import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence

Resolver = Callable[[str], Sequence[str]]
"""Returns the addresses of a host name, or raises."""


def addresses(host: str) -> Sequence[str]:
    """Return the addresses of ``host``, sorted: the IPv4 ones, or those of IPv6 if it has no other.

    A replica that has both would be taken for two.

    Raises:
        OSError: It does not resolve.
        UnicodeError: It is no host name.
    """
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    by_family: dict[int, set[str]] = {}
    for family, _, _, _, address in found:
        by_family.setdefault(family, set()).add(str(address[0]))
    return sorted(by_family.get(socket.AF_INET) or by_family.get(socket.AF_INET6, set()))


class Threads:
    """Does pieces of work in at most ``most`` threads, which end when nothing is left to do."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], None]] = deque()
        self._running = 0

    def start(self, works: Iterable[Callable[[], None]]) -> None:
        """Begin ``works``, which must not raise, and return at once.

        Raises:
            RuntimeError: The system gives no thread, and none runs; the next call tries again.
        """
        with self._lock:
            self._waiting.extend(works)
            wanted = min(len(self._waiting), self._most - self._running)
        for _ in range(wanted):
            with self._lock:
                self._running += 1
            try:
                threading.Thread(target=self._work, name="look-up", daemon=True).start()
            except RuntimeError:
                with self._lock:
                    self._running -= 1
                    idle = self._running == 0
                if idle:
                    raise
                return

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                work = self._waiting.popleft()
            work()
