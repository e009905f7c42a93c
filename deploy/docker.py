"""The operator's ``docker`` command: run it, and say in one line what came in its way."""

import subprocess
from collections.abc import Mapping

from deploy.errors import Failed

_WORDS = 400


def lines(*arguments: str, environment: Mapping[str, str] | None = None) -> list[str]:
    """Run ``docker`` and return the lines of its standard output.

    Raises:
        Failed: There is no such command, or it failed; the message has its last words.
    """
    try:
        result = subprocess.run(  # noqa: S603 - our own words
            ("docker", *arguments),  # noqa: S607 - the operator's docker
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            check=False,
        )
    except OSError as exc:
        raise Failed(f"docker cannot be run: {exc.strerror or exc}") from exc
    if result.returncode:
        said = " ".join(result.stderr.split())[-_WORDS:] or f"exit status {result.returncode}"
        raise Failed(f"docker {arguments[0]} failed: {said}")
    return result.stdout.splitlines()
