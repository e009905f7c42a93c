"""The manifest as it changes under a gateway that serves."""

from pathlib import Path

from common import logs, manifest
from common.errors import ConfigError
from common.manifest import Manifest

logger = logs.get_logger()

_Stamp = tuple[int, int, int]


class ManifestFile:
    """Reads the file again when it is another one, or has been written to.

    Attributes:
        manifest: What was last read of it that was valid.
    """

    def __init__(self, path: Path) -> None:
        """Read it for the first time.

        Raises:
            ConfigError: It cannot be read, or breaks a rule.
        """
        self._path = path
        self._stamp = _stamp(path)
        self._complaint = ""
        self.manifest = manifest.load(path)

    def reread(self) -> Manifest | None:
        """Return the manifest if it has changed since the last call; what is invalid is logged.

        An invalid file is read again each time: the fault may be the file system's.
        """
        stamp = _stamp(self._path)
        if stamp is not None and stamp == self._stamp:
            return None
        try:
            read = manifest.load(self._path)
        except ConfigError as exc:
            self._complain(str(exc))
            return None
        self._stamp = stamp
        self._complaint = ""
        if read == self.manifest:
            return None
        self.manifest = read
        logger.info(
            "manifest changed", libraries=len(read.libraries), manifest=manifest.digest(read)
        )
        return read

    def _complain(self, complaint: str) -> None:
        # What was valid is no longer what the file says: its stamp proves nothing any more.
        self._stamp = None
        if complaint != self._complaint:
            self._complaint = complaint
            logger.warning("manifest refused, the old one stays", reason=complaint)


def _stamp(path: Path) -> _Stamp | None:
    """Return what changes with the file; None if it cannot be told."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_ino, found.st_size)
