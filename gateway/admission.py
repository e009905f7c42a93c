"""How many searches are worked on at once.

Each search asks every library twice, so searches that are let in all at once only wait for each
other in every library's queue, and when there are many of them, all are late and none is answered
(measured: of 200 at once, 49). A few dozen keep every library busy; the others wait here, where
waiting costs nothing, and are told in time that it is too much.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.errors import Overloaded


class Door:
    """Lets ``places`` in at once; the others wait in line, for ``patience`` seconds at most."""

    def __init__(self, places: int, patience: float) -> None:
        self._free = asyncio.Semaphore(places)
        self._patience = patience

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place.

        Raises:
            Overloaded: None became free in time.
        """
        try:
            async with asyncio.timeout(self._patience):
                await self._free.acquire()
        except TimeoutError:
            raise Overloaded(f"no place became free within {self._patience:g} s") from None
        try:
            yield
        finally:
            self._free.release()
