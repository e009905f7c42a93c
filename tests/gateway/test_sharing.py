"""Work that several callers want at once is done once, and belongs to none of them."""

import asyncio

import pytest

from gateway.sharing import Shared
from tests.gateway.scripted import run, until


class Bakery:
    """Work that counts how often it began, and waits to be let go on."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self.ready = asyncio.Event()

    async def bake(self) -> int:
        self.begun += 1
        number = self.begun
        try:
            await self.ready.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return number


def test_callers_at_once_share_one_work() -> None:
    async def main() -> tuple[list[int], int]:
        bakery, shared = Bakery(), Shared[int](60)
        callers = [asyncio.create_task(shared.run("bread", bakery.bake)) for _ in range(10)]
        await until(lambda: bakery.begun)
        bakery.ready.set()
        return await asyncio.gather(*callers), bakery.begun

    assert run(main()) == ([1] * 10, 1)


def test_other_work_is_not_shared() -> None:
    async def main() -> int:
        bakery, shared = Bakery(), Shared[int](60)
        bakery.ready.set()
        await asyncio.gather(*(shared.run(key, bakery.bake) for key in ("bread", "cake")))
        return bakery.begun

    assert run(main()) == 2


def test_the_first_caller_may_leave_and_the_others_get_their_result() -> None:
    async def main() -> list[int | BaseException]:
        bakery, shared = Bakery(), Shared[int](60)
        callers = [asyncio.create_task(shared.run("bread", bakery.bake)) for _ in range(3)]
        await until(lambda: bakery.begun)
        callers[0].cancel()
        await asyncio.wait({callers[0]})
        bakery.ready.set()
        return await asyncio.gather(*callers, return_exceptions=True)

    first, *others = run(main())
    assert isinstance(first, asyncio.CancelledError)
    assert others == [1, 1]


def test_the_last_caller_to_leave_ends_the_work_and_the_next_begins_anew() -> None:
    async def main() -> tuple[int, int]:
        bakery, shared = Bakery(), Shared[int](60)
        callers = [asyncio.create_task(shared.run("bread", bakery.bake)) for _ in range(2)]
        await until(lambda: bakery.begun)
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        bakery.ready.set()
        return await shared.run("bread", bakery.bake), bakery.cancelled

    assert run(main()) == (2, 1)


def test_a_caller_who_comes_late_begins_anew() -> None:
    async def main() -> list[int]:
        now = 0.0
        bakery, shared = Bakery(), Shared[int](1.0, clock=lambda: now)
        early = asyncio.create_task(shared.run("bread", bakery.bake))
        await until(lambda: bakery.begun == 1)
        now = 1.5
        late = asyncio.create_task(shared.run("bread", bakery.bake))
        await until(lambda: bakery.begun == 2)
        joins_late = asyncio.create_task(shared.run("bread", bakery.bake))
        bakery.ready.set()
        return await asyncio.gather(early, late, joins_late)

    assert run(main()) == [1, 2, 2]


def test_every_caller_gets_the_error_and_the_next_begins_anew() -> None:
    async def burn() -> int:
        await asyncio.sleep(0)
        raise ValueError("burnt")

    async def fine() -> int:
        return 1

    async def main() -> int:
        shared = Shared[int](60)
        callers = (shared.run("bread", burn) for _ in range(3))
        results = await asyncio.gather(*callers, return_exceptions=True)
        assert all(isinstance(result, ValueError) for result in results)
        return await shared.run("bread", fine)

    assert run(main()) == 1


@pytest.mark.parametrize("callers", [1, 3])
def test_nothing_is_joinable_once_it_is_over(callers: int) -> None:
    async def main() -> bool:
        bakery, shared = Bakery(), Shared[int](60)
        bakery.ready.set()
        await asyncio.gather(*(shared.run("bread", bakery.bake) for _ in range(callers)))
        return shared.is_joinable("bread")

    assert not run(main())
