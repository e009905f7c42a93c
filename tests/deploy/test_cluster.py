"""The control of processes, with small programs in the places of shard and gateway."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from common.endpoints import endpoint, socket_path
from common.errors import ConfigError
from common.manifest import Library, Manifest
from deploy import cluster, leftovers, processes, restarting, status
from deploy.cluster import Cluster, Plan
from deploy.control import Supervisor
from deploy.errors import Failed
from deploy.port import free_port
from deploy.site import RunDir, base_url, cluster_environment, describe
from deploy.supervisor import Program

pytestmark = pytest.mark.cluster

MANIFEST = Manifest(
    (Library(name="Wiki", path="wiki.zim"), Library(name="C++", path="c.zim", replicas=2))
)
LONG = "so-long-a-name-that-no-socket-path-has-room-for-it/" * 3


def stand_in(name: str, *arguments: str) -> Program:
    return Program(name, (sys.executable, "-m", "tests.deploy.stand_ins", *arguments), 2)


def shards(run_dir: RunDir) -> list[Program]:
    return [
        stand_in(
            f"{library.slug}.{number}",
            "shard",
            endpoint(socket_path(run_dir.path, library.slug, number)),
        )
        for library in MANIFEST.libraries
        for number in range(library.replicas)
    ]


Planner = Callable[..., Plan]


@pytest.fixture
def planned(tmp_path: Path) -> Iterator[Planner]:
    """Return a maker of plans whose clusters end with the test, whatever it does."""
    run_dirs: list[RunDir] = []

    def make(folder: str = "run", **changes: object) -> Plan:
        site = describe({"CORPUS_RUN_DIR": tmp_path / folder}, dict(os.environ))
        run_dirs.append(site.run_dir)
        port = free_port("127.0.0.1", 0)
        return Plan(
            run_dir=site.run_dir,
            environment={
                **cluster_environment(site, port),
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
            manifest=MANIFEST,
            gateway=stand_in("gateway", "gateway"),
            shards=shards(site.run_dir),
            url=base_url("127.0.0.1", port),
            token="",
            stop_seconds=10,
        )._replace(**changes)  # type: ignore[arg-type]

    yield make
    for run_dir in run_dirs:
        processes.end(run_dir, 0)
        leftovers.sweep(run_dir)


@contextlib.contextmanager
def running(plan: Plan) -> Iterator[Cluster]:
    with cluster.claim(plan.run_dir):
        started = cluster.start(plan)
    try:
        started.wait_ready(20)
        yield started
    finally:
        started.stop()


def sockets(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_socket()]


def test_cluster_is_ready_when_every_replica_answers_and_ends_without_a_trace(
    planned: Planner,
) -> None:
    plan = planned()

    with running(plan):
        current = status.read(plan.url)
        assert len(processes.members(plan.run_dir)) == 5

    assert current
    assert [library.ready_replicas for library in current.gateway.libraries] == [1, 2]
    assert processes.members(plan.run_dir) == []
    assert sockets(plan.run_dir.path) == []
    assert not plan.run_dir.record.exists()


def test_every_process_finds_the_cluster_in_its_environment(planned: Planner) -> None:
    plan = planned()

    with running(plan):
        for process in processes.members(plan.run_dir):
            environment = Path(f"/proc/{process.pid}/environ").read_text().split("\0")
            assert f"CORPUS_RUN_DIR={plan.run_dir.path}" in environment
            assert f"CORPUS_CONFIG={plan.run_dir.manifest}" in environment


def test_odd_folder_and_settings_change_nothing(planned: Planner) -> None:
    plan = planned("run %(here)s ;x #y\n'z\"")
    odd = {**plan.environment, "ODD": "a ;b\n%(x)s #", "MCP_TOKEN": "100% ;"}

    with running(plan._replace(environment=odd)):
        (first, *_) = processes.members(plan.run_dir)
        environment = Path(f"/proc/{first.pid}/environ").read_text()

    assert "ODD=a ;b\n%(x)s #\0" in environment


def test_run_directory_may_be_deeper_than_a_socket_path(planned: Planner) -> None:
    plan = planned(LONG)

    with running(plan):
        elsewhere = plan.run_dir.sockets
        assert not elsewhere.is_relative_to(plan.run_dir.path)
        assert elsewhere.stat().st_mode & 0o077 == 0

    assert not elsewhere.exists()


def test_two_clusters_run_side_by_side(planned: Planner) -> None:
    one, other = planned("one"), planned("other")

    with running(one):
        with running(other):
            pass
        current = status.read(one.url)

    assert status.unready(current, MANIFEST) == []


def test_second_start_in_a_run_directory_is_refused_by_name(planned: Planner) -> None:
    plan = planned()

    with (
        running(plan),
        pytest.raises(Failed, match="already") as refused,
        cluster.claim(plan.run_dir),
    ):
        pass

    assert str(plan.run_dir.path) in str(refused.value)


def test_two_starts_at_once_are_refused(planned: Planner) -> None:
    plan = planned()

    with (
        cluster.claim(plan.run_dir),
        pytest.raises(Failed, match="being started"),
        cluster.claim(plan.run_dir),
    ):
        pass


def test_what_a_killed_supervisord_left_is_ended(planned: Planner) -> None:
    plan = planned()
    with running(plan) as started:
        os.kill(started.pid, signal.SIGKILL)
        started.wait_ended()
        assert len(processes.members(plan.run_dir)) == 4

        cluster.stop(plan.run_dir, 10)

        assert processes.members(plan.run_dir) == []
        assert sockets(plan.run_dir.path) == []


def test_a_new_cluster_clears_what_a_dead_one_left(planned: Planner) -> None:
    plan = planned()
    with running(plan) as dead:
        os.kill(dead.pid, signal.SIGKILL)
        dead.wait_ended()
        old = {process.pid for process in processes.members(plan.run_dir)}

        with running(plan):
            new = {process.pid for process in processes.members(plan.run_dir)}

    assert old
    assert not old & new


def test_a_stranger_with_our_run_directory_in_its_environment_is_left_alone(
    planned: Planner,
) -> None:
    plan = planned()
    shell = {**os.environ, "CORPUS_RUN_DIR": str(plan.run_dir.path)}
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, env=shell) as stranger:
        with running(plan):
            pass

        assert stranger.poll() is None
        stranger.communicate(timeout=5)


def test_program_that_ends_at_the_start_is_named_with_its_last_words(planned: Planner) -> None:
    plan = planned()
    broken = stand_in("wiki.0", "dies", "no room for the index")

    with (
        pytest.raises(Failed, match=r"library 'Wiki': .*no room for the index"),
        running(plan._replace(shards=[broken, *plan.shards[1:]])),
    ):
        pass

    assert processes.members(plan.run_dir) == []


def test_library_that_does_not_get_ready_is_named(planned: Planner) -> None:
    plan = planned()
    silent = stand_in("wiki.0", "deaf")
    with cluster.claim(plan.run_dir):
        started = cluster.start(plan._replace(shards=[silent, *plan.shards[1:]], stop_seconds=1))

    with pytest.raises(Failed, match="'Wiki'") as late:
        started.wait_ready(3)
    started.stop()

    assert "C++" not in str(late.value)
    assert processes.members(plan.run_dir) == []


def test_restart_takes_the_replicas_one_after_another(planned: Planner) -> None:
    plan = planned()
    seen: list[tuple[int, int]] = []
    with running(plan):
        before = workers(plan)

        def tell(number: int, replica: status.Replica) -> None:
            seen.append((number, sum(pid not in before for pid in workers(plan))))

        restarting.restart(MANIFEST.libraries[1], plan.run_dir, lambda: status.read(plan.url), tell)
        after = workers(plan)

    assert seen == [(0, 1), (1, 2)]
    assert after[0] == before[0]
    assert not set(after[1:]) & set(before)


def workers(plan: Plan) -> list[int | None]:
    current = status.read(plan.url)
    assert current
    return [replica.pid for library in current.gateway.libraries for replica in library.replicas]


def test_status_comes_from_supervisord_when_the_gateway_is_silent(planned: Planner) -> None:
    plan = planned(gateway=stand_in("gateway", "deaf"), stop_seconds=1)
    with cluster.claim(plan.run_dir):
        started = cluster.start(plan)
    control = Supervisor(plan.run_dir.supervisor_socket)

    try:
        assert processes.wait(lambda: len(control.programs() or []) == 4, 10)
        assert processes.wait(lambda: all(one.pid for one in control.programs() or []), 10)
        found = status.from_supervisor(control.programs() or [], MANIFEST, plan.run_dir)
    finally:
        started.stop()

    assert not found.from_gateway
    assert [library.name for library in found.gateway.libraries] == ["Wiki", "C++"]
    assert all(
        replica.state in {"running", "starting"} and replica.keeper_pid
        for library in found.gateway.libraries
        for replica in library.replicas
    )


def test_folder_of_the_sockets_that_is_somebody_elses_is_refused(
    planned: Planner, tmp_path: Path
) -> None:
    plan = planned()
    plan.run_dir.path.mkdir()
    plan.run_dir.sockets.symlink_to(tmp_path)

    with pytest.raises(ConfigError, match="somebody else"), cluster.claim(plan.run_dir):
        pass

    plan.run_dir.sockets.unlink()
