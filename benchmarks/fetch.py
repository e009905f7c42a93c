"""How long a shard takes for a document, against the least that any server has to do for it.

``python -m benchmarks.fetch`` prints the tables of RESULTS.md. The bare way reads the page with
libzim, parses it with lxml and writes it with html2text: no chrome taken away, no sections.
"""

import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import html2text
import lxml.html
from libzim.reader import Archive as Zim

from common.deadline import Deadline
from common.frames import DocumentReply, DocumentRequest
from shard.adapters import choose
from shard.archive import Archive
from shard.index import open_index
from shard.leaf import Leaf
from tests.shard import requests
from tests.shard.peers import Peer, zmq_context
from tests.support.data import archives

ROUNDS = 15
CACHE_BYTES = 64 * 1024 * 1024
LIMIT = 100_000

LONGEST_ARTICLE = ("gensim-sample", "Anarchism", "History")
LARGEST_PAGE = ("python-3.11", "contents")


def archive_named(part: str) -> Path:
    """Return the real archive whose name has this part."""
    return next(path for path in archives("mediawiki", "devdocs") if part in path.name)


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds that ``work`` takes."""
    gc.collect()
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


def bare(path: Path, entry: str) -> str:
    """Read, parse and write a page with nothing else."""
    content = bytes(Zim(path).get_entry_by_path(entry).get_item().content)
    lxml.html.document_fromstring(content)
    return html2text.HTML2Text(bodywidth=0).handle(content.decode())


def new_leaf(path: Path) -> Callable[[DocumentRequest], DocumentReply]:
    """Return a way to ask a shard that has read nothing yet."""
    archive = Archive(path)
    index, adapter = open_index(archive), choose(archive).adapter
    leaf = Leaf(requests.LIBRARY, archive, index, adapter, cache_bytes=CACHE_BYTES)

    def ask(request: DocumentRequest) -> DocumentReply:
        *_, reply = leaf.answer(request, Deadline.after(60))
        if not isinstance(reply, DocumentReply):
            raise TypeError(f"expected a document, got {reply}")
        return reply

    return ask


def article_times() -> Iterator[tuple[str, float]]:
    """Yield each way to the longest article with its median milliseconds, in one run."""
    part, entry, section = LONGEST_ARTICLE
    path = archive_named(part)
    uuid = str(Zim(path).uuid)
    whole = requests.document(entry, archive=uuid, max_chars=LIMIT)
    one = requests.document(entry, archive=uuid, max_chars=LIMIT, sections=(section,))
    taken: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        ask = new_leaf(path)
        ways: dict[str, Callable[[], object]] = {
            "bare: libzim, lxml, html2text": lambda: bare(path, entry),
            "cold fetch of the whole article": lambda ask=ask: ask(whole),
            "second fetch of it": lambda ask=ask: ask(whole),
            f"its section {section!r}": lambda ask=ask: ask(one),
        }
        for name, work in ways.items():
            taken.setdefault(name, []).append(timed(work))
        other = new_leaf(path)
        cold = timed(lambda other=other: other(one))
        taken.setdefault(f"its section {section!r}, cold", []).append(cold)
    yield from ((name, statistics.median(times)) for name, times in taken.items())


def peak_of_a_shard() -> tuple[int, int]:
    """Return the peak memory of a shard's worker, in bytes: started, and after a large page."""
    part, entry = LARGEST_PAGE
    path = archive_named(part)
    with tempfile.TemporaryDirectory() as folder, zmq_context() as context:
        endpoint = f"ipc://{folder}/shard.sock"
        arguments = ["--library", requests.LIBRARY, "--archive", path, "--endpoint", endpoint]
        command = [sys.executable, "-m", "shard", "serve", *map(str, arguments)]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603 - our own
        try:
            peer = Peer(context, endpoint)
            described = peer.insist(requests.describe(), every=1.0)
            before = _peak(described.pid)
            peer.ask(requests.document(entry, 2, archive=described.archive), patience=60)
            return before, _peak(described.pid)
        finally:
            process.terminate()
            process.wait(20)


def _peak(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def main() -> None:
    """Print both tables."""
    times = dict(article_times())
    least = next(iter(times.values()))
    sys.stdout.write(f"| {LONGEST_ARTICLE[1]} | ms | of the bare way |\n| --- | ---: | ---: |\n")
    for name, taken in times.items():
        sys.stdout.write(f"| {name} | {taken:.1f} | {taken / least:.2f} |\n")
    before, peak = peak_of_a_shard()
    sys.stdout.write("\n| peak memory of a shard's worker | MB |\n| --- | ---: |\n")
    sys.stdout.write(f"| started | {before / 1e6:.0f} |\n")
    sys.stdout.write(f"| after the 2 MB page {LARGEST_PAGE[1]!r} | {peak / 1e6:.0f} |\n")


if __name__ == "__main__":
    main()
