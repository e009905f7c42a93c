"""Agents that call without pause, and go to another gateway when theirs is gone."""

import asyncio
import contextlib
import itertools
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp import Client

from tests.cluster.agent import CALL_SECONDS
from tests.cluster.faults.asks import ASKS, Ask

EIGHT = 8

BETWEEN_FAILURES = 0.05
"""Seconds that an agent pauses after a failure, so that a dead gateway is not called in a spin."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one call.

    Attributes:
        began: When it was made, on the monotonic clock.
        ended: When it was answered, or given up.
        content: The structured content; empty if there was none.
        problem: Tool error or transport error; empty if it was answered.
    """

    ask: Ask
    began: float
    ended: float
    content: dict[str, Any]
    problem: str = ""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began

    @property
    def missing(self) -> dict[str, str]:
        """The libraries that the answer says are missing, and why."""
        return {row["library"]: row["reason"] for row in self.content.get("degraded", [])}


@dataclass
class Agents:
    """Eight clients of the gateways at ``urls``; half of them begin at each of two.

    Whoever loses the connection makes the same call once more at the next gateway, as a proxy in
    front would; with one gateway that call has failed.

    Attributes:
        asks: What the agent of each number asks, over and over.
        outcomes: In the order in which the calls ended.
    """

    urls: Sequence[str]
    asks: Callable[[int], Sequence[Ask]] = lambda number: ASKS
    outcomes: list[Outcome] = field(default_factory=list)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    @contextlib.asynccontextmanager
    async def calling(self) -> AsyncIterator[None]:
        """Keep the agents calling while the body runs; each has been answered once before it."""
        async with asyncio.TaskGroup() as group:
            agents = [_Agent(self, number) for number in range(EIGHT)]
            for agent in agents:
                group.create_task(agent.run())
            try:
                async with asyncio.timeout(CALL_SECONDS):
                    for agent in agents:
                        await agent.warm.wait()
                yield
            finally:
                self.hold()

    async def pause(self, seconds: float) -> None:
        """Let the agents call for so long."""
        await asyncio.sleep(seconds)

    def hold(self) -> None:
        """Have no further call made; those in flight end."""
        self._stop.set()

    @property
    def held(self) -> bool:
        """Whether no further call is made."""
        return self._stop.is_set()


class _Agent:
    """One of them: holds a connection, and what it is asking."""

    def __init__(self, agents: Agents, number: int) -> None:
        self.warm = asyncio.Event()
        self._agents = agents
        asks = agents.asks(number)
        # Each begins elsewhere in the list, so that all kinds of calls are under way at any time.
        start = number * len(asks) // EIGHT
        self._asks = itertools.cycle([*asks[start:], *asks[:start]])
        self._turn = number
        self._tries = 0
        self._calling = False
        self._begin()

    def _begin(self) -> None:
        self._ask, self._began, self._tries = next(self._asks), time.monotonic(), 0

    async def run(self) -> None:
        """Call until the agents are held."""
        while not self._agents.held:
            urls = self._agents.urls
            try:
                async with Client(urls[self._turn % len(urls)]) as client:
                    while not self._agents.held:
                        await self._call(client)
            except Exception as exc:  # noqa: BLE001 - whatever a client meets is what it reports
                await self._lost(exc)
        self.warm.set()

    async def _call(self, client: Client) -> None:
        if not self._tries:
            self._began = time.monotonic()
        self._calling = True
        async with asyncio.timeout(CALL_SECONDS):
            result = await client.call_tool(self._ask.tool, self._ask.arguments)
        content = result.structured_content
        assert isinstance(content, dict)
        self._end(content, str(content) if result.is_error else "")

    async def _lost(self, error: Exception) -> None:
        """Go to the next gateway with the same call, or give the call up."""
        if self._agents.held and not self._calling:
            return
        self._turn += 1
        self._tries += 1
        if self._tries >= len(self._agents.urls):
            self._end({}, _told(error))
            await asyncio.sleep(BETWEEN_FAILURES)

    def _end(self, content: dict[str, Any], problem: str) -> None:
        ended = time.monotonic()
        self._agents.outcomes.append(Outcome(self._ask, self._began, ended, content, problem))
        self._calling = False
        self.warm.set()
        self._begin()


def _told(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return repr(error)
