"""The operator's command, on a cluster that runs."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.agent import Load, ask
from tests.cluster.running import RunningCluster
from tests.support.figures import Figure

pytestmark = pytest.mark.cluster


def test_up_prints_the_endpoint_and_a_line_per_library(
    cluster: RunningCluster, corpus: dict[str, Path]
) -> None:
    assert cluster.url in cluster.started
    for name in corpus:
        assert name in cluster.started


def test_status_tells_each_library_and_replica(
    cluster: RunningCluster, corpus: dict[str, Path]
) -> None:
    result = cluster.command("status", "--json")

    assert result.returncode == 0, result.stderr
    libraries = {row["name"]: row for row in json.loads(result.stdout)["libraries"]}
    assert set(libraries) == set(corpus)
    for library in libraries.values():
        assert library["state"] == "ready"
        assert library["snapshot"] == "2026-11"
        assert library["index"] == "xapian"
        (replica,) = library["replicas"]
        assert replica["pid"] > 0
        assert replica["keeper_pid"] > 0
        assert replica["restarts"] == 0


def test_status_for_people_names_every_library(cluster: RunningCluster) -> None:
    result = cluster.command("status")

    assert result.returncode == 0
    for name in ("Wiki", "Burrow Docs", "Q+A", "Farm"):
        assert name in result.stdout


def test_search_and_fetch_go_through_the_endpoint(cluster: RunningCluster) -> None:
    port = ("--port", str(cluster.port))
    search = cluster.command("search", "where do foxes live", *port)
    fetch = cluster.command("fetch", "corpus://Wiki/Fox", "Habitat", *port)

    assert search.returncode == 0, search.stderr
    assert "corpus://Wiki/Fox" in search.stdout
    assert fetch.returncode == 0, fetch.stderr
    assert "Foxes live on every continent but Antarctica." in fetch.stdout


def test_second_cluster_runs_beside_the_first(
    cluster: RunningCluster, corpus: dict[str, Path], tmp_path: Path
) -> None:
    farm = {"Other farm": corpus["Farm"]}
    with RunningCluster(farm, tmp_path / "other") as other:
        theirs = ask(other.url, "search", query="visit the farm")
        ours = ask(cluster.url, "search", query="visit the farm")

    assert {row["library"] for row in theirs.content["results"]} == {"Other farm"}
    assert "Other farm" not in {row["library"] for row in ours.content["results"]}


def test_second_up_in_the_same_run_directory_is_refused(cluster: RunningCluster) -> None:
    result = cluster.command(
        "up", "--detach", "--config", str(cluster.config), "--root", str(cluster.root)
    )

    assert result.returncode in {1, 2}
    assert "already" in result.stderr
    assert cluster.ready("Wiki")


@pytest.mark.slow
def test_restart_is_seen_by_nobody(corpus: dict[str, Path], tmp_path: Path, figure: Figure) -> None:
    async def restart_under_load(own: RunningCluster) -> tuple[Load, list[str]]:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("search", {"query": "visit the farm"}),
            ("fetch", {"ref": "corpus://Farm/index.html"}),
        ]
        load = Load(own.url, clients=2, calls=calls)
        async with load.running():
            # Two at once: the second waits for the first.
            results = await asyncio.gather(
                *(asyncio.to_thread(own.command, "restart", "farm") for _ in range(2))
            )
            await load.answered(10)
        for result in results:
            assert result.returncode == 0, result.stderr
        return load, [result.stdout for result in results]

    with RunningCluster({"Farm": corpus["Farm"]}, tmp_path / "run") as own:
        before = own.replica("Farm")["pid"]

        load, printed = asyncio.run(restart_under_load(own))

        figure("restart: calls meanwhile", len(load.answers))
        figure("restart: slowest call, ms", max(one.seconds for one in load.answers) * 1000)
        assert load.failures == []
        assert load.degraded == []
        assert sum("waiting: corpus-mcp restart is at work" in text for text in printed) == 1
        assert own.ready("Farm", other_than=before)
        assert len(own.library("Farm")["replicas"]) == 1
        assert own.command("logs", "Farm").stdout


def test_down_leaves_no_process_and_no_socket(corpus: dict[str, Path], tmp_path: Path) -> None:
    own = RunningCluster({"Farm": corpus["Farm"]}, tmp_path / "run")
    with own:
        assert own.processes()
        assert own.sockets()

        result = own.command("down")

        assert result.returncode == 0, result.stderr
        assert own.processes() == []
        assert own.sockets() == []


@pytest.mark.parametrize(
    "arguments", [["restart", "Zoo"], ["fetch", "nonsense"], ["frobnicate"], ["up", "--colour"]]
)
def test_bad_usage_is_told_and_exits_nonzero(cluster: RunningCluster, arguments: list[str]) -> None:
    result = cluster.command(*arguments)

    assert result.returncode in {1, 2}
    assert result.stderr
    assert "Traceback" not in result.stderr
