"""The verbs of `corpus-mcp compose`, for which `make start`, `scale` and `restart-shard` stand."""

import os
from typing import Annotated

import typer

from common.errors import ConfigError
from common.manifest import MAX_REPLICAS
from deploy import project, project_changes, tables
from deploy.foreground import interruptible
from deploy.options import Config, Port, Root, RunDirectory
from deploy.site import Site, describe

app = typer.Typer(
    help="Run the cluster in containers, with Docker Compose.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("start")
def start(
    config: Config = None, root: Root = None, run_dir: RunDirectory = None, port: Port = None
) -> None:
    """Look into every archive, start the containers, and return once every library is ready."""
    place = _site(config=config, root=root, run_dir=run_dir, port=port)
    where = project.files(place.run_dir)
    with interruptible(), project.claim(where):
        url, ready = project_changes.start(place, where, typer.echo)
    typer.echo(f"serving {url}/mcp")
    for library in ready.gateway.libraries:
        typer.echo(tables.ready_line(library))


@app.command("scale")
def scale(
    library: Annotated[str | None, typer.Argument(help="Name of a library.")] = None,
    replicas: Annotated[
        int | None, typer.Argument(help="Its replicas.", min=1, max=MAX_REPLICAS)
    ] = None,
    run_dir: RunDirectory = None,
    *,
    gateways: Annotated[
        int | None,
        typer.Option("--gateways", min=1, max=project.MAX_GATEWAYS, help="Gateways."),
    ] = None,
) -> None:
    """Run more or fewer replicas of LIBRARY, or gateways, until the next start."""
    if (library is None) != (replicas is None) or (library is None) == (gateways is None):
        raise ConfigError(
            "expected a library and its replicas (LIBRARY=… N=…), or gateways alone (GATEWAY=…)"
        )
    where = project.files(_site(run_dir=run_dir).run_dir)
    with interruptible(), project.claim(where):
        if library is not None and replicas is not None:
            scaled = project_changes.scale_library(where, library, replicas)
            typer.echo(f"{scaled.name}: {replicas} replicas are ready")
        elif gateways is not None:
            project_changes.scale_gateways(where, gateways)
            typer.echo(f"{gateways} gateways are ready")


@app.command("restart")
def restart(
    library: Annotated[str, typer.Argument(help="Name of a library.")],
    run_dir: RunDirectory = None,
) -> None:
    """Serve the newest archive of LIBRARY: new replicas come first, then the old ones go."""
    place = _site(run_dir=run_dir)
    where = project.files(place.run_dir)
    with interruptible(), project.claim(where):
        served = project_changes.replace(place, where, library, typer.echo)
    typer.echo(f"{served.name}: serves {served.path}")


def render_compose(
    config: Config = None, root: Root = None, run_dir: RunDirectory = None, port: Port = None
) -> None:
    """Look into every archive inside the shard image, and write the files of Docker Compose."""
    place = _site(config=config, root=root, run_dir=run_dir, port=port)
    where = project.files(place.run_dir)
    with interruptible(), project.claim(where):
        project_changes.prepare(place, where, typer.echo)
    typer.echo(f"wrote {where.project}, {where.manifest} and .env")


def _site(**options: object) -> Site:
    named = {
        "CORPUS_CONFIG": options.get("config"),
        "CORPUS_ROOT": options.get("root"),
        "CORPUS_RUN_DIR": options.get("run_dir"),
        "MCP_PORT": options.get("port"),
    }
    return describe(named, project.own_settings(os.environ))
