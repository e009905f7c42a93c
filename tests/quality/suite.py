"""All sets of queries through a running cluster over eleven archives, as an agent asks them."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mcp import Client

from common.refs import parse_ref
from tests.cluster.agent import call
from tests.cluster.running import RunningCluster
from tests.quality.measures import (
    FIVE,
    TEN,
    Figures,
    Found,
    Lists,
    hijack_figures,
    judged_figures,
    misses,
    question_figures,
)
from tests.quality.questions import read_collections, read_hijacks, read_questions
from tests.real.corpora import ELEVEN, paths
from tests.support.data import real_data

INDEXES = ("auto", "libzim")
"""Values of SHARD_INDEX that have floors."""

IN_A_ROW = 10
"""SEARCH_MAX_CONSECUTIVE at which a collection may fill the list: diversity then costs nothing."""

TRIES = 10
"""Times that a query is asked while a library is slower than the others: a busy machine is no
fault, and what a library has read by then it has read."""

PATIENT = {"SEARCH_DEADLINE": "60", "SHARD_DOCUMENT_CACHE_MB": "256", "LOG_QUERIES": "false"}
"""The figures are about what is answered, not about how soon."""


class Suite:
    """The sets of queries, and what a cluster makes of them."""

    def __init__(self) -> None:
        data = real_data()
        self.questions = read_questions(data / "questions.jsonl")
        self.collections = read_collections(data)
        self.hijacks = read_hijacks()

    def figures(self, index: str, folder: Path) -> tuple[Figures, list[str]]:
        """Measure one kind of index; return the figures, and a line per question not answered.

        Runs two clusters below ``folder``, one after another: diversity at its default, and out of
        the way.
        """
        environment = {**PATIENT, "SHARD_INDEX": index}
        with RunningCluster(paths(ELEVEN), folder / "default", environment=environment) as cluster:
            lists = ask_all(cluster.url, self.short_queries(), FIVE)
            judged = ask_all(cluster.url, self.long_queries(), TEN)
        environment["SEARCH_MAX_CONSECUTIVE"] = str(IN_A_ROW)
        with RunningCluster(paths(ELEVEN), folder / "row", environment=environment) as cluster:
            in_a_row = ask_all(cluster.url, self.long_queries(), TEN)
        return self.evaluated(lists, judged, in_a_row)

    def short_queries(self) -> list[str]:
        """Return the queries that are asked as an agent does, with the default limit."""
        return [one.query for one in (*self.questions, *self.hijacks)]

    def long_queries(self) -> list[str]:
        """Return the judged queries."""
        return [one.query for queries in self.collections.values() for one in queries]

    def evaluated(self, lists: Lists, judged: Lists, in_a_row: Lists) -> tuple[Figures, list[str]]:
        """Return what `figures` does for these result lists."""
        figures = question_figures(self.questions, lists)
        figures["hijacks"] = hijack_figures(self.hijacks, lists)
        figures["judged"] = judged_figures(self.collections, judged)
        figures[f"judged, {IN_A_ROW} in a row"] = judged_figures(self.collections, in_a_row)
        return figures, misses(self.questions, lists)


def ask_all(url: str, queries: Iterable[str], limit: int) -> Lists:
    """Ask one query after another; none may go without an answer from every library."""

    async def ask() -> dict[str, Found]:
        async with Client(url) as client:
            return {query: await _ask(client, query, limit) for query in queries}

    return asyncio.run(ask())


async def _ask(client: Client, query: str, limit: int) -> Found:
    for _ in range(TRIES):
        answer = await call(client, "search", query=query, limit=limit)
        assert not answer.is_error, answer.content
        if "degraded" not in answer.content:
            return _found(answer.content["results"])
    raise AssertionError(f"{query!r} stays degraded: {answer.content['degraded']}")


def _found(rows: Iterable[Mapping[str, Any]]) -> Found:
    found = Found([], [], [])
    for row in rows:
        library, path = parse_ref(row["ref"])
        found.documents.append((Path(ELEVEN[library]).name, path))
        found.titles.append(row["title"])
        found.hints.append([section["title"] for section in row["relevant_sections"]])
    return found
