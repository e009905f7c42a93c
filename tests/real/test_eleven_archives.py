"""Eleven published archives through the MCP endpoint: judged questions, and every ref read."""

import asyncio
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from common.refs import parse_ref
from tests.cluster.agent import Answer, call, over_stdio, search_without_stragglers
from tests.cluster.running import RunningCluster, clean_environment
from tests.cluster.test_answers import read_whole_and_by_section
from tests.real.corpora import ELEVEN, paths
from tests.support.data import real_data
from tests.support.figures import Figure

pytestmark = [pytest.mark.real, pytest.mark.cluster]

SUCCESS_AT_5 = 0.80
"""Floor over all questions; the quality suite has its own, higher ones."""


def questions() -> list[dict[str, Any]]:
    lines = (real_data() / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def rank_of_answer(answer: Answer, expected: list[str]) -> int | None:
    """Return at which rank (from 1) the first expected page stands; None if it does not."""
    files = {name: Path(path).name for name, path in ELEVEN.items()}
    for rank, ref in enumerate(answer.refs, start=1):
        library, path = parse_ref(ref)
        if f"{files[library]}:{path}" in expected:
            return rank
    return None


def test_cluster_of_eleven_archives_is_ready_soon(tmp_path: Path, figure: Figure) -> None:
    began = time.monotonic()
    with RunningCluster(paths(ELEVEN), tmp_path / "run") as cluster:
        figure("eleven archives: validated and ready, s", time.monotonic() - began)
        assert all(cluster.ready(name) for name in ELEVEN)


def test_judged_questions_find_their_page(eleven: RunningCluster, figure: Figure) -> None:
    async def ask_all() -> list[tuple[str, int | None, bool, float]]:
        async with Client(eleven.url) as client:
            rows = []
            for question in questions():
                answer = await search_without_stragglers(client, question["query"])
                assert not answer.is_error, answer.content
                assert "degraded" not in answer.content
                rank = rank_of_answer(answer, question["answers"])
                rows.append((question["class"], rank, not answer.refs, answer.seconds))
            return rows

    rows = asyncio.run(ask_all())

    by_class = defaultdict(list)
    for class_, rank, empty, _ in rows:
        by_class[class_].append((rank, empty))
    for class_, outcomes in sorted(by_class.items()):
        first = sum(rank == 1 for rank, _ in outcomes) / len(outcomes)
        five = sum(rank is not None for rank, _ in outcomes) / len(outcomes)
        figure(f"questions, {class_}: success@1 / success@5", f"{first:.2f} / {five:.2f}")
    five = sum(rank is not None for _, rank, _, _ in rows) / len(rows)
    figure("questions, all: success@1", sum(rank == 1 for _, rank, _, _ in rows) / len(rows))
    figure("questions, all: success@5", five)
    figure("questions, all: median ms", sorted(row[3] for row in rows)[len(rows) // 2] * 1000)
    assert five >= SUCCESS_AT_5
    assert not [class_ for class_, _, empty, _ in rows if empty and class_ != "typo"]


def test_every_ref_of_every_search_reads_whole_and_by_section(eleven: RunningCluster) -> None:
    async def walk() -> tuple[int, list[str]]:
        problems: list[str] = []
        seen: set[str] = set()
        async with Client(eleven.url) as client:
            for question in questions():
                search = await call(client, "search", query=question["query"])
                for row in search.content["results"]:
                    problems += await hints_read(client, row)
                    if row["ref"] not in seen:
                        seen.add(row["ref"])
                        problems += await read_whole(client, row["ref"])
        return len(seen), problems

    read, problems = asyncio.run(walk())

    assert problems == []
    assert read > 100


async def hints_read(client: Client, row: dict[str, Any]) -> list[str]:
    """Return what is wrong with the sections that a hit hints at."""
    wanted = [section["id"] for section in row["relevant_sections"]]
    if not wanted:
        return []
    part = await call(client, "fetch", ref=row["ref"], sections=wanted)
    return [f"{row['ref']} {wanted}: {part.content}"] if part.is_error else []


async def read_whole(client: Client, ref: str) -> list[str]:
    """Return what is wrong with a document, whole and by at most its first 12 sections."""
    whole = await call(client, "fetch", ref=ref)
    if whole.is_error:
        return [f"{ref}: {whole.content}"]
    if not any(section["content"].strip() for section in whole.content["sections"]):
        return [f"{ref}: nothing to read"]
    problems = []
    for entry in whole.content["available_sections"][:12]:
        part = await call(client, "fetch", ref=ref, sections=[entry["id"]])
        if part.is_error or [row["id"] for row in part.content["sections"]] != [entry["id"]]:
            problems.append(f"{ref} {entry}: {part.content}")
    return problems


@pytest.mark.slow
def test_every_section_of_every_ref_reads(eleven: RunningCluster) -> None:
    async def walk() -> list[str]:
        problems: list[str] = []
        seen: set[str] = set()
        async with Client(eleven.url) as client:
            for question in questions():
                search = await call(client, "search", query=question["query"], limit=10)
                for ref in search.refs:
                    if ref not in seen:
                        seen.add(ref)
                        problems += await read_whole_and_by_section(client, ref)
        return problems

    assert asyncio.run(walk()) == []


def test_stdio_answers_over_the_same_archives(eleven: RunningCluster) -> None:
    env = {
        **clean_environment(),
        "CORPUS_RUN_DIR": str(eleven.run_dir),
        "CORPUS_CONFIG": str(eleven.run_dir / "corpus.toml"),
        "CORPUS_ROOT": str(eleven.root),
    }

    async def ask_both() -> list[tuple[Answer, Answer]]:
        pairs = []
        async with (
            Client(eleven.url) as http,
            over_stdio(sys.executable, "-m", "gateway", "stdio", env=env) as stdio,
        ):
            for question in questions()[::12]:
                one = await call(http, "search", query=question["query"])
                other = await call(stdio, "search", query=question["query"])
                pairs.append((one, other))
                for ref in one.refs[:1]:
                    whole = await call(http, "fetch", ref=ref)
                    pairs.append((whole, await call(stdio, "fetch", ref=ref)))
        return pairs

    for one, other in asyncio.run(ask_both()):
        assert one.content == other.content
