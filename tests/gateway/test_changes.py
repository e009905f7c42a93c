"""The manifest changes under a gateway that answers calls: libraries come and go."""

import asyncio
import threading

import pytest
from structlog.testing import capture_logs

from common import manifest
from common.frames import PreviewRequest
from common.manifest import Library, Manifest
from gateway import libraries, pool
from tests.gateway.scripted import WAIT, run, sound, until
from tests.gateway.serving import HEADERS, http, rpc, serving


@pytest.fixture(autouse=True)
def brisk(monkeypatch):
    monkeypatch.setattr(pool, "DISCOVERY_INTERVAL", 0.02)


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", sound("Lib", "Bell test"))


@pytest.fixture
def write(sockets):
    """Put a manifest of these libraries in place, as the operator's command does."""

    def write(*names):
        beside = sockets / "new.toml"
        named = tuple(Library(name=name, path="x.zim") for name in names)
        beside.write_text(manifest.render(Manifest(named)))
        beside.rename(sockets / "corpus.toml")
        return manifest.digest(Manifest(named))

    return write


async def call(client, tool, **arguments):
    answer = await client.post("/mcp", json=rpc(tool, arguments), headers=HEADERS)
    return answer.json()["result"]["structuredContent"]


async def search(client, query="bell"):
    return await call(client, "search", query=query)


def owners(answer):
    return {hit["library"] for hit in answer["results"]}


def test_libraries_come_and_go_under_searches_without_a_failed_one(sockets, lib, replica, write):
    replica("s/other.0", sound("Other", "Bell jar"))
    stopping = asyncio.Event()

    async def ask(client, number):
        answers = []
        while not stopping.is_set():
            answers.append(await search(client, f"bell {number} {len(answers)}"))
        return answers

    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            asking = [asyncio.create_task(ask(client, number)) for number in range(4)]
            for _ in range(5):
                write("Lib", "Other")
                await until(lambda: gateway.pool.ready() == ["Lib", "Other"])
                write("Other")
                await until(lambda: gateway.pool.ready() == ["Other"])
                write("Other", "Lib")
                await until(lambda: gateway.pool.ready() == ["Other", "Lib"])
                write("Lib")
                await until(lambda: gateway.pool.ready() == ["Lib"])
            stopping.set()
            return [answer for answers in await asyncio.gather(*asking) for answer in answers]

    answers = run(main())
    assert {frozenset(owners(answer)) for answer in answers} >= {
        frozenset({"Lib"}),
        frozenset({"Lib", "Other"}),
    }
    assert not [answer for answer in answers if "degraded" in answer or "error" in answer]


def test_search_that_has_begun_ends_with_the_library_that_is_removed(sockets, lib, replica, write):
    reading, go_on = threading.Event(), threading.Event()
    answer = sound("Other", "Bell jar")

    def slowly(request):
        if isinstance(request, PreviewRequest):
            reading.set()
            assert go_on.wait(WAIT)
        return answer(request)

    other = replica("s/other.0", slowly)

    async def main():
        async with serving(sockets, ("Lib", "Other")) as (url, gateway), http(url) as client:
            asked = asyncio.create_task(search(client))
            await until(reading.is_set)
            write("Lib")
            await until(lambda: list(gateway.pool.named) == ["Lib"])
            after = await search(client)
            go_on.set()
            before = await asked
            await until(lambda: len(gateway.pool.all()) == 1)
            return before, after, await call(client, "fetch", ref="corpus://Other/Bell%20jar")

    before, after, unknown = run(main())
    assert (owners(before), "degraded" in before) == ({"Lib", "Other"}, False)
    assert (owners(after), "degraded" in after) == ({"Lib"}, False)
    assert unknown["error"] == "invalid_ref"
    assert len([r for r in other.asked if isinstance(r, PreviewRequest)]) == 1


def test_answer_that_holds_a_removed_library_is_not_given_again(sockets, lib, replica, write):
    replica("s/other.0", sound("Other", "Bell jar"))

    async def main():
        async with serving(sockets, ("Lib", "Other")) as (url, gateway), http(url) as client:
            both = await search(client)
            write("Lib")
            await until(lambda: len(gateway.pool.shards) == 1)
            return both, await search(client)

    both, one = run(main())
    assert owners(both) == {"Lib", "Other"}
    assert owners(one) == {"Lib"}


def test_new_library_is_starting_for_a_fetch_and_no_search_misses_it(sockets, lib, write):
    async def main():
        async with serving(sockets, FETCH_DEADLINE="0.2") as (url, gateway), http(url) as client:
            await search(client, "bell")
            write("Lib", "New")
            await until(lambda: "New" in gateway.pool.named)
            fetched = await call(client, "fetch", ref="corpus://New/Page")
            return fetched, await search(client, "test"), (await client.get("/status")).json()

    fetched, found, status = run(main())
    assert (fetched["error"], fetched["retryable"]) == ("starting", True)
    assert "degraded" not in found
    assert [(one["name"], one["searched"]) for one in status["libraries"]] == [
        ("Lib", True),
        ("New", False),
    ]
    assert "no socket" in status["libraries"][1]["error"]


def test_fetch_waits_for_a_new_library(sockets, lib, replica, write):
    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            write("Lib", "New")
            await until(lambda: "New" in gateway.pool.named)
            fetching = asyncio.create_task(call(client, "fetch", ref="corpus://New/Page"))
            await asyncio.to_thread(replica, "s/new.0", sound("New"))
            return await fetching

    assert run(main())["title"] == "Page"


def test_new_library_that_does_not_come_is_missed_in_the_end(sockets, lib, write, monkeypatch):
    monkeypatch.setattr(libraries, "JOIN_AFTER", 0.0)

    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            complete = await search(client)
            write("Lib", "New")
            await until(lambda: len(gateway.pool.shards) == 2)
            # The same search: what is remembered of it was complete then and is not any more.
            return complete, await search(client)

    complete, missing = run(main())
    assert "degraded" not in complete
    assert missing["degraded"] == [{"library": "New", "reason": "starting"}]


def test_invalid_manifest_changes_nothing(sockets, lib):
    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            before = (await client.get("/status")).json()["manifest"]
            with capture_logs() as logged:
                (sockets / "corpus.toml").write_text("version = 2")
                await until(lambda: [e for e in logged if e["event"].startswith("manifest refus")])
            return before, (await client.get("/status")).json()["manifest"], await search(client)

    before, after, found = run(main())
    assert before == after
    assert owners(found) == {"Lib"}


def test_status_tells_which_manifest_is_served(sockets, lib, write):
    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            digest = write("Lib", "New")
            await until(lambda: gateway.pool.digest == digest)
            return digest, (await client.get("/status")).json()["manifest"]

    digest, told = run(main())
    assert told == digest


def test_status_says_why_a_library_is_down(sockets, lib):
    async def main():
        async with (
            serving(sockets, ("Lib", "Absent"), ready=1) as (url, _),
            http(url) as client,
        ):
            await asyncio.to_thread(lib.stop)
            while (status := (await client.get("/status")).json())["libraries"][0]["error"] == "":
                pass
            return status["libraries"], (await client.get("/")).text

    (lost, absent), page = run(main())
    assert lost["error"] == "not connected"
    assert absent["error"].startswith("no socket absent.* in ")
    assert "no socket absent.*" in page


def test_metrics_forget_a_removed_library(sockets, lib, replica, write):
    replica("s/other.0", sound("Other", "Bell jar"))

    async def main():
        async with serving(sockets, ("Lib", "Other")) as (url, gateway), http(url) as client:
            await search(client)
            before = (await client.get("/metrics")).text
            write("Lib")
            await until(lambda: len(gateway.pool.all()) == 1)
            return before, (await client.get("/metrics")).text

    before, after = run(main())
    assert 'library="Other"' in before
    assert 'library="Other"' not in after
    assert 'library="Lib"' in after
