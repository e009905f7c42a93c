"""Calls to the replicas of a pool, without a root or a tool above them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from common.deadline import Deadline
from common.frames import DescribeRequest, DocumentRequest, QueryRequest
from common.manifest import Library, Manifest
from gateway.call import Answer, Call, Patience
from gateway.discovery import LocalDiscovery
from gateway.metrics import Metrics
from gateway.pool import Pool
from gateway.replica import Replica, Work
from gateway.scatter import Gathered, scatter
from gateway.shard import Shard
from tests.gateway.scripted import Script, described, found, rendered, until

SEARCH = Patience(0.2, 5.0, for_suspects=False)
FETCH = Patience(15.0, 60.0, for_suspects=True)


@asynccontextmanager
async def pooling(
    run_dir: Path, count: int = 1, names: Sequence[str] = ("Lib",)
) -> AsyncIterator[tuple[Pool, Shard]]:
    """Open a pool over the replicas in the folder; yields it and its first shard.

    Args:
        run_dir: Where the sockets are.
        count: Ready replicas of the first library to wait for.
        names: The libraries.
    """
    manifest = Manifest(tuple(Library(name=name, path="x.zim") for name in names))
    pool = Pool(manifest, LocalDiscovery(run_dir))
    async with pool.running():
        shard = pool.shards[names[0]]
        await until(lambda: len(ready(shard)) >= count)
        yield pool, shard


def ready(shard: Shard) -> list[Replica]:
    """Return the replicas that are ready."""
    return [replica for replica in shard.replicas.values() if replica.membership.ready]


def query(archive: str = "", library: str = "Lib") -> QueryRequest:
    """Return a query."""
    return QueryRequest(
        request_id=0,
        library=library,
        archive=archive,
        budget=0.0,
        text="den",
        words=["den"],
        limit=5,
    )


def document(archive: str = "") -> DocumentRequest:
    """Return a request for a document."""
    return DocumentRequest(
        request_id=0,
        library="Lib",
        archive=archive,
        budget=0.0,
        path="Den",
        sections=[],
        max_chars=1000,
    )


async def ask(
    shard: Shard,
    patience: Patience = SEARCH,
    *,
    archive: str = "",
    seconds: float = 10.0,
    request: Work | None = None,
    metrics: Metrics | None = None,
) -> Answer:
    """Ask one library."""
    wanted = request or query(archive, shard.name)
    return await Call(shard, wanted, metrics or Metrics(), patience).run(Deadline.after(seconds))


async def search(pool: Pool, seconds: float = 10.0) -> Gathered:
    """Ask every library, as the first scatter of a search does."""
    metrics = Metrics()
    calls = {
        name: Call(shard, query(library=name), metrics, SEARCH)
        for name, shard in pool.shards.items()
    }
    return await scatter(calls, Deadline.after(seconds))


def edition(snapshot: str, uuid: str) -> Script:
    """Return the script of a replica of one edition, which finds and renders a page."""

    def answer(request):  # type: ignore[no-untyped-def]
        if isinstance(request, DescribeRequest):
            return described(request, snapshot=snapshot, archive=uuid)
        return found(request, uuid) if isinstance(request, QueryRequest) else rendered(request)

    return answer
