"""What was answered before, bounded in bytes; what was not asked for longest goes. Pure."""

from collections import OrderedDict

ENTRY_BYTES = 250
"""What an entry takes beside its key and its value: the two objects' heads and its place in the
table, rounded up from what `sys.getsizeof` tells."""


class Cache:
    """Values by key, both bytes, so that their size is known.

    Attributes:
        used: Bytes taken, never more than the bound.
    """

    def __init__(self, most: int) -> None:
        """Keep at most ``most`` bytes; with 0 nothing is ever kept."""
        self.used = 0
        self._most = most
        self._values: OrderedDict[bytes, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``, which is then the last to go; None if it is not there."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: bytes, value: bytes) -> None:
        """Keep ``value`` unless it is larger than everything together may be."""
        self._drop(key)
        if _size(key, value) > self._most:
            return
        self._values[key] = value
        self.used += _size(key, value)
        while self.used > self._most:
            self._drop(next(iter(self._values)))

    def _drop(self, key: bytes) -> None:
        value = self._values.pop(key, None)
        if value is not None:
            self.used -= _size(key, value)


def _size(key: bytes, value: bytes) -> int:
    return len(key) + len(value) + ENTRY_BYTES
