import asyncio

import pytest

from common.errors import Overloaded
from common.frames import DescribeRequest
from gateway.admission import Door
from tests.gateway.scripted import WAIT, described, run, sound
from tests.gateway.serving import HEADERS, http, rpc, serving


def test_so_many_are_in_at_once_and_the_others_follow_in_order():
    door, inside, seen = Door(2, WAIT), set(), []

    async def one(name):
        async with door.place():
            inside.add(name)
            seen.append((name, len(inside)))
            await asyncio.sleep(0)
            inside.remove(name)

    async def main():
        await asyncio.gather(*(one(name) for name in range(5)))

    run(main())
    assert [name for name, _ in seen] == [0, 1, 2, 3, 4]
    assert max(count for _, count in seen) == 2


def test_one_whose_turn_does_not_come_is_told_so():
    async def main():
        door = Door(1, 0.01)
        async with door.place():
            with pytest.raises(Overloaded):
                await door.place().__aenter__()
        async with door.place():
            return True

    assert run(main())


def test_one_who_goes_away_while_waiting_or_inside_leaves_no_place_taken():
    async def hold(door):
        async with door.place():
            await asyncio.Event().wait()

    async def main():
        door = Door(1, WAIT)
        tasks = [asyncio.create_task(hold(door)) for _ in range(3)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with door.place():
            return True

    assert run(main())


def test_search_that_has_no_turn_is_overloaded_and_may_be_tried_again(
    sockets, replica, monkeypatch
):
    monkeypatch.setattr("gateway.root.MAX_SEARCHES", 1)
    (sockets / "s").mkdir()
    lib = replica("s/lib.0", sound("Lib", "Bell test"))

    def slowly(request):
        if isinstance(request, DescribeRequest):
            return described(request)
        lib.released.wait(WAIT)
        return sound("Lib", "Bell test")(request)

    async def search(client, query):
        answer = await client.post("/mcp", json=rpc("search", {"query": query}), headers=HEADERS)
        return answer.json()["result"]["structuredContent"]

    async def main():
        async with serving(sockets, SEARCH_DEADLINE="2") as (url, _), http(url) as client:
            lib.script = slowly
            first = asyncio.create_task(search(client, "bell"))
            while not lib.asked:  # noqa: ASYNC110 - a thread has no event of this loop
                await asyncio.sleep(0.005)
            second = await search(client, "test")
            lib.released.set()
            return await first, second, await search(client, "test")

    first, second, third = run(main())
    assert (second["error"], second["retryable"]) == ("overloaded", True)
    assert "error" not in third
    assert "results" in first or first["error"] == "library_unavailable"
