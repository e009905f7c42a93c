"""The keys with which gateways and shards of several machines know each other (CURVE)."""

import os
from pathlib import Path

import zmq

from deploy.errors import Failed

SIDES = ("gateway", "shard")
"""Each has a key pair, so that neither can pass for the other."""

_SECRET, _PUBLIC = 0o600, 0o644


def write(folder: Path) -> list[Path]:
    """Write a pair for each side, ``<side>.key`` and ``<side>.pub``, and return the files.

    Raises:
        Failed: One of the files is there already, or the folder cannot be written to.
    """
    files = [(folder / f"{side}.{half}") for side in SIDES for half in ("key", "pub")]
    if there := [path for path in files if path.exists()]:
        raise Failed(f"expected a folder without keys, got {there[0]}, which is not overwritten")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for side in SIDES:
            public, secret = zmq.curve_keypair()
            _create(folder / f"{side}.key", secret, _SECRET)
            _create(folder / f"{side}.pub", public, _PUBLIC)
    except OSError as exc:
        raise Failed(f"expected a folder to write keys into, got {exc}") from exc
    return files


def _create(path: Path, key: bytes, mode: int) -> None:
    # Never there for a moment with a mode that lets others read it.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key + b"\n")
