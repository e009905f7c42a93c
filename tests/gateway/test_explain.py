"""Why a search came out so: what is told of each hit, and who is told."""

import msgspec
import pytest

from common.errors import ShardFault
from common.frames import DescribeRequest, QueryRequest
from tests.gateway.replies import hit, reply
from tests.gateway.scripted import run, sound
from tests.gateway.serving import HEADERS, http, rpc, serving


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", sound("Lib", "Bell test"))


@pytest.fixture
def ask(sockets, lib):
    """Send GET requests to a gateway; returns their answers."""

    def ask(*paths, names=("Lib",), env=None, **options):
        async def main():
            async with serving(sockets, names, **(env or {})) as (url, _), http(url) as client:
                return [await client.get(path, **options) for path in paths]

        return run(main())

    return ask


def test_explanation_tells_what_brought_each_hit_where_it_is(ask, lib):
    hits = [
        hit("long", [2, 0], title="A bell"),
        hit("exact", [1, 1], title="Bell test"),
        hit("other", [1, 0], title="Something"),
    ]

    def answer(request):
        if isinstance(request, QueryRequest):
            both = reply(hits, frequencies=[3, 1], documents=30)
            return msgspec.structs.replace(both, request_id=request.request_id)
        return sound("Lib")(request)

    lib.script = answer
    (answered,) = ask("/explain?query=bell+test&limit=2")

    told = answered.json()
    assert answered.headers["content-type"] == "application/json"
    assert [one["word"] for one in told["words"]] == ["bell", "test"]
    assert told["words"][0]["weight"] < told["words"][1]["weight"]
    exact, other = told["hits"]
    assert (exact["library"], exact["ref"]) == ("Lib", "corpus://Lib/exact")
    assert exact["matched"] == ["bell", "test"]
    assert exact["title_evidence"] == {
        "match": "title",
        "alias": "",
        "coverage": 1,
        "precision": 1,
    }
    assert exact["places"] == {"library": 2, "fused": 1, "final": 1}
    assert exact["evidence"] == 1
    assert exact["passage"] == 0.5
    assert exact["score"] > exact["fused"] > other["score"]
    assert other["matched"] == ["bell"]
    assert other["title_evidence"]["match"] == "none"
    assert other["places"] == {"library": 1, "fused": 2, "final": 2}


def test_explanation_is_always_made_anew(ask, lib):
    ask("/explain?query=bell", "/explain?query=bell")

    assert len([request for request in lib.asked if isinstance(request, QueryRequest)]) == 2


def test_explanation_names_the_libraries_that_are_missing(ask, lib, replica):
    other = sound("Other")
    replica(
        "s/other.0",
        lambda request: (
            other(request) if isinstance(request, DescribeRequest) else ShardFault("broken")
        ),
    )

    (answered,) = ask("/explain?query=bell", names=("Lib", "Other"))

    assert answered.json()["degraded"] == [{"library": "Other", "reason": "fault"}]
    assert answered.json()["hits"]


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/explain", "invalid_query"),
        ("/explain?query=%20", "invalid_query"),
        ("/explain?query=bell&limit=0", "invalid_arguments"),
        ("/explain?query=bell&limit=-1", "invalid_arguments"),
        ("/explain?query=bell&limit=five", "invalid_arguments"),
    ],
)
def test_bad_request_is_answered_with_400(ask, path, error):
    (answered,) = ask(path)

    assert answered.status_code == 400
    assert answered.json()["error"] == error


def test_too_large_a_limit_is_lowered(ask, lib):
    lib.script = sound("Lib", *(f"Bell {number}" for number in range(20)))

    (answered,) = ask("/explain?query=bell&limit=99999999999999999999", env={"SEARCH_LIMIT": "3"})

    assert len(answered.json()["hits"]) == 10


def test_search_that_nobody_answers_is_503(ask, lib):
    sane = lib.script
    lib.script = lambda request: (
        sane(request) if isinstance(request, DescribeRequest) else ShardFault("broken")
    )

    (answered,) = ask("/explain?query=bell")

    assert answered.status_code == 503
    assert answered.json()["error"] == "library_unavailable"


def test_strangers_are_refused(ask):
    (host,) = ask("/explain?query=bell", headers={"host": "evil.example"})
    (token,) = ask("/explain?query=bell", env={"MCP_TOKEN": "geheim"})
    (friend,) = ask(
        "/explain?query=bell",
        env={"MCP_TOKEN": "geheim"},
        headers={"authorization": "Bearer geheim"},
    )

    assert (host.status_code, token.status_code, friend.status_code) == (421, 401, 200)


def test_explain_is_no_tool(sockets, lib):
    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            listed = await client.post("/mcp", json=listing, headers=HEADERS)
            called = await client.post("/mcp", json=rpc("explain", {"query": "x"}), headers=HEADERS)
            return listed.json(), called.json()

    listed, called = run(main())
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["search", "fetch"]
    assert "Unknown tool" in called["error"]["message"]
