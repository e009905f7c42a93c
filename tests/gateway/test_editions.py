"""Rolling changes: one search, one edition of each library, and no call lost."""

import asyncio
import threading

import pytest
from mcp.client.client import Client

from common.errors import Draining, ShardUnavailable, WrongArchive
from common.frames import DescribeRequest, DocumentRequest, PreviewRequest, QueryRequest
from gateway.call import Patience
from gateway.membership import State
from tests.gateway.pooling import FETCH, SEARCH, ask, document, edition, ready
from tests.gateway.scripted import described, found, read, rendered, run, until
from tests.gateway.serving import serving

PATIENT = Patience(60.0, 60.0, for_suspects=True)
OLD, NEW = ("2025-01", "old"), ("2026-01", "new")


def page_of(snapshot, uuid, name="Lib"):
    """Return the script of one edition, all of whose pages bear its UUID."""

    def answer(request):
        if isinstance(request, DescribeRequest):
            return described(request, name, snapshot=snapshot, archive=uuid)
        if request.archive != uuid:
            return WrongArchive(f"expected {uuid}")
        if isinstance(request, QueryRequest):
            return found(request, f"Bell {uuid}")
        if isinstance(request, PreviewRequest):
            return read(request, snippet=f"Read in {uuid}.")
        return rendered(request)

    return answer


def test_older_replica_gets_no_new_requests_but_those_pinned_to_it(start, pooled):
    old, new = start(0, edition(*OLD)), start(1, edition(*NEW))

    async def main():
        async with pooled(2) as (_, shard):
            await asyncio.gather(*(ask(shard) for _ in range(4)))
            await ask(shard, FETCH, request=document())
            pinned = await ask(shard, archive="old")
            return pinned.described.archive

    assert run(main()) == "old"
    assert ([request.archive for request in old.asked], len(new.asked)) == (["old"], 5)


def test_replica_that_turns_out_newer_is_asked_from_then_on(start, pooled):
    start(0, edition(*OLD))

    async def main():
        async with pooled() as (_, shard):
            before = await ask(shard)
            await asyncio.to_thread(start, 1, edition(*NEW))
            await until(lambda: len(ready(shard)) == 2)
            after = await ask(shard)
            return before.described.archive, after.described.archive, shard.identity.archive

    assert run(main()) == ("old", "new", "new")


@pytest.mark.parametrize("patience", [SEARCH, PATIENT], ids=["search", "patient"])
def test_request_pinned_to_an_edition_that_has_gone_is_told_at_once(start, pooled, patience):
    old = start(0, edition(*OLD))
    start(1, edition(*NEW))

    async def main():
        async with pooled(2) as (_, shard):
            await asyncio.to_thread(old.stop)
            await until(lambda: len(ready(shard)) == 1)
            with pytest.raises(WrongArchive):
                await ask(shard, patience, archive="old")

    run(main())


def test_request_pinned_to_a_restarting_edition_waits_for_it(start, pooled):
    old = start(0, edition(*OLD))

    async def main():
        async with pooled() as (_, shard):
            await asyncio.to_thread(old.stop)
            await until(lambda: not ready(shard))
            call = asyncio.create_task(ask(shard, PATIENT, archive="old"))
            await asyncio.to_thread(start, 0, edition(*OLD))
            return await call

    assert run(main()).described.archive == "old"


def test_request_pinned_to_an_edition_that_comes_back_as_another_is_told(start, pooled):
    old = start(0, edition(*OLD))

    async def main():
        async with pooled() as (_, shard):
            await asyncio.to_thread(old.stop)
            await until(lambda: not ready(shard))
            call = asyncio.create_task(ask(shard, PATIENT, archive="old"))
            await asyncio.to_thread(start, 0, edition(*NEW))
            with pytest.raises(WrongArchive):
                await call

    run(main())


def test_fetch_that_meets_a_drain_goes_on_with_the_next_edition(start, pooled):
    old = start(0, edition(*OLD))
    leaving = lambda request: Draining("") if isinstance(request, DocumentRequest) else None  # noqa: E731

    async def main():
        async with pooled() as (_, shard):
            old.script = leaving
            call = asyncio.create_task(ask(shard, FETCH, request=document()))
            await until(lambda: shard.state is State.DRAINING)
            await asyncio.to_thread(start, 1, edition(*NEW))
            return await call

    assert run(main()).described.archive == "new"


def test_search_waits_a_grace_while_every_replica_drains(start, pooled):
    replicas = [start(0, edition(*OLD)), start(1, edition(*OLD))]

    async def main():
        async with pooled(2) as (_, shard):
            for lib in replicas:
                lib.script = lambda request: Draining("")
            with pytest.raises(ShardUnavailable):
                await ask(shard, Patience(0.05, 5.0, for_suspects=False))
            return [one.membership.state for one in shard.replicas.values()]

    assert run(main()) == [State.DRAINING, State.DRAINING]
    assert [len(lib.asked) for lib in replicas] == [1, 1]


@pytest.fixture
def search(sockets, monkeypatch):
    """Search a gateway over these libraries."""
    monkeypatch.setattr("gateway.pool.DISCOVERY_INTERVAL", 0.02)

    def search(names):
        async def main():
            async with serving(sockets, names) as (url, _), Client(f"{url}/mcp") as client:
                result = await client.call_tool("search", {"query": "bell"})
                assert not result.is_error
                return result.structured_content

        return run(main())

    return search


def going(script, gone):
    """Return the script of a replica that answers queries, and after that drains."""

    def answer(request):
        if isinstance(request, PreviewRequest):
            gone()
            return Draining("leaving")
        return script(request)

    return answer


@pytest.mark.parametrize("names", [("Lib",), ("Lib", "Other")], ids=["alone", "beside another"])
def test_search_whose_edition_has_gone_is_made_again_with_the_next(search, start, names):
    known = threading.Event()
    next_one = []

    def told(request):
        if isinstance(request, DescribeRequest):
            known.set()
        return page_of(*NEW)(request)

    def gone():
        next_one.append(start(1, told))
        # What follows the description is the answer to the preview, on another connection.
        assert known.wait(5)

    start(0, going(page_of(*OLD), gone))
    start(0, page_of("2026-02", "beside", "Other"), slug="other")

    content = search(names)

    ours = [hit for hit in content["results"] if hit["library"] == "Lib"]
    assert [(hit["title"], hit["snapshot"]) for hit in ours] == [("Bell new", "2026-01")]
    assert ours[0]["snippet"] == "Read in new."
    assert "degraded" not in content
    assert [type(request) for request in next_one[0].asked] == [QueryRequest, PreviewRequest]


def test_search_whose_edition_has_gone_without_a_next_one_goes_on_without_it(search, start):
    start(0, going(page_of(*OLD), lambda: None))
    start(0, page_of("2026-02", "beside", "Other"), slug="other")

    content = search(("Lib", "Other"))

    assert content["degraded"] == [{"library": "Lib", "reason": "unavailable"}]
    assert {hit["library"] for hit in content["results"]} == {"Other"}
