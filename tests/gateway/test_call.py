import asyncio

import pytest

from common.deadline import Deadline
from common.errors import (
    DeadlineExceeded,
    Draining,
    Overloaded,
    Quarantined,
    ShardUnavailable,
    Starting,
    WrongArchive,
)
from common.frames import DescribeRequest, QueryRequest
from gateway.call import Call, Patience
from gateway.hedging import HedgeBudget
from gateway.membership import State
from gateway.metrics import Metrics
from tests.gateway.pooling import FETCH, ask, edition, query, ready
from tests.gateway.scripted import described, found, run, sound, until


def test_request_carries_the_archive_and_the_budget(start, pooled):
    lib = start()

    async def main():
        async with pooled() as (_, shard):
            await ask(shard, seconds=3)

    run(main())
    assert lib.asked[0].archive == "uuid-of-Lib"
    assert 2 < lib.asked[0].budget <= 3


def test_request_in_flight_fails_over_to_another_replica(start, pooled):
    dying, sound_one = start(0), start(1)

    async def main():
        async with pooled(2) as (_, shard):
            dying.script = lambda request: None
            call = asyncio.create_task(ask(shard))
            await until(lambda: dying.asked)
            await asyncio.to_thread(dying.stop)
            return await call

    assert run(main()).reply.hits
    assert len(sound_one.asked) == 1


def test_request_waits_for_the_next_worker(start, pooled):
    dying = start()

    async def main():
        async with pooled() as (_, shard):
            dying.script = lambda request: None
            call = asyncio.create_task(ask(shard, FETCH))
            await until(lambda: dying.asked)
            await asyncio.to_thread(dying.stop)
            await until(lambda: not ready(shard))
            await asyncio.to_thread(start)
            return await call

    assert run(main()).reply.hits


def test_time_of_draining_is_not_taken_from_that_of_a_restart(start, pooled):
    leaving = start(0, lambda r: Draining("") if isinstance(r, QueryRequest) else described(r))
    now = 0.0

    async def main():
        nonlocal now
        async with pooled() as (_, shard):
            patience = Patience(10.0, 1000.0, for_suspects=False)
            call = Call(shard, query(), Metrics(), patience, clock=lambda: now)
            answer = asyncio.create_task(call.run(Deadline.after(1000.0)))
            await until(lambda: shard.state is State.DRAINING)
            now += 9.0
            await asyncio.to_thread(leaving.stop)
            await until(lambda: shard.state is State.DOWN)
            now += 9.0
            await asyncio.to_thread(start)
            return await answer

    assert run(main()).reply.hits


def test_search_goes_on_without_a_library_that_does_not_come_back(start, pooled):
    gone = start()

    async def main():
        async with pooled() as (_, shard):
            await asyncio.to_thread(gone.stop)
            await until(lambda: not ready(shard))
            with pytest.raises(ShardUnavailable):
                await ask(shard)

    run(main())


def test_library_that_is_long_gone_is_not_waited_for(start, pooled):
    gone = start()

    async def main():
        async with pooled() as (_, shard):
            await asyncio.to_thread(gone.stop)
            await until(lambda: not ready(shard))
            with pytest.raises(ShardUnavailable):
                await ask(shard, Patience(1000.0, after_loss=-1.0, for_suspects=True), seconds=1000)

    run(main())


@pytest.mark.parametrize("refusal", [Overloaded("full"), Draining("leaving")], ids=lambda e: e.code)
def test_refused_request_is_sent_to_another_replica(start, pooled, refusal):
    def refuse(request):
        return refusal if isinstance(request, QueryRequest) else described(request)

    refusing, sound_one = start(0, refuse), start(1)

    async def main():
        async with pooled(2) as (_, shard):
            return await asyncio.gather(*(ask(shard) for _ in range(4)))

    assert all(answer.reply.hits for answer in run(main()))
    assert refusing.asked
    assert len(sound_one.asked) == 4


def test_overload_of_the_only_replica_is_told(start, pooled):
    lib = start(0, lambda r: Overloaded("") if isinstance(r, QueryRequest) else described(r))

    async def main():
        async with pooled() as (_, shard):
            with pytest.raises(Overloaded):
                await ask(shard)

    run(main())
    assert len(lib.asked) == 1


def test_missed_deadline_is_never_sent_again(start, pooled):
    silent = lambda r: None if isinstance(r, QueryRequest) else described(r)  # noqa: E731
    replicas = [start(0, silent), start(1, silent)]

    async def main():
        async with pooled(2) as (_, shard):
            with pytest.raises(DeadlineExceeded):
                await ask(shard, seconds=0.1)

    run(main())
    assert sum(len(lib.asked) for lib in replicas) == 1


def test_quarantined_request_is_never_sent_again(start, pooled):
    refuse = lambda r: Quarantined("") if isinstance(r, QueryRequest) else described(r)  # noqa: E731
    replicas = [start(0, refuse), start(1, refuse)]

    async def main():
        async with pooled(2) as (_, shard):
            with pytest.raises(Quarantined):
                await ask(shard)

    run(main())
    assert sum(len(lib.asked) for lib in replicas) == 1


def test_suspect_is_not_asked_and_comes_back_with_an_answer(start, pooled):
    stuck = start()

    def block(request):
        stuck.released.wait(10)
        return found(request, "Den") if isinstance(request, QueryRequest) else described(request)

    async def main():
        async with pooled() as (_, shard):
            stuck.script = block
            with pytest.raises(DeadlineExceeded):
                await ask(shard, seconds=0.1)
            assert shard.state is State.SUSPECT
            with pytest.raises(DeadlineExceeded):
                await ask(shard, seconds=1000)
            asked_while_suspect = len(stuck.asked)
            stuck.released.set()
            await until(lambda: ready(shard))
            return asked_while_suspect

    assert run(main()) == 1


def test_changed_archive_is_described_anew_and_asked_again(start, pooled):
    lib = start()

    def replaced(request):
        if isinstance(request, DescribeRequest):
            return described(request, archive="new")
        if request.archive != "new":
            return WrongArchive("another archive")
        return found(request, "Den")

    async def main():
        async with pooled() as (_, shard):
            lib.script = replaced
            return await ask(shard)

    assert run(main()).described.archive == "new"


def test_pinned_request_never_goes_to_another_edition(start, pooled):
    lib = start()

    async def main():
        async with pooled() as (_, shard):
            with pytest.raises(WrongArchive):
                # At once: no waiting brings the older one back.
                await ask(shard, Patience(1000.0, 1000.0, for_suspects=True), archive="older")

    run(main())
    assert lib.asked == []


def test_newest_snapshot_is_asked(start, pooled):
    old, new = start(0, edition("2025-01", "a")), start(1, edition("2026-01", "b"))

    async def main():
        async with pooled(2) as (_, shard):
            await asyncio.gather(*(ask(shard) for _ in range(4)))

    run(main())
    assert (len(old.asked), len(new.asked)) == (0, 4)


def test_load_is_shared_between_replicas(start, pooled):
    replicas = [start(0), start(1)]

    async def main():
        async with pooled(2) as (_, shard):
            await asyncio.gather(*(ask(shard) for _ in range(10)))

    run(main())
    assert [len(lib.asked) for lib in replicas] == [5, 5]


def test_slow_replica_is_hedged(start, pooled):
    slow, quick = start(0), start(1)

    def block(request):
        slow.released.wait(10)
        return sound()(request)

    async def main():
        async with pooled(2) as (_, shard):
            for _ in range(10):
                await ask(shard)
            slow.script = block
            # The requests before may have used up what there was to spend.
            shard.hedges = HedgeBudget()
            # The quick one looks slow, so the slow one is chosen first.
            shard.replicas[quick.endpoint].pace = 100.0
            return await ask(shard)

    before = len(quick.asked)
    assert run(main()).reply.hits
    assert len(quick.asked) > before


def test_foreign_replica_is_named_and_not_asked(start, pooled):
    start(0, lambda request: described(request, protocol=99))
    good = start(1)

    async def main():
        async with pooled() as (_, shard):
            await until(lambda: any(r.membership.error for r in shard.replicas.values()))
            await asyncio.gather(*(ask(shard) for _ in range(4)))
            return {replica.membership.error for replica in shard.replicas.values()}

    assert any("protocol 99" in error for error in run(main()))
    assert len(good.asked) == 4


def test_library_that_was_never_there_is_starting(pooled):
    async def main():
        async with pooled(0) as (pool, shard):
            assert not await pool.opened(within=0.0)
            with pytest.raises(Starting):
                await ask(shard)

    run(main())


def test_pool_is_ready_when_every_library_is(start, pooled):
    start()

    async def main():
        async with pooled(1, ("Lib", "Other")) as (pool, _):
            assert pool.phase == "starting"
            assert pool.missing() == ["Other"]
            await asyncio.to_thread(start, 0, sound("Other"), "other")
            assert await pool.opened(within=10)
            return pool.phase

    assert run(main()) == "ready"
