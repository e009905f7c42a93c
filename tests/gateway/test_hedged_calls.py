"""Which of several replicas a call asks, and which one as well."""

import asyncio

import pytest

from common.deadline import Deadline
from common.errors import DeadlineExceeded
from gateway.call import Call, Patience
from gateway.hedging import EXTRA_SHARE
from gateway.metrics import Metrics
from tests.gateway.pooling import ask, query, ready
from tests.gateway.scripted import run, until

pytestmark = pytest.mark.usefixtures("impatient")

PATIENT = Patience(60.0, 60.0, for_suspects=True)


def test_places_are_given_to_replicas_that_are_there_when_it_is_their_turn(start, pooled):
    dying, good = start(0), start(1)

    async def main():
        async with pooled(2) as (_, shard):
            shard.replicas[good.endpoint].pace = 100.0
            place = asyncio.Semaphore(0)
            call = Call(shard, query(), Metrics(), PATIENT)
            task = asyncio.create_task(call.run(Deadline.after(10), place))
            await asyncio.sleep(0)
            await asyncio.to_thread(dying.stop)
            await until(lambda: len(ready(shard)) == 1)
            place.release()
            return await task

    assert run(main()).reply.hits
    assert len(good.asked) == 1


def test_burst_is_shared_also_when_each_may_be_hedged(start, pooled):
    replicas = [start(0), start(1)]

    async def main():
        async with pooled(2) as (_, shard):
            for _ in range(20):
                shard.latencies["query"].add(5.0)
            await asyncio.gather(*(ask(shard) for _ in range(10)))

    run(main())
    assert [len(lib.asked) for lib in replicas] == [5, 5]


def test_hedge_never_goes_to_a_replica_that_has_refused(start, pooled):
    full = start(0)
    silent = start(1)

    async def main():
        async with pooled(2) as (_, shard):
            call = Call(shard, query(), Metrics(), PATIENT)
            call._refused.append(shard.replicas[full.endpoint])
            shard.latencies["query"].add(0.0)
            silent.script = lambda request: None
            for _ in range(20):
                shard.latencies["query"].add(0.001)
            with pytest.raises(DeadlineExceeded):
                await call.run(Deadline.after(0.1))

    run(main())
    assert full.asked == []


def test_hedges_of_real_calls_stay_within_a_twentieth(start, pooled):
    replicas = [start(0), start(1)]

    async def main():
        async with pooled(2) as (_, shard):
            for _ in range(60):
                await ask(shard)
            for _ in range(12):
                await asyncio.gather(*(ask(shard) for _ in range(20)))

    run(main())
    hedges = sum(len(lib.asked) for lib in replicas) - 300
    assert 0 <= hedges <= 300 * EXTRA_SHARE + 1
