"""A pool whose libraries and replicas come and go, over scripted replicas."""

import asyncio

import pytest
from structlog.testing import capture_logs

from common.errors import ShardUnavailable
from common.frames import DescribeRequest
from common.manifest import Library, Manifest, digest
from gateway import pool as pools
from gateway.pool import Pool
from tests.gateway.scripted import described, run, sound, until


class Book:
    """A discovery that a test writes: endpoints by library."""

    def __init__(self, **found):
        self.found = found
        self.looks = 0

    async def find(self, libraries):
        self.looks += 1
        return {one.name: self.found.get(one.name, []) for one in libraries}

    def why_none(self, library):
        return f"{library.name} is not in the book"

    async def next_look(self):
        """Wait until a look has begun and ended after this moment."""
        seen = self.looks
        await until(lambda: self.looks >= seen + 2)


class Pages:
    """Manifests that a pool is to take up, one after another."""

    def __init__(self):
        self.next = None

    def __call__(self):
        changed, self.next = self.next, None
        if isinstance(changed, Exception):
            raise changed
        return changed


def of(*names):
    return Manifest(tuple(Library(name=name, path="x.zim") for name in names))


@pytest.fixture(autouse=True)
def brisk(monkeypatch):
    monkeypatch.setattr(pools, "DISCOVERY_INTERVAL", 0.02)


@pytest.fixture
def lib(replica):
    return replica("lib.0", sound("Lib"))


@pytest.fixture
def other(replica):
    return replica("other.0", sound("Other"))


def test_replica_that_answers_outlives_its_name(lib):
    book = Book(Lib=[lib.endpoint])

    async def main():
        pool = Pool(of("Lib"), book)
        async with pool.running():
            await until(pool.ready)
            del book.found["Lib"]
            await book.next_look()
            assert pool.ready() == ["Lib"]
            await asyncio.to_thread(lib.stop)
            await until(lambda: not pool.shards["Lib"].replicas)
            return pool.why_none(pool.shards["Lib"])

    assert run(main()) == "Lib is not in the book"


def test_library_that_surprises_holds_no_other(lib):
    book = Book(Bad=["nonsense://"], Lib=[lib.endpoint])

    async def main():
        pool = Pool(of("Bad", "Lib"), book)
        async with pool.running():
            await until(lambda: pool.ready() == ["Lib"])

    with capture_logs() as logged:
        run(main())

    assert {entry.get("library") for entry in logged if entry["log_level"] == "error"} == {"Bad"}


def test_new_library_joins_when_it_is_ready_and_a_removed_one_leaves(lib, other):
    book, pages = Book(Lib=[lib.endpoint], Other=[other.endpoint]), Pages()

    async def main():
        pool = Pool(of("Lib"), book, reread=pages)
        async with pool.running():
            await until(lambda: pool.phase == "ready")
            pages.next = of("Other", "Lib")
            await until(lambda: len(pool.shards) == 2)
            assert list(pool.shards) == pool.ready() == ["Other", "Lib"]
            assert pool.digest == digest(of("Other", "Lib"))
            pages.next = of("Other")
            await until(lambda: list(pool.shards) == ["Other"])
            await until(lambda: len(pool.all()) == 1)
            assert set(pool.removed) == {"Lib"}
            return pool.phase

    assert run(main()) == "ready"


def test_new_library_that_is_not_ready_makes_nobody_degraded(lib):
    book, pages = Book(Lib=[lib.endpoint]), Pages()

    async def main():
        pool = Pool(of("Lib"), book, reread=pages)
        async with pool.running():
            await until(lambda: pool.phase == "ready")
            pages.next = of("Lib", "New")
            await until(lambda: "New" in pool.named)
            await book.next_look()
            return pool.phase, pool.missing(), list(pool.editions())

    assert run(main()) == ("ready", [], ["Lib"])


def test_removed_library_answers_those_who_hold_it(lib, other):
    book, pages = Book(Lib=[lib.endpoint], Other=[other.endpoint]), Pages()

    async def main():
        pool = Pool(of("Lib", "Other"), book, reread=pages)
        async with pool.running():
            await until(lambda: pool.phase == "ready")
            with pool.held() as view:
                pages.next = of("Other")
                await until(lambda: "Lib" not in pool.named)
                await book.next_look()
                assert view.joined["Lib"].ready
            await until(lambda: not view.joined["Lib"].replicas)
            return view.joined["Lib"].why_not()

    assert isinstance(run(main()), ShardUnavailable)


def test_manifest_that_surprises_does_not_stop_discovery(lib):
    book, pages = Book(), Pages()

    async def main():
        pool = Pool(of("Lib"), book, reread=pages)
        async with pool.running():
            pages.next = RecursionError("too deep")
            await book.next_look()
            book.found["Lib"] = [lib.endpoint]
            await until(pool.ready)

    with capture_logs() as logged:
        run(main())

    assert [entry["event"] for entry in logged if entry["log_level"] == "error"] == [
        "discovery failed"
    ]


def test_editions_tell_a_library_that_is_away_from_one_that_is_not_named(lib):
    book, pages = Book(Lib=[lib.endpoint]), Pages()

    async def main():
        pool = Pool(of("Lib", "Away"), book, reread=pages)
        async with pool.running():
            await until(pool.ready)
            with_away = pool.editions()
            pages.next = of("Lib")
            await until(lambda: len(pool.shards) == 1)
            return with_away, pool.editions()

    with_away, without = run(main())
    assert with_away.keys() == {"Lib", "Away"}
    assert with_away["Away"] == ""
    assert without == {"Lib": with_away["Lib"]}


def test_editions_tell_how_an_archive_is_read(replica):
    adapter = {"now": "mediawiki"}

    def script(request):
        if isinstance(request, DescribeRequest):
            return described(request, adapter=adapter["now"])
        return sound()(request)

    lib = replica("lib.0", script)

    async def main():
        pool = Pool(of("Lib"), Book(Lib=[lib.endpoint]))
        async with pool.running():
            await until(lambda: pool.phase == "ready")
            before = pool.editions()
            adapter["now"] = "devdocs"
            await until(lambda: pool.editions() != before)

    run(main())
