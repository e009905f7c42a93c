"""Looking into archives inside the shard image, as the shards will: same libraries, same mount.

A damaged archive ends a process in a container that has no network and may write nothing.
"""

import subprocess
import uuid
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from deploy import docker
from deploy.containers import CORPUS, USER
from deploy.inspection import INSPECT_SECONDS, Report, inspect_all

_CONTAINER_SECONDS = 20.0
"""For a container to be made and removed, on a busy machine, on top of the look itself."""

_LABEL = "corpus.inspection"

Inspect = Callable[..., dict[Path, Report]]


def inspector(image: str, root: Path) -> Inspect:
    """Return an `inspect_all` that looks into archives below ``root`` inside ``image``."""
    return partial(_inspect_all, image=image, root=root)


def _inspect_all(
    paths: Iterable[Path], *, image: str, root: Path, **options: Any
) -> dict[Path, Report]:
    mark = f"{_LABEL}={uuid.uuid4().hex}"
    command = (
        *(
            "docker",
            "run",
            "--rm",
            "--init",
            "--pull",
            "never",
            "--label",
            mark,
            "--network",
            "none",
            "--read-only",
        ),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
        *("--mount", _bind(root), image, "python", "-m", "shard", "inspect", "--json"),
    )
    try:
        found = inspect_all(
            paths,
            command=command,
            seconds=INSPECT_SECONDS + _CONTAINER_SECONDS,
            named=lambda path: f"{CORPUS}/{path.relative_to(root).as_posix()}",
            **options,
        )
        return {path: _explained(report) for path, report in found.items()}
    finally:
        # One that is stuck in an archive outlives the command that started it.
        _remove(mark)


def _explained(report: Report) -> Report:
    # The operator, who may read it, must not wonder.
    if report.error and "Permission denied" in report.error:
        error = f"{report.error} (in a container user {USER} reads it, and enters its folders)"
        return msgspec.structs.replace(report, error=error)
    return report


def _remove(mark: str) -> None:
    left = docker.lines("ps", "--all", "--quiet", "--filter", f"label={mark}")
    if left:
        subprocess.run(  # noqa: S603 - our own words
            ("docker", "rm", "--force", *left),  # noqa: S607 - the operator's docker
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )


def _bind(root: Path) -> str:
    # The value is a line of CSV: a comma would begin the next field.
    quoted = str(root).replace('"', '""')
    return f'type=bind,"source={quoted}",target={CORPUS},readonly'
