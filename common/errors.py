"""Every deliberate error, and what the agent is told of it.

::

    CorpusError                  every deliberate error
    ├── ConfigError              [config]             the operator must edit something
    ├── RequestError             the caller's fault, never sent again
    │   ├── InvalidQuery         [invalid_query]
    │   ├── InvalidRef           [invalid_ref]
    │   ├── UnknownLibrary       [unknown_library]    the message lists the known ones
    │   ├── RefNotFound          [ref_not_found]
    │   ├── SectionNotFound      [section_not_found]  carries what is missing and what there is
    │   └── InvalidArguments     [invalid_arguments]
    ├── ShardError               one shard failed
    │   ├── ShardUnavailable     [unavailable]        retryable
    │   ├── Starting             [starting]           retryable
    │   ├── Draining             [draining]           retryable
    │   ├── Overloaded           [overloaded]         retryable on another replica
    │   ├── WrongArchive         [wrong_archive]      retryable after a new describe
    │   ├── Quarantined          [quarantined]        never sent again
    │   ├── DeadlineExceeded     [deadline_exceeded]  never sent again
    │   └── ShardFault           [shard_fault]        a bug or a broken entry, logged in the shard
    ├── ArchiveError             [archive]            the archive cannot be opened or read
    └── ProtocolError            [protocol]           undecodable, or of another version

``code`` goes over the wire between shard and gateway. The agent sees the codes of `AGENT_ERRORS`,
and the reasons of `DEGRADED_REASONS` for a library that is missing from a search.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple

DegradedReason = Literal["unavailable", "timeout", "overloaded", "quarantined", "fault", "starting"]
"""Why a library is missing from an answer; see `DEGRADED_REASONS`."""


class CorpusError(Exception):
    """Base of every deliberate error; ``str()`` is a message that may be shown."""

    code: ClassVar[str] = ""
    retryable: ClassVar[bool] = False


class ConfigError(CorpusError):
    """The configuration is wrong: the message names the key, what was expected and what came."""

    code = "config"


class RequestError(CorpusError):
    """The caller asked for something impossible."""


class InvalidQuery(RequestError):
    """The query holds nothing to search for."""

    code = "invalid_query"


class InvalidRef(RequestError):
    """The text is no reference."""

    code = "invalid_ref"


class UnknownLibrary(RequestError):
    """The reference names a library that is not configured."""

    code = "unknown_library"


class RefNotFound(RequestError):
    """The library has no such document."""

    code = "ref_not_found"


class SectionNotFound(RequestError):
    """The document has no such section.

    Attributes:
        missing: The ids that were asked for and are not there.
        available: ``(id, title)`` of the sections there are, in document order.
    """

    code = "section_not_found"

    def __init__(
        self,
        message: str,
        *,
        missing: Sequence[str] = (),
        available: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.missing = tuple(missing)
        self.available = tuple(available)


class InvalidArguments(RequestError):
    """A tool was called with arguments its schema does not allow."""

    code = "invalid_arguments"


class ShardError(CorpusError):
    """One shard failed; the others are not concerned."""


class ShardUnavailable(ShardError):
    """No replica of the library can be reached."""

    code = "unavailable"
    retryable = True


class Starting(ShardError):
    """The library has not been ready yet."""

    code = "starting"
    retryable = True


class Draining(ShardError):
    """The replica is on its way out and takes nothing new."""

    code = "draining"
    retryable = True


class Overloaded(ShardError):
    """The replica's queue is full."""

    code = "overloaded"
    retryable = True


class WrongArchive(ShardError):
    """The replica at this address serves another library or another archive now."""

    code = "wrong_archive"
    retryable = True


class Quarantined(ShardError):
    """This request ended two workers; the replica refuses it for a while."""

    code = "quarantined"


class DeadlineExceeded(ShardError):
    """No answer came before the deadline."""

    code = "deadline_exceeded"


class ShardFault(ShardError):
    """A bug or a broken entry; the shard logged it."""

    code = "shard_fault"


class ArchiveError(CorpusError):
    """The archive cannot be opened or read."""

    code = "archive"


class ProtocolError(CorpusError):
    """A frame cannot be decoded, or speaks another protocol version."""

    code = "protocol"


class AgentError(NamedTuple):
    """What an agent is told: the code of the public contract, and whether trying again may help."""

    error: str
    retryable: bool


AGENT_ERRORS: dict[str, AgentError] = {
    "invalid_query": AgentError("invalid_query", retryable=False),
    "invalid_ref": AgentError("invalid_ref", retryable=False),
    "unknown_library": AgentError("invalid_ref", retryable=False),
    "ref_not_found": AgentError("not_found", retryable=False),
    "section_not_found": AgentError("section_not_found", retryable=False),
    "invalid_arguments": AgentError("invalid_arguments", retryable=False),
    "unavailable": AgentError("library_unavailable", retryable=True),
    "draining": AgentError("library_unavailable", retryable=True),
    "wrong_archive": AgentError("library_unavailable", retryable=True),
    "protocol": AgentError("library_unavailable", retryable=True),
    "quarantined": AgentError("library_unavailable", retryable=False),
    "archive": AgentError("library_unavailable", retryable=False),
    "starting": AgentError("starting", retryable=True),
    "overloaded": AgentError("overloaded", retryable=True),
    "deadline_exceeded": AgentError("timeout", retryable=True),
    "shard_fault": AgentError("internal", retryable=False),
    "config": AgentError("internal", retryable=False),
}
"""One row per wire code; a test proves that no code is missing."""

DEGRADED_REASONS: dict[str, DegradedReason] = {
    "unavailable": "unavailable",
    "draining": "unavailable",
    "wrong_archive": "unavailable",
    "protocol": "unavailable",
    "archive": "fault",
    "shard_fault": "fault",
    "quarantined": "quarantined",
    "starting": "starting",
    "overloaded": "overloaded",
    "deadline_exceeded": "timeout",
}
"""The reason that a search gives for a library that failed with a wire code."""


def walk(root: type[CorpusError] = CorpusError) -> Iterator[type[CorpusError]]:
    """Yield every error class below ``root`` that has a code of its own."""
    for child in root.__subclasses__():
        if child.code:
            yield child
        yield from walk(child)


def from_code(code: str, message: str) -> CorpusError:
    """Return the error that travelled as ``code``; an unknown code is a `ShardFault`."""
    by_code = {error.code: error for error in walk()}
    return by_code.get(code, ShardFault)(message)
