"""Where one cluster of this machine lives: its settings, its folders, and the files in them.

Everything a cluster writes is in its run directory: two clusters with different run directories
(and ports) know nothing of each other.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from common.endpoints import real_path, socket_dir
from common.settings import Settings, load

CLUSTER_MARK = "CORPUS_CLUSTER"
"""Set in every process of a cluster, and only there: CORPUS_RUN_DIR alone may also stand in the
environment of the operator's shell, whose children are none of ours."""


class RunDir(NamedTuple):
    """A run directory: absolute, symlinks resolved, so that every spelling means one cluster."""

    path: Path

    @property
    def manifest(self) -> Path:
        """The resolved manifest, which shards and gateways read."""
        return self.path / "corpus.toml"

    @property
    def supervisor_config(self) -> Path:
        """What supervisord was started with."""
        return self.path / "supervisord.conf"

    @property
    def supervisor_output(self) -> Path:
        """What supervisord says before it has its log."""
        return self.path / "supervisord.out"

    @property
    def supervisor_pid(self) -> Path:
        """Written by supervisord."""
        return self.path / "supervisord.pid"

    @property
    def logs(self) -> Path:
        """Folder of one log per program."""
        return self.path / "logs"

    @property
    def record(self) -> Path:
        """Where the cluster can be reached; there while it runs."""
        return self.path / "cluster.json"

    @property
    def lock(self) -> Path:
        """Held while a cluster starts or changes."""
        return self.path / "lock"

    @property
    def sockets(self) -> Path:
        """Folder of the sockets: here, or elsewhere where the path would be too long."""
        return socket_dir(self.path)

    @property
    def supervisor_socket(self) -> Path:
        """Where supervisord takes orders. No replica's socket is ever called so."""
        return self.sockets / "supervisor.sock"


class Site(NamedTuple):
    """One cluster as the operator's options and environment describe it.

    Attributes:
        environment: The caller's, with the options of the command line in it.
        config: The operator's manifest, absolute.
        root: The corpus root, absolute.
    """

    settings: Settings
    environment: Mapping[str, str]
    run_dir: RunDir
    config: Path
    root: Path


def describe(options: Mapping[str, object | None], environment: Mapping[str, str]) -> Site:
    """Return the site; ``options`` are settings by name that win over the environment.

    Raises:
        ConfigError: A setting is not what it should be.
    """
    given = {name: str(value) for name, value in options.items() if value is not None}
    merged = {**environment, **given}
    settings = load(merged)
    return Site(
        settings=settings,
        environment=merged,
        run_dir=RunDir(real_path(settings.corpus_run_dir)),
        config=absolute(settings.corpus_config),
        root=absolute(settings.corpus_root),
    )


def cluster_environment(site: Site, port: int) -> dict[str, str]:
    """Return the environment of every process of the cluster; relative paths made absolute."""
    token_file = site.settings.mcp_token_file
    return {
        **site.environment,
        "CORPUS_RUN_DIR": str(site.run_dir.path),
        "CORPUS_ROOT": str(site.root),
        "CORPUS_CONFIG": str(site.run_dir.manifest),
        "MCP_PORT": str(port),
        "MCP_TOKEN_FILE": "" if token_file is None else str(absolute(token_file)),
        CLUSTER_MARK: "1",
        # A stray common.py in the working folder must not shadow ours.
        "PYTHONSAFEPATH": "1",
        # supervisord reads its configuration in the locale's encoding.
        "PYTHONUTF8": "1",
    }


def base_url(host: str, port: int) -> str:
    """Return the address at which this machine reaches a gateway that listens on ``host``."""
    bare = host.strip("[]")
    reachable = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(bare, bare)  # noqa: S104 - compared, never bound
    bracketed = f"[{reachable}]" if ":" in reachable else reachable
    return f"http://{bracketed}:{port}"


def absolute(path: Path) -> Path:
    """Return ``path`` absolute, as it is spelled."""
    # Symlinks stay: the folder they lead to may be exchanged under a running cluster.
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow symlinks
