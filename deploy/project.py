"""A Compose project on this machine: its files, and what `docker compose` is told.

The files are below the run directory, and ``.env`` in the current folder names them, so that what
is done here and what an operator does with plain `docker compose` is the same project.
"""

import contextlib
import fcntl
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from common.errors import ConfigError
from common.manifest import Manifest, load, render
from deploy import compose, docker, dotenv, yaml_text
from deploy.demo import PROJECT
from deploy.errors import Failed
from deploy.site import RunDir

STATIC = PROJECT / "docker" / "compose.yaml"
SHARD = PROJECT / "docker" / "shard.yaml"

MAX_GATEWAYS = 20
"""Places for gateways in ``docker/haproxy.cfg``."""

_NAME = "COMPOSE_PROJECT_NAME"
_TAG = "CORPUS_TAG"


class Files(NamedTuple):
    """Where the generated files are."""

    folder: Path

    @property
    def project(self) -> Path:
        """What depends on the corpus; only its owner may read it, since it has the token."""
        return self.folder / "compose.shards.yaml"

    @property
    def config(self) -> Path:
        """The folder that every container sees as /config."""
        return self.folder / "config"

    @property
    def manifest(self) -> Path:
        """The resolved manifest."""
        return self.config / "corpus.toml"

    @property
    def lock(self) -> Path:
        """Held while a command changes the project."""
        return self.folder / "lock"


def files(run_dir: RunDir) -> Files:
    """Return the files of the project that belongs to a run directory."""
    return Files(run_dir.path / "compose")


@contextlib.contextmanager
def claim(where: Files) -> Iterator[None]:
    """Be the only command that changes the project.

    Raises:
        ConfigError: The folder cannot be written to.
        Failed: Another one is at it.
    """
    try:
        where.config.mkdir(parents=True, exist_ok=True)
        # Users of other numbers, as in the containers, must find the manifest.
        where.config.chmod(0o755)
        lock = where.lock.open("a", encoding="ascii")
    except OSError as exc:
        raise ConfigError(f"CORPUS_RUN_DIR: expected a folder to write into, got {exc}") from exc
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failed(f"another command is changing the project in {where.folder}") from None
        yield


def write(where: Files, project: Mapping[str, Any], manifest: Manifest) -> None:
    """Write the generated files; a running container sees the new manifest."""
    _replace(where.manifest, render(manifest), 0o644)
    _replace(where.project, compose.text(project), 0o600)


def read(where: Files) -> tuple[dict[str, Any], Manifest]:
    """Return the project and the resolved manifest as they were written.

    Raises:
        Failed: Nothing has been written there.
    """
    try:
        text = where.project.read_text(encoding="utf-8")
    except OSError:
        raise Failed(f"no project has been written to {where.folder}: run make start") from None
    return yaml_text.unescaped(yaml.safe_load(text)), load(where.manifest)


def own_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with what the operator's own lines in ``.env`` add to it."""
    return {**dotenv.own(_dotenv()), **environment}


def known(where: Files, environment: Mapping[str, str]) -> bool:
    """Tell whether a project was written before; then `docker compose` finds it again."""
    if not where.project.exists():
        return False
    write_dotenv(where, environment)
    return True


def write_dotenv(where: Files, environment: Mapping[str, str]) -> None:
    """Name the files and the project in ``.env``, for `docker compose`."""
    before = dotenv.ours(_dotenv())
    tag = environment.get(_TAG) or before.get(_TAG)
    names = {
        "COMPOSE_FILE": f"{_seen(STATIC)}:{_seen(where.project)}",
        # A name said once stays: under another one the same port would be asked for twice.
        _NAME: environment.get(_NAME) or before.get(_NAME) or _folder_name(),
        # So does a tag, which `make build` reads here too.
        **({_TAG: tag} if tag else {}),
    }
    Path(".env").write_text(dotenv.written(_dotenv(), names), encoding="utf-8")


def image(role: str, environment: Mapping[str, str]) -> str:
    """Return the name of the image of a role, as the project's files have it.

    Raises:
        Failed: It has not been built.
    """
    tag = environment.get(_TAG) or dotenv.ours(_dotenv()).get(_TAG) or "latest"
    name = f"corpus-mcp-{role}:{tag}"
    if not docker.lines("images", "--quiet", name):
        raise Failed(f"there is no image {name}: run make build")
    return name


def containers(*service: str) -> list[str]:
    """Return the ids of the containers of a service, or of all, that run or will again."""
    return docker.lines("compose", "ps", "--quiet", *service)


def replicas() -> Counter[str]:
    """Return how many containers each service has, in whatever state."""
    return Counter(docker.lines("compose", "ps", "--all", "--format", "{{.Service}}"))


def _dotenv() -> str:
    try:
        return Path(".env").read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def _seen(path: Path) -> str:
    """Return a path as it is written from the current folder, which may be moved."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _folder_name() -> str:
    """Return the name that Compose itself would give a project in the current folder."""
    name = re.sub(r"[^a-z0-9_-]", "", Path.cwd().name.lower()).lstrip("_-")
    return name or "corpus-mcp"


def _replace(path: Path, text: str, mode: int) -> None:
    unfinished = path.with_name(f".{path.name}.new")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as file:
        file.write(text)
    unfinished.chmod(mode)
    unfinished.rename(path)
