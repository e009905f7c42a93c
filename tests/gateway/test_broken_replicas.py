"""What replicas that fail again and again cost the searches that would ask them."""

import asyncio
import time

import pytest

from common.deadline import Deadline
from common.errors import DeadlineExceeded, ShardUnavailable
from common.frames import DescribeRequest, QueryRequest
from gateway import breaker
from gateway import shard as shards
from gateway.breaker import BAD_ENDS, BreakerState
from gateway.call import Call, Patience
from gateway.hedging import ENOUGH
from gateway.membership import State
from gateway.metrics import Metrics
from tests.gateway.pooling import FETCH, ask, document, query, ready, search
from tests.gateway.scripted import described, found, run, sound, until

pytestmark = pytest.mark.usefixtures("impatient")

PATIENT = Patience(60.0, 60.0, for_suspects=True)


def only_described(request):
    return described(request) if isinstance(request, DescribeRequest) else None


def the(shard):
    (one,) = shard.replicas.values()
    return one


async def search_until_open(pool, shard):
    for searches in range(1, 100):
        gathered = await search(pool)
        assert list(gathered.answers) == ["Other"]
        await until(lambda: ready(shard))
        if the(shard).breaker.state is not BreakerState.CLOSED:
            return searches
    raise AssertionError("it never opened")


def test_replica_that_only_describes_itself_is_soon_left_alone(start, pooled):
    mute = start(0, only_described)
    start(0, sound("Other"), "other")

    async def main():
        async with pooled(names=("Lib", "Other")) as (pool, shard):
            await until(lambda: pool.shards["Other"].ready)
            searches = await search_until_open(pool, shard)
            asked = len(mute.asked)
            for _ in range(50):
                gathered = await search(pool)
                assert isinstance(gathered.failures["Lib"], ShardUnavailable)
            state = the(shard).breaker.state
            return searches, len(mute.asked) - asked, state

    searches, asked_more, state = run(main())
    # The first is not silent for long enough to be held against it.
    assert searches <= 2 * BAD_ENDS
    assert (asked_more, state) == (0, BreakerState.OPEN)


def test_replica_that_never_answers_is_asked_once_per_pause(start, pooled, monkeypatch):
    monkeypatch.setattr(breaker, "FIRST_PAUSE", 0.2)
    mute = start(0, only_described)
    start(0, sound("Other"), "other")

    async def main():
        async with pooled(names=("Lib", "Other")) as (pool, shard):
            await until(lambda: pool.shards["Other"].ready)
            await search_until_open(pool, shard)
            asked, openings = len(mute.asked), the(shard).breaker.openings
            while the(shard).breaker.openings < openings + 2:
                await asyncio.gather(*(search(pool) for _ in range(4)))
                await asyncio.sleep(0)
            return len(mute.asked) - asked

    assert run(main()) == 2


def test_nobody_but_the_probe_waits_for_a_replica_that_never_answers(start, pooled, monkeypatch):
    monkeypatch.setattr(breaker, "FIRST_PAUSE", 0.1)
    mute = start(0, only_described)
    start(0, sound("Other"), "other")

    async def main():
        async with pooled(names=("Lib", "Other")) as (pool, shard):
            await until(lambda: pool.shards["Other"].ready)
            await search_until_open(pool, shard)
            await until(lambda: the(shard).breaker.lets_through)
            asked = len(mute.asked)
            probe = asyncio.create_task(search(pool, seconds=5.0))
            await until(lambda: len(mute.asked) > asked)
            # One turn in which the probe is certainly not over.
            gathered = await search(pool)
            return probe.done(), gathered.failures["Lib"], await probe

    over, failure, probed = run(main())
    assert not over
    assert isinstance(failure, ShardUnavailable)
    assert isinstance(probed.failures["Lib"], DeadlineExceeded)


def test_replica_that_answers_a_probe_is_asked_as_before(start, pooled, monkeypatch):
    monkeypatch.setattr(breaker, "FIRST_PAUSE", 0.1)
    mute = start(0, only_described)
    start(0, sound("Other"), "other")

    async def main():
        async with pooled(names=("Lib", "Other")) as (pool, shard):
            await until(lambda: pool.shards["Other"].ready)
            await search_until_open(pool, shard)
            mute.script = sound()
            await until(lambda: the(shard).breaker.lets_through)
            answers = (await search(pool)).answers
            return set(answers), the(shard).breaker.state, shard.take_openings()

    assert run(main()) == ({"Lib", "Other"}, BreakerState.CLOSED, 1)


def test_fetch_asks_also_when_searches_do_not(start, pooled):
    mute = start(0, only_described)
    start(0, sound("Other"), "other")

    async def main():
        async with pooled(names=("Lib", "Other")) as (pool, shard):
            await until(lambda: pool.shards["Other"].ready)
            await search_until_open(pool, shard)
            mute.script = sound()
            answer = await ask(shard, FETCH, request=document())
            with pytest.raises(ShardUnavailable):
                await ask(shard)
            return answer

    assert run(main()).reply.title == "Den"


def test_slow_replica_that_answers_late_is_not_left_alone(start, pooled):
    slow = start()
    start(0, sound("Other"), "other")

    def late(request):
        if isinstance(request, QueryRequest):
            time.sleep(0.12)
        return sound()(request)

    async def main():
        async with pooled(names=("Lib", "Other")) as (pool, shard):
            await until(lambda: pool.shards["Other"].ready)
            slow.script = late
            for _ in range(3 * BAD_ENDS):
                await search(pool)
                await until(lambda: not the(shard).outstanding)
            return the(shard).breaker.openings

    assert run(main()) == 0


def test_worker_that_is_killed_between_answers_is_not_left_alone(start, pooled):
    async def main():
        lib = start()
        async with pooled() as (_, shard):
            for _ in range(3 * BAD_ENDS):
                lib.script = lambda request: None
                asks = [asyncio.create_task(ask(shard, PATIENT)) for _ in range(8)]
                await until(lambda lib=lib: len(lib.asked) == 8)
                await asyncio.to_thread(lib.stop)
                lib = await asyncio.to_thread(start)
                answers = await asyncio.gather(*asks)
                assert all(answer.reply.hits for answer in answers)
                lib.asked.clear()
            return the(shard).breaker.openings

    assert run(main()) == 0


def test_worker_that_dies_of_every_search_is_left_alone(start, pooled):
    async def main():
        async with pooled(0) as (_, shard):
            for _ in range(BAD_ENDS):
                lib = await asyncio.to_thread(start)
                await until(lambda: ready(shard))
                lib.script = lambda request: None
                call = asyncio.create_task(ask(shard, Patience(0.0, 0.0, for_suspects=False)))
                await until(lambda lib=lib: lib.asked)
                await asyncio.to_thread(lib.stop)
                await asyncio.gather(call, return_exceptions=True)
            assert shard.state is State.DOWN
            with pytest.raises(ShardUnavailable, match="last searches"):
                # At once, though whoever is new here would wait for a restart.
                await ask(shard, PATIENT, seconds=1000.0)
            return the(shard).breaker.state

    assert run(main()) is BreakerState.OPEN


def test_other_replica_is_asked_instead_of_one_that_is_left_alone(start, pooled):
    mute, good = start(0, only_described), start(1)

    async def main():
        async with pooled(2) as (_, shard):
            one = shard.replicas[mute.endpoint]
            for _ in range(BAD_ENDS):
                one.breaker.ended_badly(one.breaker.sent())
            await asyncio.gather(*(ask(shard) for _ in range(10)))

    run(main())
    assert (len(mute.asked), len(good.asked)) == (0, 10)


def test_silence_is_what_is_due_and_not_answered_though_descriptions_come(start, pooled):
    start(0, only_described)

    async def main():
        async with pooled() as (_, shard):
            states = []
            one = the(shard)
            one._changed = lambda: states.append(one.membership.state)
            for _ in range(3):
                call = asyncio.create_task(ask(shard))
                await until(lambda: one.outstanding)
                began = time.monotonic()
                await until(lambda began=began: time.monotonic() - began > 0.06)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
                await until(lambda: ready(shard))
            return states

    assert State.SUSPECT in run(main())


def test_cut_off_replica_counts_as_busy_and_slow(start, pooled):
    mute = start(0, only_described)
    start(1)

    async def main():
        async with pooled(2) as (_, shard):
            one = shard.replicas[mute.endpoint]
            call = asyncio.create_task(one.ask(query(), Deadline.after(10)))
            await until(lambda: mute.asked)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            await ask(shard)
            return one.outstanding, one.pace > 0

    assert run(main()) == (1, True)
    assert len(mute.asked) == 1


def test_request_without_time_is_no_fault_of_the_replica(start, pooled):
    lib = start()

    async def main():
        async with pooled() as (_, shard):
            with pytest.raises(DeadlineExceeded):
                await ask(shard, seconds=0.0)
            return the(shard).membership.state

    assert run(main()) is State.READY
    assert lib.asked == []


def test_probe_that_is_cut_off_tells_nothing_of_what_is_usual(start, pooled):
    mute = start(0, only_described)

    async def main():
        async with pooled() as (_, shard):
            one = the(shard)
            for _ in range(BAD_ENDS):
                one.breaker.ended_badly(one.breaker.sent())
            await until(lambda: one.breaker.lets_through)
            for _ in range(ENOUGH - 1):
                shard.latencies["query"].add(0.001)
            call = Call(shard, query(), Metrics(), PATIENT)
            task = asyncio.create_task(call.run(Deadline.after(10)))
            await until(lambda: mute.asked)
            call.cut_off()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            return call.usual(), one.breaker.state

    assert run(main()) == (None, BreakerState.OPEN)


def test_late_answer_brings_a_suspect_back(start, pooled):
    stuck = start()

    def block(request):
        if isinstance(request, QueryRequest):
            stuck.released.wait(10)
            return found(request, "Den")
        return described(request) if isinstance(request, DescribeRequest) else None

    async def main():
        async with pooled() as (_, shard):
            stuck.script = block
            call = asyncio.create_task(ask(shard))
            await until(lambda: stuck.asked)
            one = the(shard)
            one.membership.missed()
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            stuck.released.set()
            await until(lambda: ready(shard))

    run(main())


def regretting(request):
    """Answer as a stand-in does."""
    del request
    return ShardUnavailable("the worker cannot serve")


def test_fetch_does_not_wait_long_for_a_library_that_says_that_it_cannot_serve(
    start, pooled, monkeypatch
):
    monkeypatch.setattr(shards, "UNABLE_FOR", 0.1)
    lib = start()

    async def main():
        async with pooled() as (pool, shard):
            # Only a gateway that serves asks again and again who is there.
            assert pool.phase == "ready"
            await asyncio.to_thread(lib.stop)
            await asyncio.to_thread(start, 0, regretting)
            with pytest.raises(ShardUnavailable):
                await ask(shard, PATIENT, request=document(), seconds=1000.0)
            return the(shard).membership.error

    assert run(main()) == "unavailable: the worker cannot serve"


def test_fetch_waits_for_a_library_that_has_just_said_so(start, pooled):
    lib = start(0, regretting)

    async def main():
        async with pooled(0) as (_, shard):
            await until(lambda: shard.replicas and the(shard).membership.unable)
            call = asyncio.create_task(ask(shard, PATIENT, request=document()))
            await asyncio.to_thread(lib.stop)
            await asyncio.to_thread(start)
            return await call

    assert run(main()).reply
