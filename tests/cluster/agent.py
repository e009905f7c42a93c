"""The agent's side: real MCP clients that call and remember what they saw."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

CALL_SECONDS = 30
"""Bound on any call: above every deadline of the gateway."""


@dataclass
class Answer:
    """What one call brought: the structured content, and whether it was a tool error."""

    content: dict[str, Any]
    is_error: bool
    seconds: float = 0.0

    @property
    def refs(self) -> list[str]:
        """The refs of a search, in order."""
        return [row["ref"] for row in self.content.get("results", [])]

    @property
    def titles(self) -> list[str]:
        """The titles of a search, in order."""
        return [row["title"] for row in self.content.get("results", [])]


async def call(client: Client, tool: str, **arguments: Any) -> Answer:
    """Call a tool and return what came."""
    began = time.monotonic()
    async with asyncio.timeout(CALL_SECONDS):
        result = await client.call_tool(tool, arguments)
    content = result.structured_content
    assert isinstance(content, dict)
    return Answer(content, bool(result.is_error), time.monotonic() - began)


async def search_without_stragglers(client: Client, query: str) -> Answer:
    """Search, again where a library was slower than the others: a busy machine is no fault."""
    for _ in range(5):
        answer = await call(client, "search", query=query)
        if {row["reason"] for row in answer.content.get("degraded", [])} != {"timeout"}:
            break
    return answer


@contextlib.asynccontextmanager
async def over_stdio(command: str, *arguments: str, env: dict[str, str]) -> AsyncIterator[Client]:
    """Connect to a gateway that speaks on its standard streams."""
    parameters = StdioServerParameters(command=command, args=list(arguments), env=env)
    async with Client(stdio_client(parameters)) as client:
        yield client


def ask(url: str, tool: str, **arguments: Any) -> Answer:
    """Connect, call one tool, and leave."""

    async def once() -> Answer:
        async with Client(url) as client:
            return await call(client, tool, **arguments)

    return asyncio.run(once())


@dataclass
class Load:
    """Clients that call without pause until they are stopped.

    Attributes:
        answers: Every answer, in the order of arrival.
        failures: Tool errors and exceptions, as text.
    """

    url: str
    clients: int
    calls: list[tuple[str, dict[str, Any]]]
    answers: list[Answer] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    async def answered(self, more: int) -> None:
        """Wait until that many more answers have come."""
        wanted = len(self.answers) + more
        async with asyncio.timeout(CALL_SECONDS):
            while len(self.answers) < wanted and not self.failures:
                self._more.clear()
                await self._more.wait()

    def connect(self) -> contextlib.AbstractAsyncContextManager[Client]:
        """Return a new client."""
        return Client(self.url)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Load"]:
        """Keep the clients calling while the body runs; they have all answered once before it."""
        stop = asyncio.Event()
        warm = [asyncio.Event() for _ in range(self.clients)]
        async with asyncio.TaskGroup() as group:
            for number in range(self.clients):
                group.create_task(self._client(number, warm[number], stop))
            for event in warm:
                await event.wait()
            try:
                yield self
            finally:
                stop.set()

    @property
    def degraded(self) -> list[Answer]:
        """The answers from which a library is missing."""
        return [answer for answer in self.answers if "degraded" in answer.content]

    async def _client(self, number: int, warm: asyncio.Event, stop: asyncio.Event) -> None:
        try:
            async with self.connect() as client:
                turn = number
                while not stop.is_set():
                    tool, arguments = self.calls[turn % len(self.calls)]
                    turn += 1
                    await self._call(client, tool, arguments)
                    warm.set()
        except Exception as exc:  # noqa: BLE001 - whatever a client meets is a failure to report
            self.failures.append(repr(exc))
            self._more.set()
        finally:
            warm.set()

    async def _call(self, client: Client, tool: str, arguments: dict[str, Any]) -> None:
        answer = await call(client, tool, **arguments)
        self.answers.append(answer)
        if answer.is_error:
            self.failures.append(f"{tool} {arguments}: {answer.content}")
        self._more.set()
