"""One database inside an archive: opened in place, its errors translated, its entries named."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import xapian

from common.errors import ShardFault
from shard.archive import Archive
from shard.index.blob import Blob

_FOREIGN = (
    xapian.Error,
    OSError,
    ValueError,
    ArithmeticError,
    LookupError,
    RuntimeError,
    MemoryError,
)


def open_database(path: Path, blob: Blob) -> xapian.Database:
    """Open the database that lies in the file at ``path``."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    os.lseek(file, blob.offset, os.SEEK_SET)
    # The database owns the descriptor from here on, and closes it also when it fails to open.
    return xapian.Database(file)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Translate what Xapian raises; all of it means damage, since we only read.

    Some damage is not noticed as such by Xapian and shows as an error of the C++ library, which the
    bindings make a RuntimeError, MemoryError or IndexError.
    """
    try:
        yield
    except _FOREIGN as exc:
        reason = " ".join(str(exc).split()) or type(exc).__name__
        raise ShardFault(f"{what} is damaged: {reason[:200]}") from exc


class PathForm:
    """How documents of a database name their entry.

    With ``data=fullPath`` in the database's metadata the namespace comes first, which libzim leaves
    out of paths in archives of the new scheme. Without it the text is the path.
    """

    def __init__(self, db: xapian.Database, archive: Archive) -> None:
        full = db.get_metadata("data") == b"fullPath"
        self._skip = 2 if full and archive.new_namespaces else 0

    def entry_path(self, data: bytes) -> str:
        """Return the path of the entry that a document's data names."""
        return data.decode(errors="replace")[self._skip :]
