"""What a cluster of many archives costs: unit costs from real processes, and what they add up to.

``python -m benchmarks.scale [N ...]`` starts fleets of N small shards with one gateway (10, 50 and
200 unless told), asks each what an agent asks, and prints two tables: what was measured, and what
10, 100 and 1,000 archives with one and ten gateways come to. With ``--keys FOLDER`` everything goes
over TCP with CURVE. Run nothing beside it.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mcp import Client

from benchmarks.fleet import Fleet, Memory, cpu_seconds, descriptors
from tests.cluster.agent import call
from tests.support import zims

SIZES = (10, 50, 200)
ASKED = (10, 100, 1000)
QUERIES = 36
IDLE_SECONDS = 6.0
WORDS = ("fox", "small", "hen", "night", "continent", "burrow", "entrances", "nursery", "surface")
"""All in the archive, so that nothing is taken for misspelt and asked for again."""

LOOK_SECONDS = 2.0
"""Between two looks of a gateway for replicas."""


class Measured(NamedTuple):
    """One fleet. Memory in MiB, CPU in milliseconds, times in seconds.

    Attributes:
        started: From the first process to the last answer; `start_cpu` is that of one shard.
        shard: Of keeper and worker together, per shard; `shard_own` without shared pages.
        gateway_idle: Milliseconds of CPU per second without a call.
        messages: To and from shards, per search.
        query_gateway: CPU of the gateway per search, `query_shards` that of all shards.
        p50: Of the searches of one client.
    """

    shards: int
    started: float
    start_cpu: float
    shard: float
    shard_own: float
    gateway: float
    files: int
    sockets: int
    gateway_idle: float
    shard_idle: float
    messages: float
    query_gateway: float
    query_shards: float
    p50: float
    p99: float


def queries() -> list[str]:
    """Return questions that are all different, so that no answer is kept."""
    pairs = [f"{one} {other}" for one in WORDS for other in WORDS if one < other]
    return pairs[:QUERIES]


async def ask(url: str) -> list[float]:
    """Return the seconds that each search took, one after the other."""
    taken = []
    async with Client(f"{url}/mcp") as client:
        for query in queries():
            answer = await call(client, "search", query=query)
            taken.append(answer.seconds)
    return taken


def measure(fleet: Fleet, shards: int) -> Measured:
    """Return what a fleet costs, at rest and when it is asked."""
    processes = [*fleet.keepers, *fleet.workers]
    start_cpu = cpu_seconds(processes) / shards
    at_rest = cpu_seconds([fleet.gateway]), cpu_seconds(processes)
    time.sleep(IDLE_SECONDS)
    rested = cpu_seconds([fleet.gateway]), cpu_seconds(processes)
    before = fleet.answered()
    taken = asyncio.run(ask(fleet.url))
    answered = fleet.answered() - before
    asked = cpu_seconds([fleet.gateway]), cpu_seconds(processes)
    memory = Memory(processes)
    files, sockets = descriptors(fleet.gateway)
    return Measured(
        shards=shards,
        started=fleet.started,
        start_cpu=start_cpu * 1000,
        shard=memory.pss / shards,
        shard_own=memory.uss / shards,
        gateway=Memory([fleet.gateway]).uss,
        files=files,
        sockets=sockets,
        gateway_idle=(rested[0] - at_rest[0]) / IDLE_SECONDS * 1000,
        shard_idle=(rested[1] - at_rest[1]) / IDLE_SECONDS / shards * 1000,
        messages=2 * answered / len(taken),
        query_gateway=(asked[0] - rested[0]) / len(taken) * 1000,
        query_shards=(asked[1] - rested[1]) / len(taken) * 1000,
        p50=statistics.median(taken),
        p99=sorted(taken)[int(len(taken) * 0.99)],
    )


def fleets(
    sizes: Sequence[int], given: Sequence[Path], keys: Path | None, at_once: int
) -> Iterator[Measured]:
    """Yield what a fleet of each size costs, or one of ``given`` archives.

    ``at_once`` is SEARCH_WORKERS.
    """
    environment = {"SEARCH_WORKERS": str(at_once), "SEARCH_CACHE_MB": "0"}
    with tempfile.TemporaryDirectory() as folder:
        archive = zims.wiki_zim(Path(folder) / "wiki_2026-11.zim")
        for archives in [given] if given else [[archive] * size for size in sizes]:
            place = Path(folder) / str(len(archives))
            with Fleet(archives, place, keys=keys, environment=environment) as fleet:
                yield measure(fleet, len(archives))


class Line(NamedTuple):
    """What something costs for each shard, and without any."""

    base: float
    each: float

    def at(self, shards: int) -> float:
        """Return the cost with so many shards."""
        return self.base + self.each * shards


def fitted(points: Sequence[tuple[int, float]]) -> Line:
    """Return the line through points, by least squares."""
    slope, intercept = statistics.linear_regression(*zip(*points, strict=True))
    return Line(intercept, slope)


def measured_table(rows: Sequence[Measured]) -> Iterator[str]:
    """Yield the lines of the first table."""
    yield "| shards | " + " | ".join(str(row.shards) for row in rows) + " |"
    yield "| --- |" + " ---: |" * len(rows)
    for name, format_, of in (
        ("all answer after, s", "{:.1f}", lambda row: row.started),
        ("CPU to start a shard, ms", "{:.0f}", lambda row: row.start_cpu),
        ("memory of a shard (PSS), MiB", "{:.1f}", lambda row: row.shard),
        ("– its own pages (USS), MiB", "{:.1f}", lambda row: row.shard_own),
        ("memory of the gateway (USS), MiB", "{:.0f}", lambda row: row.gateway),
        ("open files of the gateway", "{}", lambda row: row.files),
        ("– of them sockets", "{}", lambda row: row.sockets),
        ("gateway at rest, % of a core", "{:.1f}", lambda row: row.gateway_idle / 10),
        ("a shard at rest, % of a core", "{:.2f}", lambda row: row.shard_idle / 10),
        ("messages per search", "{:.0f}", lambda row: row.messages),
        ("search: CPU of the gateway, ms", "{:.1f}", lambda row: row.query_gateway),
        ("search: CPU of all shards, ms", "{:.1f}", lambda row: row.query_shards),
        ("search, one client: median, ms", "{:.0f}", lambda row: row.p50 * 1000),
        ("– 99th percentile, ms", "{:.0f}", lambda row: row.p99 * 1000),
    ):
        yield f"| {name} | " + " | ".join(format_.format(of(row)) for row in rows) + " |"


def reckoned_table(rows: Sequence[Measured]) -> Iterator[str]:
    """Yield the lines of the second table, reckoned from the first."""
    memory, files, at_rest, messages, work = (
        fitted([(row.shards, of(row)) for row in rows])
        for of in (
            lambda row: row.gateway,
            lambda row: row.files,
            lambda row: row.gateway_idle,
            lambda row: row.messages,
            lambda row: row.query_gateway,
        )
    )
    shard = statistics.median(row.shard for row in rows)
    leaf = statistics.median(row.query_shards / row.shards for row in rows)
    yield "| archives | " + " | ".join(f"{n:,}" for n in ASKED) + " |"
    yield "| --- |" + " ---: |" * len(ASKED)
    for name, format_, of in (
        ("memory of all shards, GiB", "{:.1f}", lambda n: shard * n / 1024),
        ("memory of one gateway, MiB", "{:.0f}", memory.at),
        ("messages per search", "{:,.0f}", messages.at),
        ("search: CPU of the gateway, ms", "{:.0f}", work.at),
        ("search: CPU of all shards, ms", "{:.0f}", lambda n: leaf * n),
        ("searches per second of one gateway", "{:.0f}", lambda n: 1000 / work.at(n)),
        ("– of ten", "{:.0f}", lambda n: 10_000 / work.at(n)),
        ("one gateway at rest, % of a core", "{:.1f}", lambda n: at_rest.at(n) / 10),
        ("open files of one gateway", "{:,.0f}", files.at),
        ("connections of ten gateways", "{:,.0f}", lambda n: 10 * n),
        ("– connections of one shard", "{:,.0f}", lambda _: 10),
        ("look-ups of names per second, ten gateways", "{:,.0f}", lambda n: 10 * n / LOOK_SECONDS),
    ):
        yield f"| {name} | " + " | ".join(format_.format(of(n)) for n in ASKED) + " |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="N")
    parser.add_argument("--keys", type=Path, help="what `corpus-mcp keys` made: TCP with CURVE")
    parser.add_argument("--archives", nargs="+", default=(), type=Path, help="these, once each")
    parser.add_argument("--at-once", type=int, default=0, help="SEARCH_WORKERS; 0: all")
    arguments = parser.parse_args()
    rows = []
    for row in fleets(
        arguments.sizes or SIZES, arguments.archives, arguments.keys, arguments.at_once
    ):
        sys.stderr.write(f"measured {row.shards} shards\n")
        rows.append(row)
    sys.stdout.write("\n".join(measured_table(rows)) + "\n")
    if len(rows) > 1:
        sys.stdout.write("\n" + "\n".join(reckoned_table(rows)) + "\n")


if __name__ == "__main__":
    main()
