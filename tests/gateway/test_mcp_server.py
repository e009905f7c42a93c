import asyncio
import json

import msgspec
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from common.errors import Overloaded, Quarantined, RefNotFound, SectionNotFound, ShardFault
from common.frames import DescribeRequest, DocumentRequest, PreviewRequest, QueryRequest
from tests.gateway.scripted import described, fails_with, read, run, sound, until
from tests.gateway.serving import HEADERS, http, rpc, serving

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@MODES
def test_client_finds_exactly_two_tools(sockets, lib, mode):
    async def main():
        async with serving(sockets) as (url, _), Client(f"{url}/mcp", mode=mode) as client:
            return (await client.list_tools()).tools, client.server_capabilities

    tools, capabilities = run(main())
    assert [tool.name for tool in tools] == ["search", "fetch"]
    assert capabilities.prompts is None
    assert capabilities.resources is None
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.annotations.idempotent_hint
        assert tool.annotations.open_world_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert "required" not in tool.output_schema


@MODES
def test_search_returns_what_the_contract_says(call, mode):
    result = call("search", {"query": "bell test"}, mode=mode)

    assert not result.is_error
    assert result.structured_content["results"][0] == {
        "ref": "corpus://Lib/Bell%20test",
        "library": "Lib",
        "kind": "article",
        "title": "Bell test",
        "snapshot": "2026-06",
        "snippet": "A snippet.",
        "relevant_sections": [{"id": "S", "title": "S"}],
    }
    assert set(result.structured_content) == {"results"}


@MODES
def test_text_block_holds_the_same_as_compact_json(call, mode):
    result = call("search", {"query": "bell"}, mode=mode)

    assert [block.type for block in result.content] == ["text"]
    text = result.content[0].text
    assert json.loads(text) == result.structured_content
    assert text == json.dumps(result.structured_content, separators=(",", ":"))


@MODES
def test_fetch_returns_what_the_contract_says(call, mode):
    result = call("fetch", {"ref": "corpus://Lib/Bell%20test"}, mode=mode)

    assert result.structured_content == {
        "ref": "corpus://Lib/Bell%20test",
        "library": "Lib",
        "kind": "article",
        "title": "Bell test",
        "snapshot": "2026-06",
        "sections": [{"id": "", "title": "Bell test", "content": "Text."}],
        "available_sections": [{"id": "", "title": "Bell test"}],
        "truncated": False,
    }


def test_fetch_asks_for_the_sections(call, lib):
    call("fetch", {"ref": "corpus://Lib/Den", "sections": ["", "A b"]})

    asked = [request for request in lib.asked if isinstance(request, DocumentRequest)]
    assert [(request.path, request.sections) for request in asked] == [("Den", ["", "A b"])]


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        pytest.param("search", {}, "invalid_arguments", id="nothing"),
        pytest.param("search", {"query": 3}, "invalid_arguments", id="number"),
        pytest.param("search", {"query": None}, "invalid_arguments", id="null"),
        pytest.param("search", {"query": "a", "top": 1}, "invalid_arguments", id="unknown"),
        pytest.param("search", {"query": "a", "limit": "3"}, "invalid_arguments", id="text"),
        pytest.param("search", {"query": "a", "limit": True}, "invalid_arguments", id="true"),
        pytest.param("search", {"query": "a", "limit": 2.5}, "invalid_arguments", id="half"),
        pytest.param("search", {"query": "a", "limit": 0}, "invalid_arguments", id="zero"),
        pytest.param("search", {"query": "a", "limit": -(10**30)}, "invalid_arguments", id="huge"),
        pytest.param("search", {"query": ""}, "invalid_query", id="empty"),
        pytest.param("search", {"query": " \x00\n?!"}, "invalid_query", id="no word"),
        pytest.param("search", {"query": "x" * 30000}, "invalid_arguments", id="long"),
        pytest.param("fetch", {"ref": ""}, "invalid_ref", id="empty ref"),
        pytest.param("fetch", {"ref": "http://x/y"}, "invalid_ref", id="scheme"),
        pytest.param("fetch", {"ref": "corpus://Nowhere/x"}, "invalid_ref", id="library"),
        pytest.param("fetch", {"ref": "corpus://Lib/%zz"}, "invalid_ref", id="percent"),
        pytest.param("fetch", {"ref": "corpus://Lib/" + "x" * 9000}, "invalid_ref", id="long ref"),
        pytest.param("fetch", {"ref": "corpus://Lib/x", "sections": "S"}, "invalid_arguments"),
        pytest.param("fetch", {"ref": "corpus://Lib/x", "sections": [1]}, "invalid_arguments"),
        pytest.param(
            "fetch",
            {"ref": "corpus://Lib/x", "sections": ["x"] * 2000},
            "invalid_arguments",
            id="many sections",
        ),
    ],
)
def test_bad_arguments_are_a_tool_error(call, tool, arguments, error):
    result = call(tool, arguments)

    assert result.is_error
    assert result.structured_content["error"] == error
    assert result.structured_content["message"]
    assert "retryable" not in result.structured_content


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({}, "the call lacks the argument `query`", id="missing"),
        pytest.param({"query": "a", "top": 1}, "the unknown argument `top`", id="unknown"),
        pytest.param({"query": "a", "limit": "3"}, "limit: expected `int`, got `str`", id="type"),
        pytest.param({"query": "a", "limit": 0}, "limit: expected an integer of at", id="range"),
    ],
)
def test_bad_argument_is_named_with_what_was_expected(call, arguments, words):
    assert words in call("search", arguments).structured_content["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"query": "a\ud800 den"}, id="query"),
        pytest.param({"quer\ud800y": "den"}, id="name"),
        pytest.param({"query": "den", "limit": "\ud800"}, id="value"),
        pytest.param({"ref": "corpus://Lib/\ud800"}, id="ref"),
        pytest.param({"ref": "corpus://Lib/x", "sections": ["\ud800"]}, id="section"),
    ],
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_lone_surrogates_never_break_the_server(sockets, lib, arguments, version):
    tool = "fetch" if "ref" in arguments else "search"
    body = rpc(tool, arguments)
    headers = {**HEADERS, "mcp-protocol-version": version}
    if version == "2026-07-28":
        body["params"]["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers |= {"mcp-method": "tools/call", "mcp-name": tool}

    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            answer = await client.post("/mcp", content=json.dumps(body), headers=headers)
            again = await client.post("/mcp", json=rpc("search", {"query": "x"}), headers=HEADERS)
            return answer, again

    answer, again = run(main())
    assert answer.status_code in (200, 400)
    assert "Traceback" not in answer.text
    result = answer.json().get("result", {}).get("structuredContent", {})
    assert result.get("error") != "internal"
    assert again.status_code == 200


def test_bug_outside_of_a_tool_shows_nothing_of_itself(sockets, lib, monkeypatch):
    def record(*_):
        raise OSError(32, "/var/log: Broken pipe")

    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            monkeypatch.setattr(gateway.tools, "_record", record)
            body = rpc("search", {"query": "bell"})
            return await client.post("/mcp", json=body, headers=HEADERS)

    answer = run(main())
    assert answer.json()["result"]["structuredContent"]["error"] == "internal"
    assert "pipe" not in answer.text


@MODES
def test_unknown_tool_is_a_protocol_error(sockets, lib, mode):
    async def main():
        async with serving(sockets) as (url, _), Client(f"{url}/mcp", mode=mode) as client:
            with pytest.raises(MCPError) as failure:
                await client.call_tool("delete", {})
            return failure.value.code

    assert run(main()) == INVALID_PARAMS


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(RefNotFound("/secret/x.zim"), {"error": "not_found"}, id="not found"),
        pytest.param(
            SectionNotFound("no S", missing=["S"], available=[("T", "Tea")]),
            {
                "error": "section_not_found",
                "missing_sections": ["S"],
                "available_sections": [{"id": "T", "title": "Tea"}],
            },
            id="section",
        ),
        pytest.param(
            Overloaded("/secret"), {"error": "overloaded", "retryable": True}, id="overloaded"
        ),
        pytest.param(Quarantined("/secret"), {"error": "library_unavailable"}, id="quarantined"),
        pytest.param(ShardFault("/secret Xapian"), {"error": "internal"}, id="fault"),
    ],
)
def test_failed_fetch_says_what_the_contract_says(call, lib, error, expected):
    lib.script = fails_with(error)

    result = call("fetch", {"ref": "corpus://Lib/x"})

    assert result.is_error
    content = dict(result.structured_content)
    message = content.pop("message")
    assert content == expected
    assert "secret" not in message


def test_calls_before_the_first_ready_are_told_so(sockets, lib):
    async def main():
        names = ("Lib", "Absent")
        async with serving(sockets, names, ready=1) as (url, _), Client(f"{url}/mcp") as client:
            return await client.call_tool("search", {"query": "bell"})

    content = run(main()).structured_content
    assert (content["error"], content["retryable"]) == ("starting", True)


@pytest.mark.parametrize(("limit", "hits"), [(None, 2), (1, 1), (3, 3), (99, 3)])
def test_limit_defaults_and_is_clamped(call, lib, limit, hits):
    lib.script = sound("Lib", *(f"Bell {i}" for i in range(9)))
    arguments = {"query": "bell"} | ({} if limit is None else {"limit": limit})

    result = call("search", arguments, SEARCH_LIMIT="2", SEARCH_MAX_LIMIT="3")

    assert len(result.structured_content["results"]) == hits


def test_five_hits_in_a_wide_script_stay_under_6_kb(call, lib):
    def wide(request):
        if isinstance(request, PreviewRequest):
            return read(request, snippet="колокол " * 37)
        return sound("Lib", *(f"Колокол {i} " + "я" * 80 for i in range(5)))(request)

    lib.script = wide

    result = call("search", {"query": "колокол"})

    assert len(result.structured_content["results"]) == 5
    assert len(msgspec.json.encode(result.structured_content)) < 6000


def test_preview_goes_to_the_archive_that_gave_the_hits(call, lib):
    call("search", {"query": "bell"})

    kinds = [type(request) for request in lib.asked]
    assert kinds == [QueryRequest, PreviewRequest]
    assert {request.archive for request in lib.asked} == {"uuid-of-Lib"}


@pytest.mark.parametrize("mode", ["2025-11-25", "2026-07-28"])
def test_call_is_cancelled_when_the_client_hangs_up(sockets, lib, mode):
    def silent(request):
        return described(request) if isinstance(request, DescribeRequest) else None

    body = rpc("search", {"query": "bell"})
    headers = {**HEADERS, "mcp-protocol-version": mode}
    if mode == "2026-07-28":
        body["params"]["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": mode,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers |= {"mcp-method": "tools/call", "mcp-name": "search"}

    async def main():
        async with serving(sockets, SEARCH_DEADLINE="600") as (url, gateway):
            lib.script = silent
            async with http(url) as client:
                post = asyncio.create_task(client.post("/mcp", json=body, headers=headers))
                await until(lambda: gateway.tools.in_flight)
                post.cancel()
                await asyncio.gather(post, return_exceptions=True)
            await until(lambda: not gateway.tools.in_flight)

    run(main())
