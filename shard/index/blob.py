"""Where the embedded databases lie in a ZIM file: offset and size of one entry's bytes.

A ZIM file begins with a header of fixed size, which points to an array of offsets of directory
entries (sorted by namespace and path) and to one of offsets of clusters. A cluster begins with a
byte that tells its compression and the width of its offsets, then offsets of its blobs, then the
blobs. See https://wiki.openzim.org/wiki/ZIM_file_format. libzim's binding does not tell the
position of a blob, so this reads the few bytes that lead to it.

Every number in the file is checked before it is used: a damaged file gives a reason, never an
exception, and no more than a few kilobytes are read.
"""

import os
import struct
from dataclasses import dataclass
from pathlib import Path

FULLTEXT_PATHS = (b"Xfulltext/xapian", b"Z/fulltextIndex/xapian")
"""Namespace and path of the full-text database: since 2019, and before."""

TITLE_PATHS = (b"Xtitle/xapian",)

COMPRESSED = "compressed in the archive"
SPLIT = "the archive is split"
ABSENT = "not in the archive"

_HEADER = struct.Struct("<4sHH16sIIQQQQ")
_MAGIC = b"ZIM\x04"
_DIRENT = struct.Struct("<HBcI")
_POSITION = struct.Struct("<II")
_REDIRECT, _LINK_TARGET, _DELETED = 0xFFFF, 0xFFFE, 0xFFFD
_MAX_PATH_BYTES = 4096
"""A longer path is damage: no scraper comes near."""


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes of a file that belong to one entry."""

    offset: int
    size: int


class _Damaged(Exception):
    """The file contradicts itself; the message says where."""


def locate(path: Path, entries: tuple[bytes, ...]) -> Blob | str:
    """Return where the first of ``entries`` that there is lies uncompressed, or why it does not.

    Each entry is its namespace, one byte, followed by its path.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return SPLIT
    except OSError as exc:
        return f"cannot be read: {exc.strerror}"
    try:
        return _Reader(file).locate(entries)
    except _Damaged as exc:
        return f"damaged: {exc}"
    except OSError as exc:
        return f"cannot be read: {exc.strerror}"
    finally:
        os.close(file)


class _Reader:
    """A header and what it points to; every read is bounded by the file's size."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._size = os.fstat(file).st_size
        header = _HEADER.unpack(self._bytes(0, _HEADER.size, "header"))
        magic, _, _, _, self._entries, self._clusters, self._pointers, _, self._offsets, _ = header
        if magic != _MAGIC:
            raise _Damaged("no ZIM header")
        self._check_array(self._pointers, self._entries, "directory")
        self._check_array(self._offsets, self._clusters, "cluster list")

    def locate(self, entries: tuple[bytes, ...]) -> Blob | str:
        for name in entries:
            position = self._find(name)
            if position is not None:
                return self._blob(*position)
        return ABSENT

    def _find(self, name: bytes) -> tuple[int, int] | None:
        """Return cluster and blob number of an entry, by binary search."""
        low, high = 0, self._entries
        while low < high:
            middle = (low + high) // 2
            offset = self._number(self._pointers + 8 * middle, 8, "directory")
            current = self._name(offset)
            if current == name:
                return self._position(offset)
            low, high = (middle + 1, high) if current < name else (low, middle)
        return None

    def _name(self, offset: int) -> bytes:
        mimetype, _, namespace, _ = self._dirent(offset)
        start = offset + _path_offset(mimetype)
        room = min(_MAX_PATH_BYTES, self._size - start)
        path, end, _ = self._bytes(start, max(0, room), "directory entry").partition(b"\0")
        if not end:
            raise _Damaged("directory entry without an end")
        return namespace + path

    def _position(self, offset: int) -> tuple[int, int] | None:
        mimetype = self._dirent(offset)[0]
        if mimetype in {_REDIRECT, _LINK_TARGET, _DELETED}:
            return None
        raw = self._bytes(offset + _DIRENT.size, _POSITION.size, "directory entry")
        cluster, blob = _POSITION.unpack(raw)
        return cluster, blob

    def _dirent(self, offset: int) -> tuple[int, int, bytes, int]:
        mimetype, parameters, namespace, revision = _DIRENT.unpack(
            self._bytes(offset, _DIRENT.size, "directory entry")
        )
        return mimetype, parameters, namespace, revision

    def _blob(self, cluster: int, blob: int) -> Blob | str:
        if cluster >= self._clusters:
            raise _Damaged("cluster number out of range")
        offset = self._number(self._offsets + 8 * cluster, 8, "cluster list")
        info = self._number(offset, 1, "cluster")
        # 0 and 1 both mean none; the fifth bit says that offsets have eight bytes.
        if info & 0x0F > 1:
            return COMPRESSED
        width = 8 if info & 0x10 else 4
        start = offset + 1
        header = self._number(start, width, "cluster")
        if header % width or (blob + 2) * width > header:
            raise _Damaged("blob number out of range")
        first = self._number(start + blob * width, width, "cluster")
        end = self._number(start + (blob + 1) * width, width, "cluster")
        if not header <= first < end or start + end > self._size:
            raise _Damaged("blob out of the file")
        return Blob(start + first, end - first)

    def _check_array(self, offset: int, count: int, what: str) -> None:
        if offset < _HEADER.size or offset + 8 * count > self._size:
            raise _Damaged(f"{what} out of the file")

    def _number(self, offset: int, width: int, what: str) -> int:
        return int.from_bytes(self._bytes(offset, width, what), "little")

    def _bytes(self, offset: int, count: int, what: str) -> bytes:
        if offset + count > self._size:
            raise _Damaged(f"{what} out of the file")
        raw = os.pread(self._file, count, offset)
        if len(raw) != count:
            raise _Damaged(f"{what} cut off")
        return raw


def _path_offset(mimetype: int) -> int:
    """Return where the path begins: a redirect has one number where others have two."""
    if mimetype == _REDIRECT:
        return _DIRENT.size + 4
    if mimetype in {_LINK_TARGET, _DELETED}:
        return _DIRENT.size
    return _DIRENT.size + _POSITION.size
