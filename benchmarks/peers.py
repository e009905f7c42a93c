"""The public questions put to other programs over the same archives, one table for all.

``python -m benchmarks.peers FOLDER`` makes a copy of the archives and one virtual environment per
peer below FOLDER, and prints the table of RESULTS.md. A peer that cannot be installed is left out
with a line that says so. Not part of CI: it installs what this project does not need.
"""

import argparse
import asyncio
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median
from xml.etree import ElementTree as ET

import msgspec
from libzim.reader import Archive
from libzim.search import Query, Searcher
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from common.refs import parse_ref
from tests.cluster.running import RunningCluster, free_port, wait_until
from tests.quality.measures import FIVE, TEN, Found, judged_figures, question_figures
from tests.quality.questions import Document
from tests.quality.suite import Suite
from tests.real.corpora import ELEVEN, paths

RRF_K = 60
CALL_SECONDS = 120
START_SECONDS = 60

Ask = Callable[[str, int], Awaitable[list[Document]]]
"""Asks a query and returns at most so many documents, best first."""

System = Callable[[Path, Path], AbstractAsyncContextManager[Ask]]
"""Starts a program, given the folder of the archives and the folder of its environment."""


@asynccontextmanager
async def corpus_mcp(_: Path, environment: Path, index: str = "auto") -> AsyncIterator[Ask]:
    """Start this project's cluster, with its default settings, and search through MCP."""
    settings = {"SHARD_INDEX": index}
    files = {name: Path(path).name for name, path in ELEVEN.items()}
    with RunningCluster(paths(ELEVEN), environment / f"run-{index}", environment=settings) as up:
        async with Client(up.url) as client:

            async def ask(query: str, limit: int) -> list[Document]:
                result = await client.call_tool("search", {"query": query, "limit": limit})
                refs = [
                    parse_ref(row["ref"]) for row in (result.structured_content or {})["results"]
                ]
                return [(files[library], path) for library, path in refs]

            yield ask


@asynccontextmanager
async def corpus_mcp_without_xapian(archives: Path, environment: Path) -> AsyncIterator[Ask]:
    """Start the cluster with libzim's search alone."""
    async with corpus_mcp(archives, environment, "libzim") as ask:
        yield ask


@asynccontextmanager
async def plain_libzim(archives: Path, _: Path) -> AsyncIterator[Ask]:
    """Search each archive for all words of the query, and fuse the lists by their ranks."""
    searchers = {file.name: Searcher(Archive(file)) for file in files_in(archives)}

    async def ask(query: str, limit: int) -> list[Document]:
        lists = [
            [(name, path) for path in searcher.search(Query().set_query(query)).getResults(0, TEN)]
            for name, searcher in searchers.items()
        ]
        return fused(lists)[:limit]

    yield ask


@asynccontextmanager
async def zimi(archives: Path, environment: Path) -> AsyncIterator[Ask]:
    """Ask zimi-mcp's tool ``search``, which has one ranking for all archives."""
    command = installed(environment, "zimi-mcp==1.14.1", "zimi-mcp", sys.executable)
    arguments = ["--data-dir", str(environment / "data"), str(archives)]
    files = [file.name for file in files_in(archives)]
    line = re.compile(r"^- .*\| zim: (\S+) \| path: (.*)$", re.MULTILINE)
    async with speaking(command, *arguments) as client:

        async def ask(query: str, limit: int) -> list[Document]:
            text = await text_of(client, "search", query=query, limit=limit)
            return [
                (next(file for file in files if file.startswith(name)), path.strip())
                for name, path in line.findall(text)
            ]

        yield ask


@asynccontextmanager
async def openzim_search(archives: Path, environment: Path) -> AsyncIterator[Ask]:
    """Ask openzim-mcp's ``zim_search`` over all files: one list per archive, fused by ranks."""
    command = installed(environment, "openzim-mcp==3.4.0", "openzim-mcp", newer_python())
    async with speaking(command, "--mode", "advanced", str(archives)) as client:

        async def ask(query: str, limit: int) -> list[Document]:
            text = await text_of(client, "zim_search", query=query, cross_file=True, limit=TEN)
            rows = msgspec.json.decode(text).get("results", [])
            lists = [
                [(row["name"], hit["path"]) for hit in row["result"].get("results", [])]
                for row in rows
            ]
            return fused(lists)[:limit]

        yield ask


@asynccontextmanager
async def openzim_synthesize(archives: Path, environment: Path) -> AsyncIterator[Ask]:
    """Ask openzim-mcp's ``zim_query`` for an answer; its ranking is the order of citations."""
    command = installed(environment, "openzim-mcp==3.4.0", "openzim-mcp", newer_python())
    cited = re.compile(r"\[cite: ([^/\]]+)/([^#\]]+)")
    async with speaking(command, "--mode", "simple", str(archives)) as client:

        async def ask(query: str, limit: int) -> list[Document]:
            text = await text_of(client, "zim_query", query=query, synthesize=True)
            answer = msgspec.json.decode(text).get("answer_markdown") or ""
            found = dict.fromkeys((f"{name}.zim", path) for name, path in cited.findall(answer))
            return list(found)[:limit]

        yield ask


@asynccontextmanager
async def kiwix_serve(archives: Path, _: Path) -> AsyncIterator[Ask]:
    """Ask kiwix-serve's ``/search`` over all books, whose names it writes in lower case."""
    files = {file.stem.lower(): file.name for file in files_in(archives)}
    with serving(archives) as address:

        async def ask(query: str, limit: int) -> list[Document]:
            asked = urllib.parse.urlencode({"pattern": query, "format": "xml", "pageLength": limit})
            found = await asyncio.to_thread(get, f"{address}/search?{asked}")
            links = [item.findtext("link", "") for item in ET.fromstring(found).iter("item")]
            parts = [urllib.parse.unquote(link).lstrip("/").partition("/") for link in links]
            return [(files[book.lower()], path) for book, _, path in parts]

        yield ask


SYSTEMS: dict[str, System] = {
    "corpus-mcp": corpus_mcp,
    "corpus-mcp, SHARD_INDEX=libzim": corpus_mcp_without_xapian,
    "libzim AND + RRF": plain_libzim,
    "zimi-mcp 1.14.1 `search`": zimi,
    "openzim-mcp 3.4.0 `zim_search` cross_file + RRF": openzim_search,
    "openzim-mcp 3.4.0 `zim_query` synthesize": openzim_synthesize,
    "kiwix-serve (Debian)": kiwix_serve,
}


def main() -> None:
    """Ask every system everything and print one line for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("folder", type=Path, help="where copies and environments go")
    parser.add_argument("--only", action="append", default=[], help="part of a system's name")
    given = parser.parse_args()
    archives = copied(given.folder / "archives")
    print("| system | success@1 | success@5 | empty | nDCG@10 | p50, ms | p95, ms |")
    print("|---|---|---|---|---|---|---|")
    for name, system in SYSTEMS.items():
        if all(part in name for part in given.only):
            print(asyncio.run(line_of(name, system, archives, given.folder)), flush=True)


async def line_of(name: str, system: System, archives: Path, folder: Path) -> str:
    """Return the line of the table for one system."""
    environment = folder / re.sub(r"\W+", "-", name.partition("`")[0].strip())
    environment.mkdir(parents=True, exist_ok=True)
    suite = Suite()
    try:
        async with system(archives, environment) as ask:
            short, times = await ask_all(ask, [one.query for one in suite.questions], FIVE)
            long, _ = await ask_all(ask, suite.long_queries(), TEN)
    except (OSError, subprocess.CalledProcessError) as exc:
        return f"| {name} | not installable here: {exc} | | | | | |"
    figures = question_figures(suite.questions, short)["questions, all"]
    judged = judged_figures(suite.collections, long)["all"]
    empty = sum(not found.documents for found in short.values())
    late = sorted(times)[int(0.95 * len(times))]
    return (
        f"| {name} | {figures['success@1']:.3f} | {figures['success@5']:.3f} | {empty} |"
        f" {judged:.3f} | {median(times) * 1000:.1f} | {late * 1000:.1f} |"
    )


async def ask_all(
    ask: Ask, queries: Sequence[str], limit: int
) -> tuple[dict[str, Found], list[float]]:
    """Ask one query after another; return the lists by query, and the seconds of each."""
    lists, times = {}, []
    await ask(queries[-1], limit)
    for query in queries:
        began = time.monotonic()
        documents = await ask(query, limit)
        times.append(time.monotonic() - began)
        lists[query] = Found(documents, [""] * len(documents), [[]] * len(documents))
    return lists, times


def fused(lists: Sequence[Sequence[Document]]) -> list[Document]:
    """Fuse rankings by reciprocal ranks alone, ties by name."""
    scores: dict[Document, float] = {}
    for ranking in lists:
        for rank, document in enumerate(ranking, start=1):
            scores[document] = scores.get(document, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda document: (-scores[document], document))


def copied(folder: Path) -> Path:
    """Copy the archives into one folder: one of the peers follows no links."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths(ELEVEN).values():
        shutil.copy2(path, folder / path.name)
    return folder


def files_in(folder: Path) -> list[Path]:
    """Return the archives in a folder."""
    return sorted(folder.glob("*.zim"))


def installed(environment: Path, requirement: str, command: str, python: str) -> str:
    """Return the path of a command after installing its package into an environment of its own."""
    found = environment / "venv" / "bin" / command
    if not found.exists():
        subprocess.run([python, "-m", "venv", environment / "venv"], check=True)
        pip = [environment / "venv" / "bin" / "pip", "install", "--quiet", requirement]
        subprocess.run(pip, check=True)
    return str(found)


def newer_python() -> str:
    """Return a Python that openzim-mcp runs on."""
    for name in ("python3.13", "python3.12"):
        if (found := shutil.which(name)) and subprocess.run(
            [found, "-V"], check=False, capture_output=True
        ).returncode == 0:
            return found
    raise FileNotFoundError("openzim-mcp needs Python 3.12 or newer")


@asynccontextmanager
async def speaking(command: str, *arguments: str) -> AsyncIterator[Client]:
    """Start an MCP server on its standard streams; what it logs goes nowhere."""
    quiet = ["-c", 'exec "$0" "$@" 2>/dev/null', command, *arguments]
    async with Client(stdio_client(StdioServerParameters(command="sh", args=quiet))) as client:
        yield client


async def text_of(client: Client, tool: str, **arguments: object) -> str:
    """Call a tool and return the text of its answer."""
    async with asyncio.timeout(CALL_SECONDS):
        result = await client.call_tool(tool, arguments)
    return "\n".join(part.text for part in result.content if part.type == "text")


@contextmanager
def serving(archives: Path) -> Iterator[str]:
    """Run kiwix-serve on a free port."""
    command = shutil.which("kiwix-serve")
    if command is None:
        raise FileNotFoundError("kiwix-serve is not there: install Debian's kiwix-tools")
    port = free_port()
    files = [str(file) for file in files_in(archives)]
    process = subprocess.Popen(
        [command, "--address", "127.0.0.1", "--port", str(port), *files],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: answers(address), START_SECONDS)
        yield address
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def answers(address: str) -> bool:
    """Tell whether a server is there."""
    try:
        return bool(get(address + "/"))
    except OSError:
        return False


def get(address: str) -> bytes:
    """Return what is at an address."""
    with urllib.request.urlopen(address, timeout=CALL_SECONDS) as answer:
        return bytes(answer.read())


if __name__ == "__main__":
    main()
