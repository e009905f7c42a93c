"""The command line of a shard: ``python -m shard serve | health | inspect | build``.

Exit status: 0 good, 2 bad usage or configuration, 1 failure. What a command needs is imported when
it runs, so that none pays for the others.
"""

# ruff: noqa: PLC0415, T201

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from common.errors import ConfigError, CorpusError
from common.manifest import ADAPTERS

GOOD, FAILED, BAD_USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    since = time.monotonic()
    given = _parser().parse_args(arguments)
    try:
        return _run(given, since)
    except ConfigError as exc:
        print(f"shard: {exc}", file=sys.stderr)
        return BAD_USAGE
    except CorpusError as exc:
        print(f"shard: {exc}", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="shard", description="Serve one archive.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="serve an archive at an endpoint")
    serve.add_argument("--library", required=True, help="name of the library")
    serve.add_argument(
        "--archive", type=Path, help="ZIM file; default: what CORPUS_CONFIG says of the library"
    )
    serve.add_argument("--endpoint", required=True, help="ipc:///path or tcp://address:port")
    serve.add_argument(
        "--adapter", choices=ADAPTERS, help="default: auto, or what CORPUS_CONFIG says"
    )

    health = commands.add_parser("health", help="tell whether a worker serves at an endpoint")
    health.add_argument("--endpoint", required=True, help="as it was given to serve")

    inspect = commands.add_parser("inspect", help="tell what an archive is")
    inspect.add_argument(
        "paths", type=Path, metavar="PATH", nargs="+", help="ZIM file; several need --json"
    )
    inspect.add_argument("--json", action="store_true", help="print a JSON object per file")
    inspect.add_argument("--check", action="store_true", help="verify the checksum as well")

    build = commands.add_parser("build", help="pack a folder of pages into an archive")
    build.add_argument("folder", type=Path, metavar="FOLDER")
    build.add_argument("file", type=Path, metavar="FILE")
    return parser


def _run(given: argparse.Namespace, since: float) -> int:
    if given.command == "serve":
        return _serve(given, since)
    if given.command == "health":
        return _health(given)
    if given.command == "inspect":
        return _inspect(given)
    return _build(given)


def _serve(given: argparse.Namespace, since: float) -> int:
    from common import logs, settings
    from shard import opening, service
    from shard.assignment import archive_of, assigned, own_settings
    from shard.worker import Post

    configured = settings.load()
    service.socket_of(given.endpoint)
    archive, adapter = given.archive, given.adapter or "auto"
    if archive is None:
        library = assigned(given.library, configured)
        archive = archive_of(library, configured.corpus_root)
        adapter = given.adapter or library.adapter
        configured = own_settings(library, configured)
    logs.configure(configured.log_level, role="shard", library=given.library)
    open_leaf = opening.opener(given.library, archive, adapter, configured)
    return service.run(Post(given.endpoint, configured), open_leaf, since=since)


def _health(given: argparse.Namespace) -> int:
    from shard.health import check

    check(given.endpoint)
    return GOOD


def _inspect(given: argparse.Namespace) -> int:
    import msgspec

    from common import logs
    from shard.inspect import inspect
    from shard.inspecting import inspect_each

    logs.configure("WARNING", role="inspect")
    if len(given.paths) > 1:
        if given.check or not given.json:
            raise ConfigError("inspect: expected one file, or several with --json alone")
        inspect_each(given.paths)
        return GOOD
    found = inspect(given.paths[0], check=given.check)
    if given.json:
        print(msgspec.json.encode(found).decode())
    else:
        for name, value in msgspec.structs.asdict(found).items():
            print(f"{name}: {'; '.join(value) if isinstance(value, list) else value}")
    return GOOD if found.ok else FAILED


def _build(given: argparse.Namespace) -> int:
    from shard.build import build

    build(given.folder, given.file)
    return GOOD


if __name__ == "__main__":
    sys.exit(main())
