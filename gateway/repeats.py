"""Searches asked again: answered from the cache, or together with the one that is under way.

An answer is remembered by what makes it: the query as it was analysed, the limit, and the editions
of all libraries that are searched. So a replaced archive is asked anew, and so is everything while
a library is away, has come or is gone.
"""

from collections.abc import Callable, Coroutine, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from gateway.analysis import Analysis
from gateway.answers import SearchAnswer
from gateway.cache import Cache
from gateway.metrics import Metrics
from gateway.sharing import Shared

KEY_BYTES = 16
"""Of a digest: as many as a UUID has, so that no two searches ever meet in one."""

JOINABLE_SHARE = 0.1
"""Part of its deadline that a search may have used when another joins it: a usual one is over long
before, and of one that waits for a stuck library nobody should wait for the rest."""


class Fresh(NamedTuple):
    """What a search came to.

    Attributes:
        answer: For every caller.
        editions: Of each archive that gave it, by library, see `gateway.pool.edition`.
        lasting: Whether it would be the same again: no library has failed at any step.
    """

    answer: SearchAnswer
    editions: Mapping[str, str]
    lasting: bool


class Repeats:
    """Answers searches without asking the libraries, where that gives the same."""

    def __init__(self, most_bytes: int, deadline: float, metrics: Metrics) -> None:
        """Remember nothing yet.

        Args:
            most_bytes: What all answers together may take; 0 remembers none.
            deadline: Seconds that a search may take.
            metrics: Where hits and misses are counted.
        """
        self._cache = Cache(most_bytes)
        self._shared: Shared[SearchAnswer] = Shared(deadline * JOINABLE_SHARE)
        self._metrics = metrics

    async def answer(
        self,
        analysis: Analysis,
        limit: int,
        editions: Mapping[str, str],
        search: Callable[[], Coroutine[Any, Any, Fresh]],
    ) -> SearchAnswer:
        """Return the answer to a search, by ``search`` if neither remembered nor under way.

        Args:
            analysis: The query.
            limit: Most results.
            editions: Of each archive that is searched now, by library; empty if it is away.
            search: Asks them.
        """
        key = result_key(analysis, limit, editions)
        known = self._cache.get(key)
        if known is not None:
            self._count("hit")
            return msgspec.msgpack.decode(known, type=SearchAnswer)
        self._count("shared" if self._shared.is_joinable(key) else "miss")

        async def searched() -> SearchAnswer:
            fresh = await search()
            if fresh.lasting and fresh.answer.results:
                # Under the editions that answered: one may have been replaced meanwhile.
                self._keep(result_key(analysis, limit, fresh.editions), fresh.answer)
            return fresh.answer

        return await self._shared.run(key, searched)

    def _keep(self, key: bytes, answer: SearchAnswer) -> None:
        self._cache.put(key, msgspec.msgpack.encode(answer))
        self._metrics.cache_bytes.set(self._cache.used)

    def _count(self, outcome: str) -> None:
        self._metrics.cache_requests.labels(outcome).inc()


def result_key(analysis: Analysis, limit: int, editions: Mapping[str, str]) -> bytes:
    """Return what tells one search from another; the order of ``editions`` does not matter."""
    parts = (analysis.text, analysis.words, limit, sorted(editions.items()))
    return blake2b(msgspec.msgpack.encode(parts), digest_size=KEY_BYTES).digest()
