"""The verb `render`: what other engines are told, written from the operator's manifest."""

import typer

from deploy.composing import render_compose
from deploy.engines import render_kubernetes, render_swarm

app = typer.Typer(
    help="Write what Docker Compose and other engines read, from the manifest.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("compose")(render_compose)
app.command("swarm")(render_swarm)
app.command("kubernetes")(render_kubernetes)
