"""The `corpus-mcp` command; ``python -m deploy`` is the same."""

import sys
from typing import NoReturn

from common.errors import ConfigError, CorpusError


def main() -> None:
    """Run the command. Exit codes: 0 good, 1 failure, 2 bad usage or configuration."""
    try:
        # Takes most of a second, in which somebody may think better of it.
        from deploy.cli import app  # noqa: PLC0415 - see above

        app(prog_name="corpus-mcp")
    except CorpusError as exc:
        _end(str(exc), 2 if isinstance(exc, ConfigError) else 1)
    except OSError as exc:
        # What the system refuses where nobody expects it: a full disk, too many open files.
        _end(str(exc), 1)
    except KeyboardInterrupt:
        _end("interrupted", 1)


def _end(message: str, status: int) -> NoReturn:
    for line in message.splitlines():
        sys.stderr.write(f"corpus-mcp: {line}\n")
    sys.exit(status)


if __name__ == "__main__":
    main()
