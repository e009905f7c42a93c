"""The error that an operator's command ends with when nothing is wrong with the configuration."""

from common.errors import CorpusError


class Failed(CorpusError):
    """The command could not do what it was asked; the message says what came in its way."""
