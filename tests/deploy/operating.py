"""Somebody at a command line."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from common.manifest import Library, Manifest, render
from deploy.port import free_port
from deploy.site import RunDir

SETTINGS = ("CORPUS_", "MCP_", "SEARCH_", "SHARD_", "GATEWAY_", "ZIM_")


class Operator:
    """Somebody who types commands in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_dir = RunDir(folder / ".run")
        own = {k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)}
        # Somebody else may use the usual port.
        self.environment = {**own, "MCP_PORT": str(free_port("127.0.0.1", 0))}

    def manifest(self, *libraries: Library) -> None:
        (self.folder / "corpus.toml").write_text(render(Manifest(libraries)))

    def corpus(self, **archives: Path) -> None:
        """Put archives into the corpus and name them in the manifest."""
        root = self.folder / "corpus"
        root.mkdir(exist_ok=True)
        for name, path in archives.items():
            (root / f"{name}.zim").write_bytes(path.read_bytes())
        self.manifest(*(Library(name=name, path=f"{name}.zim") for name in archives))

    def types(
        self, *words: str, before: Callable[[], None] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "deploy", *words],
            preexec_fn=before,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @contextlib.contextmanager
    def leaves_open(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        with subprocess.Popen(
            [sys.executable, "-u", "-m", "deploy", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as command:
            try:
                yield command
            finally:
                command.kill()


def complaint(result: subprocess.CompletedProcess[str]) -> str:
    """Return the one line on stderr."""
    (line,) = result.stderr.splitlines()
    assert line.startswith("corpus-mcp: ")
    return line
