"""The demo corpus: four small archives that are made when they are missing.

Only for the manifest that stands beside this package, and only these four; any other archive that
is missing is its operator's to bring.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from common.manifest import Manifest, is_archive_file
from deploy.errors import Failed

PROJECT = Path(__file__).resolve().parent.parent

DEMO_NAMES = ("encyclopaedia", "reference", "questions", "site")
"""Folders of page sources below ``demo/``; each becomes ``demo-<name>.zim``."""

_BUILD_SECONDS = 120.0

_BUILD = (sys.executable, "-m", "shard", "build")


def is_demo(config: Path, project: Path = PROJECT) -> bool:
    """Tell whether ``config`` is the manifest of the demo corpus."""
    return config.resolve() == project / "corpus.toml"


def missing(manifest: Manifest, root: Path, project: Path = PROJECT) -> dict[Path, Path]:
    """Return the folder of page sources of each demo archive that is wanted and not in ``root``."""
    wanted = {library.path for library in manifest.libraries}
    sources = {f"demo-{name}.zim": project / "demo" / name for name in DEMO_NAMES}
    return {
        root / file: folder
        for file, folder in sources.items()
        if file in wanted and not is_archive_file(root / file)
    }


def build(archives: Mapping[Path, Path], notify: Callable[[Path], None]) -> None:
    """Make each archive out of its folder, all at once, each in a process of its own.

    Raises:
        Failed: One could not be made.
    """
    at = time.monotonic() + _BUILD_SECONDS
    started: list[tuple[Path, Path, subprocess.Popen[str]]] = []
    try:
        for target, folder in archives.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            # Two clusters may be started over one corpus root at the same moment.
            unfinished = target.with_name(f".{target.stem}.{os.getpid()}.zim")
            started.append((target, unfinished, _builder(folder, unfinished)))
        for target, unfinished, process in started:
            _finish(target, unfinished, process, at)
            notify(target)
    except OSError as exc:
        raise Failed(f"CORPUS_ROOT: expected a folder for the demo corpus, got {exc}") from exc
    finally:
        for _, unfinished, process in started:
            process.kill()
            process.communicate()
            unfinished.unlink(missing_ok=True)


def _builder(folder: Path, target: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - our own words
        (*_BUILD, str(folder), str(target)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )


def _finish(target: Path, unfinished: Path, process: subprocess.Popen[str], at: float) -> None:
    try:
        _, complaints = process.communicate(timeout=max(0.0, at - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise Failed(f"cannot make the demo archive {target}: it takes too long") from None
    if process.returncode:
        said = complaints.strip().splitlines()[-1:] or [f"exit status {process.returncode}"]
        raise Failed(f"cannot make the demo archive {target}: {said[0]}")
    unfinished.rename(target)
