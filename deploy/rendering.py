"""The verb `render`: what other engines are told, written from the operator's manifest."""

import typer

from deploy.engines import render_kubernetes, render_swarm
from deploy.options import Config, Port, Root, RunDirectory, site

app = typer.Typer(
    help="Write what Docker Compose and other engines read, from the manifest.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("swarm")(render_swarm)
app.command("kubernetes")(render_kubernetes)


@app.command("compose")
def render_compose(
    config: Config = None,
    root: Root = None,
    run_dir: RunDirectory = None,
    port: Port = None,
) -> None:
    """Look into every archive inside the shard image, and write the files of Docker Compose."""
    place = site(config=config, root=root, run_dir=run_dir, port=port)
    typer.echo(f"nothing is written below {place.run_dir.path} yet")
