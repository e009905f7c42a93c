"""Archives damaged on purpose: one page that never ends, a file cut off, bytes overwritten."""

import hashlib
import lzma
import os
import random
import struct
from pathlib import Path

from libzim.reader import Archive

from shard.index.blob import FULLTEXT_PATHS, Blob, locate

_CLUSTER_COUNT_AT = 28
_PATH_POINTERS_AT = 32
_CLUSTER_POINTERS_AT = 48
_CHECKSUM_AT = 72
_PLACE_IN_DIRENT = 8
_CHECKSUM_BYTES = 16
_LZMA2 = b"\x04"
"""What the first byte of a cluster says of its compression."""

_EVERY = 100
"""One of so many places in an index is overwritten."""

_PAGE_BYTES = 100_000
_WRITTEN_BYTES = 5_000


def make_endless(archive: Path, path: str) -> None:
    """Have libzim search for ever for the end of the page at ``path``.

    The page moves to a cluster of its own at the end of the file, whose compressed stream is cut
    off: libzim asks the decoder for more, again and again, and holds the interpreter lock. The
    archive opens, its checksum is right, and every other page can be read.
    """
    data = bytearray(archive.read_bytes()[:-_CHECKSUM_BYTES])
    (count,) = struct.unpack_from("<I", data, _CLUSTER_COUNT_AT)
    (pointers,) = struct.unpack_from("<Q", data, _CLUSTER_POINTERS_AT)
    table = data[pointers : pointers + 8 * count]
    struct.pack_into("<Q", data, _CLUSTER_POINTERS_AT, len(data))
    data += table + struct.pack("<Q", len(data) + len(table) + 8)
    data += _LZMA2 + _cut_off_stream()
    struct.pack_into("<I", data, _CLUSTER_COUNT_AT, count + 1)
    struct.pack_into("<II", data, _dirent(archive, data, path) + _PLACE_IN_DIRENT, count, 0)
    struct.pack_into("<Q", data, _CHECKSUM_AT, len(data))
    replace(archive, bytes(data) + hashlib.md5(data).digest())


def cut_in_place(archive: Path) -> None:
    """Take the second half of a file away under the feet of whoever has it open."""
    os.truncate(archive, archive.stat().st_size // 2)


def scribble_over_index(archive: Path, *, seed: int = 2) -> None:
    """Overwrite bytes at random places of the full-text index, in place."""
    place = locate(archive, FULLTEXT_PATHS)
    assert isinstance(place, Blob), place
    chance = random.Random(seed)
    with archive.open("r+b") as file:
        for _ in range(place.size // _EVERY):
            file.seek(place.offset + chance.randrange(place.size - 16))
            file.write(chance.randbytes(16))


def replace(archive: Path, content: bytes) -> None:
    """Put a file into the place of another, as an operator does."""
    new = archive.with_suffix(".new")
    new.write_bytes(content)
    new.rename(archive)


def _cut_off_stream() -> bytes:
    # Bytes at random cannot be compressed, so the stream ends within the page.
    page = random.Random(1).randbytes(_PAGE_BYTES)
    blobs = struct.pack("<II", 8, 8 + len(page)) + page
    return lzma.compress(blobs)[:_WRITTEN_BYTES]


def _dirent(archive: Path, data: bytearray, path: str) -> int:
    """Return where the directory entry of ``path`` stands."""
    number = Archive(archive).get_entry_by_path(path)._index
    (pointers,) = struct.unpack_from("<Q", data, _PATH_POINTERS_AT)
    (offset,) = struct.unpack_from("<Q", data, pointers + 8 * number)
    return int(offset)
