"""Agents at the published port while something happens to the project."""

import asyncio
from collections.abc import Callable
from typing import Any

from tests.cluster.agent import Load
from tests.compose.checkout import Checkout

CLIENTS = 4

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "what happens when a shard crashes"}),
    ("fetch", {"ref": "corpus://Site/tour.html"}),
    ("search", {"query": "reciprocal rank fusion"}),
    ("search", {"query": "how do I update an archive"}),
    ("fetch", {"ref": "corpus://Encyclopaedia/BM25"}),
    ("search", {"query": "quarantine of a request"}),
]


def under_load(
    project: Checkout,
    happening: Callable[[], object],
    *,
    calls: list[tuple[str, dict[str, Any]]] = CALLS,
    after: int = 20,
) -> Load:
    """Let agents call while ``happening`` runs, and until ``after`` more calls are answered."""
    load = Load(project.url, CLIENTS, calls)

    async def run() -> None:
        async with load.running():
            await load.answered(CLIENTS * 2)
            await asyncio.to_thread(happening)
            await load.answered(after)

    asyncio.run(run())
    return load
