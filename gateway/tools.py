"""The two tools: strict arguments in, structured results out, one log line per call.

Nothing here knows MCP; `gateway.mcp_server` carries calls in and results out.
"""

import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from common import logs
from common.errors import CorpusError, InvalidArguments, Overloaded
from common.refs import MAX_REF_CHARS
from common.settings import Settings
from gateway.answers import SearchAnswer
from gateway.failures import failure, internal, printable
from gateway.metrics import Metrics
from gateway.root import Root
from gateway.schemas import ToolSpec, fetch_spec, search_spec

MAX_CALLS = 512
"""Calls answered at once; more would only wait for each other past their deadlines."""

MAX_QUERY_CHARS = 20_000
"""A query this long is a document: 32 words of it are searched for anyway."""

MAX_SECTIONS = 1000
"""More section ids than a document lists tenfold."""

MAX_SECTION_CHARS = 2000

_LOGGED_CHARS = 500

_WORDS = {
    "Object missing required field": "the call lacks the argument",
    "Object contains unknown field": "the call has the unknown argument",
    " | null": "",
    "Expected": "expected",
}
"""What msgspec finds, in words for who calls a tool."""

_T = TypeVar("_T")

logger = logs.get_logger()


class SearchArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of search."""

    query: str
    limit: int | None = None


class FetchArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of fetch."""

    ref: str
    sections: list[str] | None = None


class UnknownTool(Exception):
    """No tool has that name; a protocol error, not a result."""


class ToolResult(NamedTuple):
    """The structured content, the same as compact JSON, and whether it is an error."""

    content: dict[str, Any]
    text: str
    is_error: bool


class _Outcome(NamedTuple):
    content: dict[str, Any]
    name: str
    facts: dict[str, Any]


class Tools:
    """Search and fetch as callable by name."""

    def __init__(self, root: Root, settings: Settings, metrics: Metrics) -> None:
        self.specs: dict[str, ToolSpec] = {
            spec.name: spec
            for spec in (
                search_spec(settings.search_limit, settings.search_max_limit),
                fetch_spec(),
            )
        }
        self.in_flight = 0
        self._root = root
        self._settings = settings
        self._metrics = metrics
        self._handlers: dict[str, Callable[[Mapping[str, Any]], Awaitable[_Outcome]]] = {
            "search": self._search,
            "fetch": self._fetch,
        }

    async def call(self, name: str, arguments: Mapping[str, Any] | None) -> ToolResult:
        """Answer one call; only an unknown name and a cancellation come out as exceptions.

        Raises:
            UnknownTool: No tool has this name.
        """
        handler = self._handlers.get(name)
        if handler is None:
            raise UnknownTool(printable(name[:100]))
        arguments = arguments or {}
        began = time.monotonic()
        self.in_flight += 1
        self._metrics.calls_in_flight.inc()
        outcome = _Outcome({}, "cancelled", {})
        try:
            outcome = await self._answered(handler, arguments)
        finally:
            self.in_flight -= 1
            self._metrics.calls_in_flight.dec()
            self._record(name, arguments, outcome, time.monotonic() - began)
        return _result(outcome)

    async def _answered(
        self,
        handler: Callable[[Mapping[str, Any]], Awaitable[_Outcome]],
        arguments: Mapping[str, Any],
    ) -> _Outcome:
        try:
            self._demand_room()
            return await handler(arguments)
        except CorpusError as exc:
            content = failure(exc)
            if content is not None:
                return _Outcome(content, content["error"], {"reason": printable(str(exc))})
            return _incident(exc)
        except Exception as exc:  # noqa: BLE001 - the last line: whatever it is, the agent gets an id
            return _incident(exc)

    def _demand_room(self) -> None:
        if self.in_flight > MAX_CALLS:
            raise Overloaded(f"{MAX_CALLS} calls are being answered")

    async def _search(self, arguments: Mapping[str, Any]) -> _Outcome:
        asked = _decoded(arguments, SearchArguments)
        if len(asked.query) > MAX_QUERY_CHARS:
            raise InvalidArguments(
                f"query: expected at most {MAX_QUERY_CHARS} characters, got {len(asked.query)}"
            )
        limit = self._settings.search_limit if asked.limit is None else asked.limit
        if limit < 1:
            raise InvalidArguments(f"limit: expected an integer of at least 1, got {limit}")
        limit = min(limit, self._settings.search_max_limit)
        answer = await self._root.search(asked.query, limit)
        return _Outcome(msgspec.to_builtins(answer), _named(answer), _facts(answer))

    async def _fetch(self, arguments: Mapping[str, Any]) -> _Outcome:
        asked = _decoded(arguments, FetchArguments)
        sections = asked.sections or []
        _check_sections(sections)
        answer = await self._root.fetch(asked.ref, sections)
        chars = sum(len(section.content) for section in answer.sections)
        facts = {"library": answer.library, "chars": chars, "truncated": answer.truncated}
        return _Outcome(msgspec.to_builtins(answer), "ok", facts)

    def _record(
        self, tool: str, arguments: Mapping[str, Any], outcome: _Outcome, seconds: float
    ) -> None:
        self._metrics.calls.labels(tool, outcome.name).inc()
        self._metrics.call_seconds.labels(tool).observe(seconds)
        facts = dict(outcome.facts)
        if self._settings.log_queries:
            facts |= _asked(arguments)
        else:
            facts.pop("reason", None)
        logger.info(
            "tool call", tool=tool, outcome=outcome.name, ms=round(seconds * 1000, 1), **facts
        )


def _decoded(arguments: Mapping[str, Any], shape: type[_T]) -> _T:
    try:
        return msgspec.convert(arguments, shape, strict=True)
    except msgspec.ValidationError as exc:
        raise InvalidArguments(_complaint(str(exc), shape)) from None
    except UnicodeError:
        raise InvalidArguments(_complaint("a name is not valid Unicode", shape)) from None


def _complaint(found: str, shape: type[Any]) -> str:
    """Return msgspec's finding with the argument's name in front, and what is accepted."""
    names = [field.name for field in msgspec.structs.fields(shape)]
    what, _, where = found.partition(" - at `$.")
    detail = f"{where.rstrip('`')}: {what}" if where else what
    for theirs, ours in _WORDS.items():
        detail = detail.replace(theirs, ours)
    return f"invalid arguments: {detail}; the arguments are {' and '.join(names)}"


def _check_sections(sections: list[str]) -> None:
    if len(sections) > MAX_SECTIONS:
        raise InvalidArguments(f"sections: expected at most {MAX_SECTIONS}, got {len(sections)}")
    for section in sections:
        if len(section) > MAX_SECTION_CHARS:
            raise InvalidArguments(
                f"sections: expected ids of at most {MAX_SECTION_CHARS} characters"
            )
        try:
            section.encode("utf-8")
        except UnicodeError:
            raise InvalidArguments("sections: expected valid Unicode") from None


def broken(exc: Exception) -> ToolResult:
    """Return the result of a call that a bug ended outside of what `Tools.call` watches over."""
    return _result(_incident(exc))


def _result(outcome: _Outcome) -> ToolResult:
    text = msgspec.json.encode(outcome.content).decode("utf-8")
    return ToolResult(outcome.content, text, "error" in outcome.content)


def _incident(exc: Exception) -> _Outcome:
    incident = uuid.uuid4().hex[:12]
    logger.error("tool call broke", incident=incident, exc_info=exc)
    return _Outcome(internal(incident), "internal", {"incident": incident})


def _named(answer: SearchAnswer) -> str:
    return "degraded" if answer.degraded else "ok"


def _facts(answer: SearchAnswer) -> dict[str, Any]:
    facts: dict[str, Any] = {"results": len(answer.results)}
    if answer.degraded:
        facts["degraded"] = {missing.library: missing.reason for missing in answer.degraded}
    return facts


def _asked(arguments: Mapping[str, Any]) -> dict[str, str]:
    named = (("query", arguments.get("query")), ("ref", arguments.get("ref")))
    return {
        name: printable(value[:_LOGGED_CHARS])
        for name, value in named
        if isinstance(value, str) and len(value) <= MAX_REF_CHARS * 8
    }
