"""What the commands of an operator know of a running cluster: ``cluster.json`` in its folder.

It is there while the cluster runs, and it says which replicas belong to it: a program that
supervisord keeps and the record does not name is on its way in or out.
"""

from pathlib import Path

import msgspec

from common.manifest import Manifest
from deploy.errors import Failed
from deploy.site import RunDir, Site, base_url
from deploy.supervisor import Numbers


class Record(msgspec.Struct, kw_only=True, frozen=True):
    """The record of one cluster.

    Attributes:
        url: Where its gateway is reached.
        config: The operator's manifest that it was told last, absolute.
        root: The corpus root of its archives, absolute.
        replicas: The numbers of the replicas of each library, by its name.
    """

    url: str
    config: str = ""
    root: str = ""
    replicas: dict[str, list[int]] = {}

    def numbers(self, manifest: Manifest) -> Numbers:
        """Return the numbers of the replicas of every library of ``manifest``."""
        return {
            library.name: self.replicas.get(library.name, list(range(library.replicas)))
            for library in manifest.libraries
        }


def read(run_dir: RunDir) -> Record | None:
    """Return the record of the cluster in ``run_dir``; None if none runs, or it is no record."""
    try:
        return msgspec.json.decode(run_dir.record.read_bytes(), type=Record)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def running(run_dir: RunDir) -> Record:
    """Return the record of the cluster that runs in ``run_dir``.

    Raises:
        Failed: None does.
    """
    if record := read(run_dir):
        return record
    raise Failed(f"no cluster runs in {run_dir.path}")


def write(run_dir: RunDir, record: Record) -> None:
    """Write the record, at once or not at all.

    Raises:
        Failed: It cannot be written.
    """
    replace_file(run_dir.record, msgspec.json.encode(record) + b"\n")


def replace_file(path: Path, content: bytes) -> None:
    """Put a file with this content into place: whoever reads ``path`` sees the old or the new.

    Raises:
        Failed: It cannot be written.
    """
    fresh = path.with_name(f"{path.name}.new")
    try:
        fresh.write_bytes(content)
        fresh.replace(path)
    except OSError as exc:
        raise Failed(f"{path} cannot be written: {exc}") from exc


def recorded_url(site: Site) -> str:
    """Return the address of the cluster's gateway.

    Where no cluster of this machine is running, it is the one that the settings name: a gateway
    in a container is reached by the same commands.
    """
    record = read(site.run_dir)
    return record.url if record else base_url(site.settings.mcp_host, site.settings.mcp_port)
