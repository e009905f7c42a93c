"""The root of every call: one search and one fetch, each told from top to bottom.

The root knows libraries, not replicas: who is asked, again and instead, is the affair of
`gateway.call`. Each call has one deadline, made here.
"""

from collections.abc import Mapping, Sequence

from common.deadline import Deadline
from common.errors import (
    CorpusError,
    RefNotFound,
    ShardFault,
    Starting,
    UnknownLibrary,
    WrongArchive,
)
from common.frames import (
    DescribeReply,
    DocumentReply,
    QueryReply,
    SpellReply,
)
from common.refs import Ref, format_ref, parse_ref
from common.settings import Settings
from gateway import gathered, ranking, requests
from gateway.admission import Door
from gateway.analysis import Analysis, analyse
from gateway.answers import FetchAnswer, SearchAnswer
from gateway.call import Call, Patience
from gateway.correction import choose_all, corrected
from gateway.metrics import Metrics
from gateway.pool import Pool, edition
from gateway.repeats import Fresh, Repeats
from gateway.replica import Work
from gateway.scatter import Gathered, scatter
from gateway.scoring import StatisticsMemory
from gateway.search import Search
from gateway.shard import Shard

SPELLING_SHARE = 0.3
"""Part of what is left after the first scatter for proposals of how words that no library has are
spelt."""

MAX_SEARCHES = 32
"""Searches worked on at once: enough to keep every library busy, see `gateway.admission`."""

WAITING_SHARE = 0.5
"""Part of its deadline that a search may wait for its turn, on top of it."""

QUERY_SHARE = 0.6
"""Part of a search's deadline that the first scatter may use, so that one hung library leaves
time to read the pages of the others."""

PREVIEW_SHARE = 0.6
"""Part of what is left then that the second may use; the rest is for reading other pages where
some could not be read."""

LOSS_A_SEARCH_WAITS_FOR = 5.0
"""Seconds: a killed keeper is back within 3.5; a library away for longer costs a search nothing."""

LOSS_A_FETCH_WAITS_FOR = 60.0
"""Seconds: a fetch has nobody else to ask, so it hopes for a slow restart too."""

LISTED_LIBRARIES = 50
"""Library names in the message that one is unknown; the ref tells the agent where it came from."""

Shards = Mapping[str, Shard]
"""By library: those that one call sees, whatever becomes of the manifest meanwhile."""


class Root:
    """Answers searches and fetches from the libraries of a pool."""

    def __init__(self, pool: Pool, settings: Settings, metrics: Metrics) -> None:
        self._pool = pool
        self._settings = settings
        self._metrics = metrics
        self._memory = StatisticsMemory()
        self._repeats = Repeats(
            settings.search_cache_mb * 1024 * 1024, settings.search_deadline, metrics
        )
        self._door = Door(MAX_SEARCHES, settings.search_deadline * WAITING_SHARE)
        grace = settings.search_restart_grace
        self._search_patience = Patience(grace, LOSS_A_SEARCH_WAITS_FOR, for_suspects=False)
        self._fetch_patience = Patience(
            settings.fetch_deadline, LOSS_A_FETCH_WAITS_FOR, for_suspects=True
        )

    async def search(self, query: str, limit: int) -> SearchAnswer:
        """Return the best ``limit`` hits of all libraries, and which libraries are missing.

        Raises:
            CorpusError: Nothing to search for, or no library answered.
        """
        analysis = analyse(query)
        await self._opened()

        async def fresh() -> Fresh:
            search = await self._search(analysis, limit)
            editions = {name: edition(one) for name, one in search.described.items()}
            return Fresh(search.answer(), editions, search.lasting)

        return await self._repeats.answer(analysis, limit, self._pool.editions(), fresh)

    async def explain(self, query: str, limit: int) -> Search:
        """Search as `search` does, but always anew, and return all that was found on the way.

        Raises:
            CorpusError: Nothing to search for, or no library answered.
        """
        analysis = analyse(query)
        await self._opened()
        return await self._search(analysis, limit)

    async def _search(self, analysis: Analysis, limit: int) -> Search:
        async with self._door.place():
            deadline = Deadline.after(self._settings.search_deadline)
            with self._pool.held() as view:
                return await self._search_in(view.joined, analysis, limit, deadline)

    async def _search_in(
        self, shards: Shards, analysis: Analysis, limit: int, deadline: Deadline
    ) -> Search:
        found = await self._query(shards, analysis, deadline.share(QUERY_SHARE))
        ranked = self._rank(shards, analysis, found)
        unspelt: Mapping[str, CorpusError] = {}
        # A word may be one of those that only a missing library has.
        if ranked.suspects and not found.failures:
            share = deadline.share(SPELLING_SHARE)
            spelt, unspelt = await self._spelt(shards, analysis, ranked.suspects, share)
            if spelt.corrections:
                analysis = spelt
                found = await self._query(shards, analysis, deadline.share(QUERY_SHARE))
                ranked = self._rank(shards, analysis, found)

        wanted = requests.previews(analysis, ranked, found)
        read = await self._scatter(shards, wanted, deadline.share(PREVIEW_SHARE))
        previews = gathered.previews(read)
        if read.failures:
            # Their places go to the pages of the others, as if they had never answered.
            found = gathered.without(found, read.failures)
            replaced = _replaced(shards, read.failures)
            if replaced:
                again = await self._query(replaced, analysis, deadline.share(QUERY_SHARE))
                found = gathered.joined(shards, found, again)
            ranked = self._rank(shards, analysis, found)
            wanted = requests.previews(analysis, ranked, found, known=previews)
            read = await self._scatter(shards, wanted, deadline.share(0.9))
            previews |= gathered.previews(read)
        most = self._settings.search_max_consecutive
        failures = {
            **gathered.incomplete(found),
            **gathered.quarantined(ranked, previews),
            **found.failures,
            **read.failures,
        }
        return Search(
            analysis=analysis,
            ranked=ranked,
            previews=previews,
            best=ranking.results(ranked, previews, limit=limit, max_consecutive=most),
            described={name: answer.described for name, answer in found.answers.items()},
            failures=failures,
            lasting=not failures and not unspelt,
        )

    async def fetch(self, ref: str, sections: Sequence[str]) -> FetchAnswer:
        """Return a document, whole or the ``sections`` asked for.

        Raises:
            CorpusError: No such reference, library, document or section, or no answer.
        """
        deadline = Deadline.after(self._settings.fetch_deadline)
        with self._pool.held() as view:
            library, path = _resolve(ref, view.named)
            await self._opened()
            return await self._document(view.named[library], path, sections, deadline)

    async def _document(
        self, shard: Shard, path: str, sections: Sequence[str], deadline: Deadline
    ) -> FetchAnswer:
        most = self._settings.max_fetch_chars
        request = requests.document(shard.name, path, sections, most)
        try:
            call = Call(shard, request, self._metrics, self._fetch_patience)
            answer = await call.run(deadline)
        except RefNotFound as exc:
            raise RefNotFound(
                f"Document not found in {shard.name}: {path[:200]}; use a ref that search returned"
            ) from exc
        if not isinstance(answer.reply, DocumentReply):
            raise ShardFault("another reply came than a document")
        return _fetched(shard.name, answer.reply, answer.described)

    async def _opened(self) -> None:
        if not await self._pool.opened(within=self._settings.search_restart_grace):
            raise Starting("the libraries are still starting; try again in a few seconds")

    async def _query(self, shards: Shards, analysis: Analysis, deadline: Deadline) -> Gathered:
        wanted = requests.queries(shards, analysis)
        return await self._scatter(shards, wanted, deadline)

    async def _spelt(
        self, shards: Shards, analysis: Analysis, suspects: Mapping[str, int], deadline: Deadline
    ) -> tuple[Analysis, Mapping[str, CorpusError]]:
        """Return the query with misspelt words corrected, and which libraries did not help.

        It is as it was if nobody suggests anything.
        """
        wanted = requests.spellings(shards, analysis, suspects)
        found = await self._scatter(shards, wanted, deadline)
        replies = [answer.reply for answer in found.answers.values()]
        suggested = [reply.suggestions for reply in replies if isinstance(reply, SpellReply)]
        return corrected(analysis, choose_all(analysis, suspects, suggested)), found.failures

    def _rank(self, shards: Shards, analysis: Analysis, found: Gathered) -> ranking.Ranked:
        gathered.demand_any(found)
        replies: dict[str, QueryReply] = {}
        for library, (reply, described) in found.answers.items():
            if isinstance(reply, QueryReply):
                self._memory.remember(described.archive, analysis.words, reply)
                replies[library] = reply
        identities = {name: shards[name].identity for name in found.failures}
        recalled = (
            self._memory.recall(identity.archive, analysis.words)
            for identity in identities.values()
            if identity is not None
        )
        return ranking.candidates(
            replies,
            analysis,
            remembered=[statistics for statistics in recalled if statistics is not None],
            families={name: _family(answer.described) for name, answer in found.answers.items()},
        )

    async def _scatter(
        self, shards: Shards, wanted: Mapping[str, Work], deadline: Deadline
    ) -> Gathered:
        calls = {
            library: Call(shards[library], request, self._metrics, self._search_patience)
            for library, request in wanted.items()
        }
        return await scatter(calls, deadline, workers=self._settings.search_workers)


def _resolve(ref: str, shards: Shards) -> Ref:
    parsed = parse_ref(ref)
    if parsed.library not in shards:
        known = ", ".join(list(shards)[:LISTED_LIBRARIES])
        raise UnknownLibrary(
            f"invalid reference: no library {parsed.library[:80]!r}; there are: {known}"
        )
    return parsed


def _replaced(shards: Shards, failures: Mapping[str, CorpusError]) -> Shards:
    """Return those that serve another edition now than the one that gave the hits."""
    return {name: shards[name] for name in failures if isinstance(failures[name], WrongArchive)}


def _fetched(library: str, reply: DocumentReply, described: DescribeReply) -> FetchAnswer:
    return FetchAnswer(
        ref=format_ref(library, reply.path),
        library=library,
        kind=described.kind,
        title=reply.title,
        snapshot=described.snapshot,
        sections=reply.sections,
        available_sections=reply.available,
        more_sections=reply.more_sections,
        truncated=reply.truncated,
    )


def _family(described: DescribeReply) -> str:
    return f"{described.language}/{described.kind}"
