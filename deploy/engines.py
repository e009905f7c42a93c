"""The verbs that render for engines of many machines: `render swarm` and `render kubernetes`."""

from pathlib import Path
from typing import Annotated

import typer

from common import manifest
from common.errors import ConfigError
from deploy import kubernetes, remote, swarm
from deploy.containers import Images
from deploy.errors import Failed
from deploy.options import Config, Port, Root, site
from deploy.pods import Archives
from deploy.site import Site

GatewayImage = Annotated[
    str, typer.Option("--gateway-image", metavar="IMAGE", help="Image of the gateways.")
]
ShardImage = Annotated[
    str, typer.Option("--shard-image", metavar="IMAGE", help="Image of the shards.")
]
NodeCorpus = Annotated[
    Path | None,
    typer.Option("--corpus", help="Folder of the archives on the nodes; else as on this machine."),
]
Output = Annotated[Path | None, typer.Option("--output", help="Write into this file.")]

GATEWAY_IMAGE = "corpus-mcp-gateway:latest"
SHARD_IMAGE = "corpus-mcp-shard:latest"


def render_swarm(  # noqa: PLR0913 - one for each option
    *,
    config: Config = None,
    root: Root = None,
    corpus: NodeCorpus = None,
    port: Port = None,
    keys: Annotated[Path, typer.Option(help="Folder of what `corpus-mcp keys` made.")] = Path(
        "keys"
    ),
    gateways: Annotated[int, typer.Option(min=1, help="How many, each on a node of its own.")] = 1,
    gateway_image: GatewayImage = GATEWAY_IMAGE,
    shard_image: ShardImage = SHARD_IMAGE,
    output: Output = None,
) -> None:
    """Print the stack file of Docker Swarm; MCP_TOKEN_FILE names the token that it needs."""
    place = site(config=config, root=root, port=port)
    remote.demand_token(place.settings)
    text = swarm.render(
        swarm.Stack(
            manifest=remote.chosen(manifest.load(place.config), place.root),
            settings=place.settings,
            given=place.environment,
            images=Images(gateway_image, shard_image),
            sources=remote.sources(place.settings, place.config, keys),
            corpus=_on_nodes(corpus, place),
            gateways=gateways,
        )
    )
    _put(text, output)


def render_kubernetes(  # noqa: PLR0913 - one for each option
    *,
    config: Config = None,
    root: Root = None,
    corpus: NodeCorpus = None,
    claim: Annotated[
        str,
        typer.Option(help="Claim of a volume of archives, instead of a folder of the nodes."),
    ] = "",
    namespace: Annotated[str | None, typer.Option(help="Make it, and put everything in.")] = None,
    least: Annotated[int, typer.Option("--min-gateways", min=1, help="Fewest gateways.")] = 2,
    most: Annotated[int, typer.Option("--max-gateways", min=1, help="Most gateways.")] = 10,
    gateway_image: GatewayImage = GATEWAY_IMAGE,
    shard_image: ShardImage = SHARD_IMAGE,
    output: Output = None,
) -> None:
    """Print the objects of Kubernetes as one YAML stream; its head says which secrets they need."""
    if most < least:
        raise ConfigError(f"--max-gateways: expected at least --min-gateways ({least}), got {most}")
    if claim and corpus is not None:
        raise ConfigError("--claim: expected only one of --claim and --corpus")
    place = site(config=config, root=root)
    folder = "" if claim else _on_nodes(corpus, place)
    text = kubernetes.render(
        kubernetes.Cluster(
            manifest=remote.chosen(manifest.load(place.config), place.root),
            settings=place.settings,
            given=place.environment,
            images=Images(gateway_image, shard_image),
            archives=Archives(folder=folder, claim=claim),
            scale=kubernetes.Scale(least, most),
            namespace=namespace,
        )
    )
    _put(text, output)


def _on_nodes(corpus: Path | None, place: Site) -> str:
    if corpus is not None and not corpus.is_absolute():
        raise ConfigError(f"--corpus: expected an absolute path on the nodes, got {str(corpus)!r}")
    return str(corpus or place.root)


def _put(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise Failed(f"--output: expected a file that can be written, got {exc}") from exc
