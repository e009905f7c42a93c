"""The error that an operator's command ends with when nothing is wrong with the configuration."""

from common.errors import CorpusError


class Failed(CorpusError):
    """The command could not do what it was asked; the message says what came in its way."""


def wrong_token(url: str) -> Failed:
    """Return the error for a gateway that asks for another token than ours."""
    return Failed(f"{url} asks for another token: set MCP_TOKEN or MCP_TOKEN_FILE as it has it")
