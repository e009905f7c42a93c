"""The gateway's command line: ``python -m gateway serve | stdio | health``.

Exit status: 0 good, 2 bad usage or configuration, 1 failure; of ``health`` only 0 and 1, which is
what those who ask for it understand. What a command needs is imported when it runs: a container is
asked for its health again and again.
"""

# ruff: noqa: PLC0415

import argparse
import sys
from collections.abc import Sequence

from common import settings as settings_table
from common.errors import ConfigError, CorpusError

GOOD, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = _parser().parse_args(arguments)
    if given.command == "health":
        return _health(given.port)
    try:
        _serve(given.command)
    except ConfigError as exc:
        sys.stderr.write(f"{exc}\n")
        return BAD_USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    return GOOD


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gateway", description="Answer agents through MCP.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("serve", help="serve over HTTP at MCP_HOST and MCP_PORT")
    commands.add_parser("stdio", help="serve one client over standard input and output")
    health = commands.add_parser("health", help="tell whether a gateway serves on this machine")
    health.add_argument("--port", type=int, help="default: MCP_PORT")
    return parser


def _serve(command: str) -> None:
    import asyncio
    import signal

    import uvloop

    from common import logs
    from gateway import app
    from gateway.limits import allow_open_files

    allow_open_files()
    settings = settings_table.load()
    logs.configure(settings.log_level, role="gateway")
    if command == "stdio":
        # The thread that reads stdin cannot be interrupted, and there is nothing to put away.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(app.stdio(settings) if command == "stdio" else app.serve(settings))


def _health(port: int | None) -> int:
    from gateway.health import check

    try:
        check(settings_table.load(), port)
    except CorpusError as exc:
        sys.stderr.write(f"gateway: {exc}\n")
        return FAILED
    return GOOD


if __name__ == "__main__":
    sys.exit(main())
