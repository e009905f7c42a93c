"""A few bytes of memory that a worker shares with its keeper.

The worker writes what it is about to do before it does it, and clears it afterwards; when it dies,
the keeper reads what was running. Nothing else passes between the two.
"""

import mmap
import struct

from shard.fingerprint import NOTHING, SIZE

_BEGAN = struct.Struct("=d")
_LENGTH = struct.Struct("=H")

_BEGAN_AT = 0
_READY_AT = 8
_SUBJECT_AT = 16
_LABEL_AT = _SUBJECT_AT + SIZE
_LABEL_ROOM = 510
_REASON_AT = _LABEL_AT + _LENGTH.size + _LABEL_ROOM
_REASON_ROOM = 1022
_TOTAL = _REASON_AT + _LENGTH.size + _REASON_ROOM


class Record:
    """What the worker is doing; one writer, read by the keeper."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _TOTAL)

    def clear(self) -> None:
        """Start afresh for a new worker."""
        self._memory[:] = bytes(_TOTAL)

    def begin(self, subject: bytes, label: str, at: float) -> None:
        """Note that work on ``subject`` begins, ``at`` on the monotonic clock of the machine."""
        self._memory[_SUBJECT_AT:_LABEL_AT] = subject
        self._write_text(_LABEL_AT, _LABEL_ROOM, label)
        # Last, so that whoever sees the time sees what belongs to it.
        _BEGAN.pack_into(self._memory, _BEGAN_AT, at)

    def end(self) -> None:
        """Note that nothing is running."""
        _BEGAN.pack_into(self._memory, _BEGAN_AT, 0.0)

    @property
    def began(self) -> float:
        """When the running work began; 0.0 if nothing is running."""
        return float(_BEGAN.unpack_from(self._memory, _BEGAN_AT)[0])

    @property
    def subject(self) -> bytes:
        """The fingerprint of what is running; `NOTHING` if nothing is."""
        return self._memory[_SUBJECT_AT:_LABEL_AT] if self.began else NOTHING

    @property
    def label(self) -> str:
        """What is running, for the log."""
        return self._read_text(_LABEL_AT) if self.began else ""

    @property
    def ready(self) -> bool:
        """Whether the worker has bound its endpoint."""
        return self._memory[_READY_AT] != 0

    @ready.setter
    def ready(self, value: bool) -> None:
        self._memory[_READY_AT] = value

    @property
    def reason(self) -> str:
        """Why the worker gave up, in its own words."""
        return self._read_text(_REASON_AT)

    @reason.setter
    def reason(self, value: str) -> None:
        self._write_text(_REASON_AT, _REASON_ROOM, value)

    def _write_text(self, at: int, room: int, text: str) -> None:
        data = text.encode("utf-8", "replace")[:room]
        _LENGTH.pack_into(self._memory, at, len(data))
        self._memory[at + _LENGTH.size : at + _LENGTH.size + len(data)] = data

    def _read_text(self, at: int) -> str:
        (length,) = _LENGTH.unpack_from(self._memory, at)
        return self._memory[at + _LENGTH.size :][:length].decode("utf-8", "ignore")
