"""The verbs of `corpus-mcp`: each reads its options, does one thing, and prints what came of it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from common import manifest
from deploy import (
    cluster,
    composing,
    explaining,
    logs,
    reach,
    reloading,
    rendering,
    restarting,
    running,
    status,
    tables,
    turn,
)
from deploy.control import Supervisor
from deploy.errors import Failed
from deploy.foreground import interruptible
from deploy.launch import launch, validate
from deploy.options import Check, Config, Json, Port, Root, RunDirectory, site
from deploy.site import Site
from deploy.supervisor import GATEWAY, replica_names, stop_seconds

app = typer.Typer(
    help="Serve offline ZIM archives to AI agents: one MCP endpoint, a process per archive.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(rendering.app, name="render")
app.add_typer(composing.app, name="compose")


@app.command()
def up(
    config: Config = None,
    root: Root = None,
    run_dir: RunDirectory = None,
    port: Port = None,
    *,
    detach: Annotated[bool, typer.Option("--detach", help="Return once all is ready.")] = False,
) -> None:
    """Look into every archive, start the cluster, and serve until Ctrl-C."""
    place = site(config=config, root=root, run_dir=run_dir, port=port)
    with interruptible():
        started, ready = launch(place, _say)
        _say(f"serving {started.url}/mcp")
        for library in ready.gateway.libraries:
            _say(tables.ready_line(library))
        if not detach:
            _hold(started)


def _hold(started: cluster.Cluster) -> None:
    try:
        started.wait_ended()
    except KeyboardInterrupt:
        _say("stopping")
        started.stop()
        return
    started.stop()
    raise Failed("supervisord ended unexpectedly, so everything was stopped")


@app.command()
def down(run_dir: RunDirectory = None) -> None:
    """End the cluster: every process and every socket of it."""
    place = site(run_dir=run_dir)
    ran = cluster.is_alive(place.run_dir)
    cluster.stop(place.run_dir, stop_seconds(place.settings))
    if not ran and turn.is_taken(place.run_dir):
        raise Failed(
            f"a cluster is being started in {place.run_dir.path}: end it there with Ctrl-C, or "
            "try again once it serves"
        )
    _say(f"{'stopped the cluster' if ran else 'no cluster runs'} in {place.run_dir.path}")


@app.command()
def restart(
    library: Annotated[str, typer.Argument(help="Name of a library.")],
    run_dir: RunDirectory = None,
) -> None:
    """Replace the replicas of LIBRARY one after another, each before it goes."""
    with interruptible():
        restarting.restart(site(run_dir=run_dir), library, _say)


@app.command("reload")
def reload_manifest(config: Config = None, root: Root = None, run_dir: RunDirectory = None) -> None:
    """Serve what the manifest says now; whatever it says as before is left alone."""
    with interruptible():
        reloading.reload(site(run_dir=run_dir), config, root, _say)


@app.command("status")
def show_status(run_dir: RunDirectory = None, port: Port = None, *, as_json: Json = False) -> None:
    """Show each library and its replicas; exits with 1 if the gateway does not answer."""
    place = site(run_dir=run_dir, port=port)
    url, token = reach.gateway(place, port=port, run_dir=run_dir)
    current = status.read(url, token) or _from_supervisor(place, url)
    supervisor = cluster.supervisor_pid(place.run_dir)
    if as_json:
        where = {"endpoint": f"{url}/mcp", "run_dir": str(place.run_dir.path)}
        tables.print_json({**where, "supervisor_pid": supervisor, **current.raw})
    else:
        local = place.run_dir.record.exists()
        _say(tables.headline(current, url, supervised=not local or supervisor is not None))
        tables.print_table(tables.cluster(current))
    if not current.from_gateway:
        raise typer.Exit(1)


def _from_supervisor(place: Site, url: str) -> status.ClusterStatus:
    programs = Supervisor(place.run_dir.supervisor_socket).programs()
    if programs is None:
        raise Failed(f"no cluster runs in {place.run_dir.path}, and nothing answers at {url}")
    known, numbers = running.resolved(place.run_dir), running.numbers(place.run_dir)
    return status.from_supervisor(programs, known, numbers, place.run_dir)


@app.command("logs")
def show_logs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Libraries, or 'gateway'.")
    ] = None,
    run_dir: RunDirectory = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="Last lines of each.")] = 20,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new lines.")] = False,
) -> None:
    """Show what the gateway and the libraries logged."""
    place = site(run_dir=run_dir)
    programs = _programs(place, names or [])
    paths = {place.run_dir.logs / f"{name}.log": name for name in programs}
    followed = logs.follow(list(paths)) if follow else None
    for path, name in paths.items():
        for line in logs.tail(path, lines):
            _say(f"{name}: {line}")
    if followed:
        try:
            for path, line in followed:
                _say(f"{paths[path]}: {line}")
        except KeyboardInterrupt:
            return


def _programs(place: Site, names: list[str]) -> list[str]:
    run_dir = place.run_dir
    by_library = replica_names(running.resolved(run_dir), running.numbers(run_dir))
    if not names:
        return [GATEWAY, *(program for some in by_library.values() for program in some)]
    # A library may be called "gateway": then its own log is the one that is meant.
    return [
        program
        for name in names
        for program in (
            [GATEWAY]
            if name == GATEWAY and name not in by_library
            else by_library[running.library(run_dir, name).name]
        )
    ]


@app.command("keys")
def write_keys(
    folder: Annotated[Path, typer.Argument(help="Where to write them.")] = Path("keys"),
) -> None:
    """Write the keys with which gateways and shards of several machines know each other."""
    # Importing ZeroMQ takes longer than the other verbs run.
    from deploy import keys  # noqa: PLC0415 - see above

    for path in keys.write(folder):
        _say(str(path))


@app.command("validate")
def validate_corpus(config: Config = None, root: Root = None, *, check: Check = False) -> None:
    """Open every archive of the manifest and tell what is in it, or what is wrong."""
    place = site(config=config, root=root)
    wanted = manifest.load(place.config)
    with interruptible():
        found = validate(place, wanted, _say, check=check or place.settings.zim_check)
    tables.print_table(tables.validated(found))


@app.command("list")
def list_libraries(config: Config = None, root: Root = None) -> None:
    """List the libraries of the manifest; opens no archive."""
    place = site(config=config, root=root)
    wanted = manifest.load(place.config)
    tables.print_table(tables.libraries(wanted, place.root))


@app.command()
def search(  # noqa: PLR0913 - one for each option
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="A question or some words.")],
    limit: Annotated[int | None, typer.Option(help="Results wanted.")] = None,
    run_dir: RunDirectory = None,
    port: Port = None,
    *,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell why each hit stands where it does.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Search as an agent would, through the MCP endpoint."""
    if explain:
        _explain(" ".join(query), limit, port, run_dir, as_json=as_json)
        return
    arguments = {"query": " ".join(query)} | ({} if limit is None else {"limit": limit})
    content = _call("search", arguments, port, run_dir)
    if as_json:
        tables.print_json(content)
        return
    tables.print_lines(tables.hits(content))


def _explain(
    query: str, limit: int | None, port: int | None, run_dir: Path | None, *, as_json: bool
) -> None:
    place = site(run_dir=run_dir, port=port)
    url, token = reach.gateway(place, port=port, run_dir=run_dir)
    content = explaining.explain(url, token, query, limit)
    if as_json:
        tables.print_json(content)
        return
    tables.print_lines(explaining.head(content))
    tables.print_table(explaining.hits(content))


@app.command()
def fetch(
    ref: Annotated[str, typer.Argument(help="A reference that search returned.")],
    sections: Annotated[
        list[str] | None, typer.Argument(metavar="[SECTION]...", help="Only these section ids.")
    ] = None,
    run_dir: RunDirectory = None,
    port: Port = None,
    *,
    as_json: Json = False,
) -> None:
    """Read a document, or some sections of it, through the MCP endpoint."""
    arguments = {"ref": ref, "sections": sections or []}
    content = _call("fetch", arguments, port, run_dir)
    if as_json:
        tables.print_json(content)
        return
    _say(tables.document(content))


def _call(
    tool: str, arguments: dict[str, Any], port: int | None, run_dir: Path | None
) -> dict[str, Any]:
    # Importing the SDK takes a second, which the other verbs need not spend.
    from deploy.client import call_tool  # noqa: PLC0415 - see above

    place = site(run_dir=run_dir, port=port)
    url, token = reach.gateway(place, port=port, run_dir=run_dir)
    return call_tool(url, token, tool, arguments)


def _say(text: str) -> None:
    typer.echo(text)
