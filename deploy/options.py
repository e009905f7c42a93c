"""The options that verbs share, and the site that they describe."""

import os
from pathlib import Path
from typing import Annotated

import typer

from deploy.site import Site, describe

Config = Annotated[Path | None, typer.Option(help="The manifest (CORPUS_CONFIG).")]
Root = Annotated[Path | None, typer.Option(help="Folder of the archives (CORPUS_ROOT).")]
RunDirectory = Annotated[
    Path | None, typer.Option("--run-dir", help="Folder of the cluster's files (CORPUS_RUN_DIR).")
]
Port = Annotated[int | None, typer.Option(help="Port of the endpoint (MCP_PORT).")]
Check = Annotated[
    bool, typer.Option("--check", help="Verify checksums too, which reads everything (ZIM_CHECK).")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def site(
    *,
    config: Path | None = None,
    root: Path | None = None,
    run_dir: Path | None = None,
    port: int | None = None,
) -> Site:
    """Return the site that options and environment describe; options win.

    Raises:
        ConfigError: A setting is not what it should be.
    """
    options = {
        "CORPUS_CONFIG": config,
        "CORPUS_ROOT": root,
        "CORPUS_RUN_DIR": run_dir,
        "MCP_PORT": port,
    }
    return describe(options, os.environ)
