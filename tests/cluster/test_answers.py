"""An agent searches and reads, through every process, over HTTP and stdio."""

import asyncio
import json
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from common.refs import format_ref
from tests.cluster.agent import ask, call, over_stdio
from tests.cluster.running import RunningCluster, clean_environment
from tests.support.zims import ODD_PATHS

pytestmark = pytest.mark.cluster

INVALID_PARAMS = -32602

QUESTIONS = [
    pytest.param("where do foxes live", "Wiki", "article", "Fox", id="article"),
    pytest.param("open a den at a path", "Burrow Docs", "documentation", "den", id="documentation"),
    pytest.param("how do foxes dig a den", "Q+A", "thread", "How do foxes dig a den?", id="thread"),
    pytest.param("visit the farm", "Farm", "page", "Visit us", id="page"),
]


@pytest.mark.parametrize(("query", "library", "kind", "title"), QUESTIONS)
def test_search_finds_the_page_of_each_family(
    cluster: RunningCluster, query: str, library: str, kind: str, title: str
) -> None:
    answer = ask(cluster.url, "search", query=query)

    found = [
        (row["library"], row["kind"], row["title"], row["snapshot"])
        for row in answer.content["results"]
    ]
    assert (library, kind, title, "2026-11") in found[:3]
    assert "degraded" not in answer.content


def test_every_ref_of_a_search_can_be_fetched_whole_and_by_section(
    cluster: RunningCluster,
) -> None:
    async def walk() -> list[str]:
        problems = []
        async with Client(cluster.url) as client:
            for query in ("fox", "den hen owl", "library farm visit", "odd address page"):
                search = await call(client, "search", query=query, limit=10)
                for ref in search.refs:
                    problems += await read_whole_and_by_section(client, ref)
        return problems

    assert asyncio.run(walk()) == []


async def read_whole_and_by_section(client: Client, ref: str) -> list[str]:
    """Return what is wrong with a document and its sections; empty if nothing is."""
    whole = await call(client, "fetch", ref=ref)
    if whole.is_error:
        return [f"{ref}: {whole.content}"]
    problems = []
    for entry in whole.content["available_sections"]:
        part = await call(client, "fetch", ref=ref, sections=[entry["id"]])
        if part.is_error or [row["id"] for row in part.content["sections"]] != [entry["id"]]:
            problems.append(f"{ref} {entry}: {part.content}")
    return problems


@pytest.mark.parametrize("path", [*ODD_PATHS, "Empty"])
def test_fetch_reads_any_html_entry_by_its_ref(cluster: RunningCluster, path: str) -> None:
    ref = format_ref("Wiki", path)

    answer = ask(cluster.url, "fetch", ref=ref)

    assert not answer.is_error, answer.content
    assert answer.content["ref"] == ref


def test_fetch_follows_a_redirect_to_the_ref_of_the_page(cluster: RunningCluster) -> None:
    answer = ask(cluster.url, "fetch", ref=format_ref("Wiki", "Vulpes_vulpes"))

    assert answer.content["ref"] == format_ref("Wiki", "Fox")
    assert answer.content["title"] == "Fox"


def test_sections_come_once_in_document_order_with_their_subsections(
    cluster: RunningCluster,
) -> None:
    ref = format_ref("Wiki", "Fox")

    answer = ask(cluster.url, "fetch", ref=ref, sections=["Species", "Den", "Habitat", "Species"])

    assert [row["id"] for row in answer.content["sections"]] == ["Habitat", "Species"]
    assert "### Den" in answer.content["sections"][0]["content"]
    assert answer.content["truncated"] is False


def test_thread_sections_carry_their_metadata(cluster: RunningCluster) -> None:
    ref = ask(cluster.url, "search", query="how do foxes dig a den").refs[0]

    sections = ask(cluster.url, "fetch", ref=ref).content["sections"]

    assert sections[0]["id"] == "question"
    assert sections[0]["metadata"]["tags"]
    assert {"score", "accepted"} <= set(sections[1]["metadata"])


ERRORS = [
    pytest.param("search", {"query": "?!"}, "invalid_query", id="nothing to search for"),
    pytest.param("search", {"query": ""}, "invalid_query", id="empty query"),
    pytest.param("search", {}, "invalid_arguments", id="no query"),
    pytest.param("search", {"query": 3}, "invalid_arguments", id="query is a number"),
    pytest.param("search", {"query": "x", "limit": "3"}, "invalid_arguments", id="limit is text"),
    pytest.param("search", {"query": "x", "limit": True}, "invalid_arguments", id="limit is true"),
    pytest.param("search", {"query": "x", "limit": 0}, "invalid_arguments", id="limit below 1"),
    pytest.param("search", {"query": "x", "page": 2}, "invalid_arguments", id="unknown argument"),
    pytest.param("fetch", {}, "invalid_arguments", id="no ref"),
    pytest.param("fetch", {"ref": "x", "sections": "a"}, "invalid_arguments", id="sections a text"),
    pytest.param("fetch", {"ref": "x", "sections": [1]}, "invalid_arguments", id="section number"),
    pytest.param("fetch", {"ref": "Fox"}, "invalid_ref", id="no ref at all"),
    pytest.param("fetch", {"ref": "corpus://Zoo/Fox"}, "invalid_ref", id="unknown library"),
    pytest.param("fetch", {"ref": "corpus://Wiki/%zz"}, "invalid_ref", id="broken percent"),
    pytest.param("fetch", {"ref": "corpus://Wiki/Unicorn"}, "not_found", id="no such page"),
    pytest.param(
        "fetch", {"ref": "corpus://Wiki/_assets_/fox.png"}, "not_found", id="a picture is no page"
    ),
    pytest.param(
        "fetch",
        {"ref": "corpus://Wiki/Fox", "sections": ["Den", "Wings"]},
        "section_not_found",
        id="no such section",
    ),
]


@pytest.mark.parametrize(("tool", "arguments", "error"), ERRORS)
def test_bad_call_is_a_tool_error_with_its_code(
    cluster: RunningCluster, tool: str, arguments: dict[str, Any], error: str
) -> None:
    answer = ask(cluster.url, tool, **arguments)

    assert answer.is_error
    assert answer.content["error"] == error
    assert answer.content["message"]


def test_section_not_found_says_what_is_missing_and_what_there_is(
    cluster: RunningCluster,
) -> None:
    answer = ask(cluster.url, "fetch", ref="corpus://Wiki/Fox", sections=["Den", "Wings"])

    assert answer.content["missing_sections"] == ["Wings"]
    assert {"id": "Den", "title": "Den"} in answer.content["available_sections"]


def test_unknown_tool_is_a_protocol_error(cluster: RunningCluster) -> None:
    async def unknown() -> int:
        async with Client(cluster.url) as client:
            with pytest.raises(MCPError) as refused:
                await client.call_tool("delete", {})
            return refused.value.code

    assert asyncio.run(unknown()) == INVALID_PARAMS


def test_limit_above_the_most_is_clamped(cluster: RunningCluster) -> None:
    answer = ask(cluster.url, "search", query="odd address page", limit=1000)

    assert not answer.is_error
    assert 5 < len(answer.refs) <= 10


def test_stdio_answers_as_http_does(cluster: RunningCluster) -> None:
    env = {
        **clean_environment(),
        "CORPUS_RUN_DIR": str(cluster.run_dir),
        "CORPUS_CONFIG": str(cluster.run_dir / "corpus.toml"),
        "CORPUS_ROOT": str(cluster.root),
    }

    async def search_and_fetch() -> tuple[dict[str, Any], dict[str, Any]]:
        async with over_stdio(sys.executable, "-m", "gateway", "stdio", env=env) as client:
            search = await call(client, "search", query="where do foxes live")
            fetch = await call(client, "fetch", ref=search.refs[0])
            return search.content, fetch.content

    search, fetch = asyncio.run(search_and_fetch())

    assert search == ask(cluster.url, "search", query="where do foxes live").content
    assert fetch == ask(cluster.url, "fetch", ref=search["results"][0]["ref"]).content


def test_health_says_ready(cluster: RunningCluster) -> None:
    assert cluster.get_json("/readyz")["status"] == "ready"
    assert cluster.get("/healthz")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({"Host": "evil.example"}, 421, id="foreign host"),
        pytest.param({"Origin": "http://evil.example"}, 403, id="foreign origin"),
    ],
)
def test_foreign_host_and_origin_are_refused(
    cluster: RunningCluster, headers: dict[str, str], expected: int
) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    request = urllib.request.Request(
        cluster.url,
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        },
    )

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)

    assert refused.value.code == expected
    refused.value.close()
