"""A search asked again, through a gateway over scripted replicas."""

import asyncio

import pytest

from common.errors import ShardFault
from common.frames import DescribeRequest, PreviewRequest, QueryRequest, SpellReply, SpellRequest
from gateway.analysis import analyse
from gateway.repeats import result_key
from tests.gateway.scripted import WAIT, described, found, run, sound, until
from tests.gateway.serving import HEADERS, http, rpc, serving


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", sound("Lib", "Bell test"))


async def ask(client, query="bell", **arguments):
    body = rpc("search", {"query": query, **arguments})
    response = await client.post("/mcp", json=body, headers=HEADERS)
    return response.json()["result"]["structuredContent"]


async def counted(client):
    """Return the counts of hit, miss and shared, and the bytes in the cache."""
    text = (await client.get("/metrics")).text
    counts = {
        outcome: float(line.split()[-1])
        for outcome in ("hit", "miss", "shared")
        for line in text.splitlines()
        if f'cache_requests_total{{outcome="{outcome}"}}' in line
    }
    (size,) = [
        float(line.split()[-1])
        for line in text.splitlines()
        if line.startswith("corpus_search_cache_bytes ")
    ]
    return counts, size


def queries(replica):
    return [request for request in replica.asked if isinstance(request, QueryRequest)]


def test_a_search_asked_again_sends_nothing(sockets, lib):
    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            first = await ask(client)
            frames = len(lib.asked)
            second = await ask(client, "  bell ")
            return first, second, frames, await counted(client)

    first, second, frames, (counts, size) = run(main())
    assert first == second
    assert first["results"]
    assert len(lib.asked) == frames
    assert counts == {"hit": 1, "miss": 1}
    assert size > 0


@pytest.mark.parametrize(
    "other", [{"query": "test"}, {"limit": 2}, {"query": "BELL test"}], ids=str
)
def test_another_search_is_asked(sockets, lib, other):
    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            await ask(client)
            await ask(client, **other)

    run(main())
    assert len(queries(lib)) == 2


def test_nothing_is_kept_when_the_cache_is_off(sockets, lib):
    async def main():
        async with serving(sockets, SEARCH_CACHE_MB="0") as (url, _), http(url) as client:
            return await ask(client) == await ask(client), await counted(client)

    same, (counts, size) = run(main())
    assert same
    assert len(queries(lib)) == 2
    assert (counts, size) == ({"miss": 2}, 0)


def test_an_empty_answer_is_not_kept(sockets, lib):
    def nothing(request):
        if isinstance(request, QueryRequest):
            return found(request)
        if isinstance(request, SpellRequest):
            return SpellReply(request_id=request.request_id, suggestions=[[]])
        return sound()(request)

    lib.script = nothing

    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            empty = await ask(client)
            lib.script = sound("Lib", "Bell test")
            return empty, await ask(client)

    empty, full = run(main())
    assert empty["results"] == []
    assert full["results"]


@pytest.mark.parametrize("failing", [QueryRequest, PreviewRequest])
def test_a_degraded_answer_is_not_kept(sockets, lib, replica, failing):
    other = replica("s/other.0", sound("Other", "Bell tower"))
    sane = other.script
    other.script = lambda request: (
        ShardFault("broken") if isinstance(request, failing) else sane(request)
    )

    async def main():
        async with serving(sockets, ("Lib", "Other")) as (url, _), http(url) as client:
            degraded = await ask(client)
            other.script = sane
            return degraded, await ask(client), await ask(client)

    degraded, whole, again = run(main())
    assert degraded["results"]
    assert degraded["degraded"] == [{"library": "Other", "reason": "fault"}]
    assert "degraded" not in whole
    assert again == whole


def test_an_answer_that_nobody_could_help_to_spell_is_not_kept(sockets, lib):
    def rare(request):
        if isinstance(request, SpellRequest):
            return ShardFault("broken")
        reply = sound("Lib", "Bell test")(request)
        if isinstance(request, QueryRequest):
            reply.frequencies[-1] = 0
            for hit in reply.hits:
                hit.counts[-1] = 0
        return reply

    async def main():
        lib.script = rare
        async with serving(sockets) as (url, _), http(url) as client:
            first = await ask(client, "bell thorughbred")
            await ask(client, "bell thorughbred")
            return first

    first = run(main())
    assert first["results"]
    assert "degraded" not in first
    assert any(isinstance(request, SpellRequest) for request in lib.asked)
    assert len(queries(lib)) == 2


def test_a_replaced_archive_is_asked_anew(sockets, lib, replica):
    def newer(request):
        if isinstance(request, DescribeRequest):
            return described(request, archive="another", snapshot="2026-07")
        return sound("Lib", "Bell experiment")(request)

    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            before = await ask(client)
            replica("s/lib.1", newer)
            await until(lambda: gateway.pool.editions()["Lib"].startswith("another "))
            return before, await ask(client)

    before, after = run(main())
    assert [hit["title"] for hit in before["results"]] == ["Bell test"]
    assert [hit["title"] for hit in after["results"]] == ["Bell experiment"]


def held(lib):
    """Return a script that holds queries back until the replica is released."""

    def answer(request):
        if isinstance(request, QueryRequest):
            lib.released.wait(WAIT)
        return sound("Lib", "Bell test")(request)

    return answer


def test_ten_at_once_send_one_scatter(sockets, lib):
    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            lib.script = held(lib)
            asking = [asyncio.create_task(ask(client)) for _ in range(10)]
            await until(lambda: gateway.tools.in_flight == 10 and lib.asked)
            lib.released.set()
            return await asyncio.gather(*asking), await counted(client)

    answers, (counts, _) = run(main())
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["results"]
    assert len(queries(lib)) == 1
    assert counts == {"miss": 1, "shared": 9}


def test_the_first_to_ask_may_hang_up_and_the_others_get_their_answer(sockets, lib):
    async def main():
        async with (
            serving(sockets) as (url, gateway),
            http(url) as client,
            http(url) as impatient,
        ):
            lib.script = held(lib)
            first = asyncio.create_task(ask(impatient))
            await until(lambda: lib.asked)
            others = [asyncio.create_task(ask(client)) for _ in range(3)]
            await until(lambda: gateway.tools.in_flight == 4)
            first.cancel()
            await until(lambda: gateway.tools.in_flight == 3)
            lib.released.set()
            return await asyncio.gather(*others)

    answers = run(main())
    assert all(answer["results"] for answer in answers)
    assert len(queries(lib)) == 1


def test_a_search_that_all_have_left_asks_for_no_previews(sockets, lib):
    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            lib.script = held(lib)
            asking = [asyncio.create_task(ask(client)) for _ in range(2)]
            await until(lambda: gateway.tools.in_flight == 2 and lib.asked)
            for each in asking:
                each.cancel()
            await until(lambda: gateway.tools.in_flight == 0)
            lib.released.set()
            lib.script = sound("Lib", "Bell test")
            return await ask(client, "test")

    answer = run(main())
    assert answer["results"]
    words = [request.words for request in lib.asked if isinstance(request, PreviewRequest)]
    assert words == [["test"]]


def test_a_search_is_told_by_its_words_its_limit_and_the_editions():
    editions = {"A": "1", "B": "2"}
    key = result_key(analyse("bell test"), 5, editions)

    assert key == result_key(analyse(" bell  test"), 5, dict(reversed(editions.items())))
    others = [
        result_key(analyse("bell tests"), 5, editions),
        result_key(analyse("bell test"), 6, editions),
        result_key(analyse("bell test"), 5, {"A": "1"}),
        result_key(analyse("bell test"), 5, {"A": "2", "B": "1"}),
    ]
    assert len({key, *others}) == 5
