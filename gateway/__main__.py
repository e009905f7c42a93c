"""The gateway's command line: ``python -m gateway serve`` and ``python -m gateway stdio``."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence

import uvloop

from common import logs
from common import settings as settings_table
from common.errors import ConfigError
from gateway import app

_COMMANDS = {"serve": app.serve, "stdio": app.stdio}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 after a good end, 2 if the configuration is wrong."""
    parser = argparse.ArgumentParser(prog="gateway", description=__doc__)
    parser.add_argument("command", choices=_COMMANDS, help="serve: over HTTP; stdio: over pipes")
    command = parser.parse_args(arguments).command
    try:
        settings = settings_table.load()
        logs.configure(settings.log_level, role="gateway")
        if command == "stdio":
            # The thread that reads stdin cannot be interrupted, and there is nothing to put away.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_COMMANDS[command](settings))
    except ConfigError as exc:
        sys.stderr.write(f"{exc}\n")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
