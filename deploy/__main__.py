"""The `corpus-mcp` command; ``python -m deploy`` is the same."""

import sys

from common.errors import ConfigError, CorpusError
from deploy.cli import app


def main() -> None:
    """Run the command. Exit codes: 0 good, 1 failure, 2 bad usage or configuration."""
    try:
        app(prog_name="corpus-mcp")
    except CorpusError as exc:
        for line in str(exc).splitlines():
            sys.stderr.write(f"corpus-mcp: {line}\n")
        sys.exit(2 if isinstance(exc, ConfigError) else 1)


if __name__ == "__main__":
    main()
