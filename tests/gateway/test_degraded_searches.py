"""Searches that a library is missing from, through a real client."""

import msgspec
from mcp.client.client import Client

from common.errors import ShardFault
from common.frames import DescribeRequest, Preview, PreviewRequest, QueryRequest
from tests.gateway.scripted import described, fails_with, found, run, sound
from tests.gateway.serving import serving


def both(sockets):
    """Search the libraries Lib and Other, which the test has started."""

    async def main():
        names = ("Lib", "Other")
        async with serving(sockets, names) as (url, _), Client(f"{url}/mcp") as client:
            return await client.call_tool("search", {"query": "bell"})

    return run(main())


def test_library_that_fails_is_named_and_the_others_answer(sockets, lib, other):
    other.script = lambda request: (
        described(request, "Other")
        if isinstance(request, DescribeRequest)
        else ShardFault("broken")
    )

    result = both(sockets)
    assert not result.is_error
    assert result.structured_content["degraded"] == [{"library": "Other", "reason": "fault"}]
    assert {hit["library"] for hit in result.structured_content["results"]} == {"Lib"}


def test_search_that_no_library_answers_is_an_error(call, lib):
    lib.script = fails_with(ShardFault("broken"))

    result = call("search", {"query": "bell"})

    assert result.structured_content["error"] == "library_unavailable"
    assert result.structured_content["retryable"] is True


def test_library_that_finds_pages_but_cannot_read_them_is_named(sockets, lib, other):
    def blind(request):
        if isinstance(request, PreviewRequest):
            return ShardFault("unreadable")
        return sound("Other", "Bell jar")(request)

    other.script = blind

    content = both(sockets).structured_content
    assert content["degraded"] == [{"library": "Other", "reason": "fault"}]
    assert all(hit["library"] == "Lib" for hit in content["results"])


def test_library_with_a_page_in_quarantine_is_named_and_its_other_pages_are_there(
    sockets, lib, other
):
    def script(request):
        reply = sound("Other", "Bell jar", "Bell tower")(request)
        if isinstance(request, PreviewRequest):
            first, *rest = reply.previews
            refused = Preview(path=first.path, failed=True, quarantined=True)
            return msgspec.structs.replace(reply, previews=[refused, *rest])
        return reply

    other.script = script

    content = both(sockets).structured_content
    assert content["degraded"] == [{"library": "Other", "reason": "quarantined"}]
    assert len([hit for hit in content["results"] if hit["library"] == "Other"]) == 1


def test_library_with_a_damaged_index_is_named_beside_what_it_found(sockets, lib, other):
    lib.script = sound("Lib", "Bell tower")
    found_by_title = sound("Other", "Bell jar")

    def script(request):
        reply = found_by_title(request)
        if isinstance(request, QueryRequest):
            return msgspec.structs.replace(reply, whole=False)
        return reply

    other.script = script

    content = both(sockets).structured_content
    assert content["degraded"] == [{"library": "Other", "reason": "fault"}]
    assert {hit["library"] for hit in content["results"]} == {"Lib", "Other"}


def test_found_nothing_is_an_empty_result(call, lib):
    lib.script = lambda request: (
        found(request) if isinstance(request, QueryRequest) else described(request)
    )

    result = call("search", {"query": "bell"})

    assert not result.is_error
    assert result.structured_content["results"] == []
    assert "bell" in result.structured_content["note"]


def test_pages_that_cannot_be_read_make_room_for_those_of_others(sockets, lib, other):
    lib.script = sound("Lib", *(f"Bell {i}" for i in range(20)))
    refusing = sound("Other", *(f"Bell jar {i}" for i in range(20)))
    other.script = lambda request: (
        ShardFault("unreadable") if isinstance(request, PreviewRequest) else refusing(request)
    )

    async def main():
        names = ("Lib", "Other")
        async with serving(sockets, names) as (url, _), Client(f"{url}/mcp") as client:
            return await client.call_tool("search", {"query": "bell", "limit": 10})

    assert len(run(main()).structured_content["results"]) == 10


def test_search_is_no_error_while_any_library_answers(sockets, lib, other):
    other.script = lambda request: (
        found(request) if isinstance(request, QueryRequest) else described(request, "Other")
    )
    readable = sound("Lib", "Bell test")
    lib.script = lambda request: (
        ShardFault("unreadable") if isinstance(request, PreviewRequest) else readable(request)
    )

    result = both(sockets)
    assert not result.is_error
    assert result.structured_content["results"] == []
    assert result.structured_content["degraded"] == [{"library": "Lib", "reason": "fault"}]
