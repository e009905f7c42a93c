"""The manifest changes while agents call: what they see, and what an operator is told."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from common import manifest
from common.manifest import Library, Manifest
from deploy import record, status
from deploy.control import Supervisor
from deploy.site import RunDir
from tests.cluster.agent import Answer, Load, ask
from tests.cluster.running import (
    RunningCluster,
    clean_environment,
    free_port,
    wait_until,
)
from tests.support import pages, zims
from tests.support.figures import Figure

pytestmark = pytest.mark.cluster

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "where do foxes live"}),
    ("fetch", {"ref": "corpus://Wiki/Fox"}),
    ("search", {"query": "edition of the hen"}),
    ("fetch", {"ref": "corpus://Wiki/Edition"}),
]

OLDER, OLD, NEW = "2026-10", "2026-11", "2026-12"


def edition(path: Path, month: str) -> Path:
    """Write an edition of the wiki whose pages tell which one it is."""
    told = pages.article("Edition", f"<p>This is the edition of {month}, about foxes and hens.</p>")
    entries = [*zims.wiki_entries(), zims.Entry("Edition", "Edition", told)]
    return zims.build_zim(
        path,
        entries,
        metadata={"Creator": "Wikipedia", "Scraper": "mwoffliner 2.0.0", "Date": f"{month}-28"},
        main="Fox",
    )


@pytest.fixture
def own(tmp_path: Path) -> Iterator[RunningCluster]:
    """Return a cluster of the test's own, in whose corpus root it may write."""
    root = tmp_path / "corpus"
    root.mkdir()
    libraries = {
        "Wiki": edition(root / "wiki.zim", OLD),
        "Farm": zims.site_zim(root / "farm.zim"),
    }
    with RunningCluster(libraries, tmp_path / "run") as running:
        yield running


def wanted(own: RunningCluster, *libraries: Library) -> None:
    """Write the operator's manifest."""
    own.config.write_text(manifest.render(Manifest(libraries)))


WIKI = Library(name="Wiki", path="wiki.zim")
FARM = Library(name="Farm", path="farm.zim")
TWO = Manifest((WIKI, FARM))


def workers(own: RunningCluster, name: str) -> dict[str, int]:
    """Return the pids of a library's workers by the number of the replica."""
    replicas = own.library(name)["replicas"]
    return {one["endpoint"].rpartition(".")[2]: one["pid"] for one in replicas}


def settled(own: RunningCluster) -> bool:
    """Tell whether supervisord, the gateway and the record name the same replicas, all ready."""
    run_dir = RunDir(own.run_dir)
    known = manifest.load(run_dir.manifest).libraries
    recorded = record.running(run_dir).replicas
    expected = {f"{one.slug}.{number}" for one in known for number in recorded[one.name]}
    programs = {one.name for one in Supervisor(run_dir.supervisor_socket).programs() or ()}
    seen = {
        one["endpoint"].rpartition("/")[2]: one["state"]
        for library in own.status()["libraries"]
        for one in library["replicas"]
    }
    return programs == {"gateway", *expected} and seen == dict.fromkeys(expected, "ready")


def editions(answers: list[Answer]) -> list[set[str]]:
    """Return the months that each answer has of the wiki: of its hits, and of its text."""
    found = []
    for answer in answers:
        hits = [row for row in answer.content.get("results", []) if row["library"] == "Wiki"]
        months = {hit["snapshot"] for hit in hits}
        if answer.content.get("library") == "Wiki":
            months.add(answer.content["snapshot"])
        text = str([hit["snippet"] for hit in hits]) + str(answer.content.get("sections", ""))
        found.append(
            months | {month for month in (OLDER, OLD, NEW) if f"edition of {month}" in text}
        )
    return found


@pytest.mark.parametrize("month", [NEW, OLDER])
def test_other_archive_in_the_place_of_the_old_is_taken_up_without_a_failed_call(
    own: RunningCluster, tmp_path: Path, figure: Figure, month: str
) -> None:
    edition(tmp_path / "other.zim", month).replace(own.root / "wiki.zim")
    farm = workers(own, "Farm")

    async def reload_under_load() -> tuple[Load, subprocess.CompletedProcess[str]]:
        load = Load(own.url, clients=4, calls=CALLS)
        async with load.running():
            began = time.monotonic()
            result = await asyncio.to_thread(own.command, "reload")
            figure(f"reload to {month}: seconds", time.monotonic() - began)
            await load.answered(20)
        return load, result

    load, result = asyncio.run(reload_under_load())
    seen = editions(load.answers)

    figure(f"reload to {month}: calls meanwhile", len(load.answers))
    figure(f"reload to {month}: degraded answers", len(load.degraded))
    figure(f"reload to {month}: slowest call, ms", max(one.seconds for one in load.answers) * 1000)
    assert result.returncode == 0, result.stderr
    assert load.failures == []
    assert load.degraded == []
    assert [months for months in seen if len(months) > 1] == []
    assert seen[0] == {OLD}
    assert set().union(*seen[-20:]) == {month}
    assert workers(own, "Farm") == farm
    assert result.stdout.splitlines() == [
        f"Wiki: replaced, snapshot {month}, replica 1: another archive in the place of wiki.zim"
    ]
    assert settled(own)


@pytest.fixture
def beside(own: RunningCluster) -> Iterator[str]:
    """Return the endpoint of a second gateway over the shards of the same cluster."""
    port = free_port()
    environment = {
        **clean_environment(),
        "CORPUS_RUN_DIR": str(own.run_dir),
        "CORPUS_CONFIG": str(own.run_dir / "corpus.toml"),
        "MCP_PORT": str(port),
    }
    with subprocess.Popen([sys.executable, "-m", "gateway", "serve"], env=environment) as gateway:
        url = f"http://127.0.0.1:{port}"
        try:
            wait_until(lambda: status.unready(status.read(url), TWO) == [], 30)
            yield f"{url}/mcp"
        finally:
            gateway.kill()


@pytest.mark.slow
def test_gateway_that_reload_knows_nothing_of_misses_nothing(
    own: RunningCluster, beside: str, tmp_path: Path
) -> None:
    edition(tmp_path / "fresh.zim", NEW).replace(own.root / "wiki.zim")

    async def reload_under_load() -> Load:
        load = Load(beside, clients=2, calls=CALLS)
        async with load.running():
            result = await asyncio.to_thread(own.command, "reload")
            assert result.returncode == 0, result.stderr
            await load.answered(20)
        return load

    load = asyncio.run(reload_under_load())

    seen = editions(load.answers)
    assert load.failures == []
    assert load.degraded == []
    assert [months for months in seen if len(months) > 1] == []
    assert set().union(*seen[-20:]) == {NEW}


def test_libraries_come_go_and_change_in_number_and_the_rest_stays(own: RunningCluster) -> None:
    zims.devdocs_zim(own.root / "docs.zim")
    wiki = workers(own, "Wiki")
    wanted(
        own,
        msgspec.structs.replace(WIKI, replicas=2),
        Library(name="Burrow Docs", path="d*.zim", memory_mb=512),
    )

    result = own.command("reload")

    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "Wiki: replicas 1 to 2",
        "Burrow Docs: added, snapshot 2026-11, replica 0",
        "Farm: removed",
    ]
    assert workers(own, "Wiki").items() > wiki.items()
    assert ask(own.url, "search", query="open a den at a path").titles[0] == "den"
    assert ask(own.url, "fetch", ref="corpus://Farm/index.html").content["error"] == "invalid_ref"
    assert settled(own)

    again = own.command("reload")

    assert (again.returncode, again.stdout) == (0, "nothing to do\n")


@pytest.mark.parametrize(
    ("library", "code", "words"),
    [
        (Library(name="Farm", path="gone.zim"), 2, "'Farm': path: expected an archive file"),
        (Library(name="Farm", path="bad.zim"), 1, "'Farm': path: expected an archive that can be"),
        (Library(name="WIKI", path="farm.zim"), 2, "expected a name unique without regard to case"),
    ],
)
def test_manifest_that_cannot_be_served_is_refused_and_nothing_changes(
    own: RunningCluster, library: Library, code: int, words: str
) -> None:
    (own.root / "bad.zim").write_bytes(b"no archive at all" * 100)
    before = own.run_dir.joinpath("corpus.toml").read_bytes()
    pids = own.processes()
    wanted(own, msgspec.structs.replace(WIKI, replicas=2), library)

    result = own.command("reload")

    assert result.returncode == code
    assert words in result.stderr
    assert own.run_dir.joinpath("corpus.toml").read_bytes() == before
    assert own.processes() == pids


def appears(name: str) -> Callable[[RunningCluster], bool]:
    """Return whether a socket is there yet."""
    return lambda own: any(path.name == name for path in own.sockets())


def recorded(name: str, *numbers: int) -> Callable[[RunningCluster], bool]:
    """Return whether the record names these replicas."""

    def check(own: RunningCluster) -> bool:
        return record.running(RunDir(own.run_dir)).replicas.get(name) == [*numbers]

    return check


def names(name: str) -> Callable[[RunningCluster], bool]:
    """Return whether the resolved manifest has a library."""
    return lambda own: name in manifest.load(own.run_dir / "corpus.toml").by_name()


STEPS = [
    ("newcomers are started", appears("wiki.1")),
    ("a new library is introduced", names("New")),
    ("the new state is recorded", recorded("Wiki", 1)),
]


@pytest.mark.slow
@pytest.mark.parametrize("reached", [pytest.param(step, id=name) for name, step in STEPS])
def test_reload_that_is_killed_leaves_what_serves_and_the_next_one_mends_it(
    own: RunningCluster, tmp_path: Path, reached: Callable[[RunningCluster], bool]
) -> None:
    edition(tmp_path / "fresh.zim", NEW).replace(own.root / "wiki.zim")
    wanted(own, WIKI, FARM, Library(name="New", path="farm.zim"))

    with subprocess.Popen(
        [sys.executable, "-m", "deploy", "reload", "--run-dir", str(own.run_dir)],
        stdout=subprocess.DEVNULL,
    ) as reload:
        wait_until(lambda: reached(own) or reload.poll() is not None, 60)
        reload.send_signal(signal.SIGKILL)
    served = ask(own.url, "search", query="edition of the hen")
    mended = own.command("reload")

    assert reload.returncode == -signal.SIGKILL
    assert not served.is_error
    assert "degraded" not in served.content
    assert mended.returncode == 0, mended.stderr
    assert ask(own.url, "fetch", ref="corpus://Wiki/Edition").content["snapshot"] == NEW
    assert ask(own.url, "fetch", ref="corpus://New/index.html").content["title"] == "Farm"
    assert settled(own)
    assert own.command("reload").stdout == "nothing to do\n"


def test_library_that_does_not_get_ready_is_named_and_what_serves_stays(
    own: RunningCluster,
) -> None:
    before = workers(own, "Wiki")
    wanted(own, msgspec.structs.replace(WIKI, adapter="devdocs"), FARM)
    # A successor that cannot lock its socket ends at once.
    (own.sockets()[0].parent / "wiki.1.lock").mkdir()

    result = own.command("reload")

    assert result.returncode in {1, 2}
    assert "'Wiki'" in result.stderr
    assert workers(own, "Wiki") == before
    assert own.library("Wiki")["adapter"] == "mediawiki"
    assert settled(own)
