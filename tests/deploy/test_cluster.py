"""The control of processes, with small programs in the places of shard and gateway."""

import os
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from common.errors import ConfigError
from deploy import cluster, processes, status, turn
from deploy.control import Supervisor
from deploy.errors import Failed
from deploy.supervisor import first_numbers
from tests.deploy.plans import MANIFEST, Planner, running, stand_in

pytestmark = pytest.mark.cluster

LONG = "so-long-a-name-that-no-socket-path-has-room-for-it/" * 3


def sockets(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_socket()]


def test_cluster_is_ready_when_every_replica_answers_and_ends_without_a_trace(
    planned: Planner,
) -> None:
    plan = planned()

    with running(plan):
        current = status.read(plan.record.url)
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
        current = status.read(one.record.url)

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


@pytest.mark.parametrize("answered", [b"", b"HTTP/1.0 200 OK\r\nContent-Length: 99\r\n\r\n<?xml"])
def test_supervisord_that_ends_in_its_answer_is_silent(tmp_path: Path, answered: bytes) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def answer() -> None:
            client, _ = server.accept()
            with client:
                client.recv(65536)
                client.sendall(answered)

        with ThreadPoolExecutor(1) as pool:
            ended = pool.submit(answer)
            assert Supervisor(path).programs() is None
            ended.result(5)


def test_one_verb_waits_for_another_and_says_for_which(planned: Planner) -> None:
    run_dir = planned().run_dir
    run_dir.path.mkdir()
    told: list[str] = []
    with (
        turn.take(run_dir, "reload", patience=0),
        pytest.raises(Failed, match=f"corpus-mcp reload is at work .process {os.getpid()}.* in"),
        turn.take(run_dir, "restart", patience=0.2, say=told.append),
    ):
        pass

    with turn.take(run_dir, "restart", patience=0, say=told.append):
        assert turn.is_taken(run_dir)

    assert len(told) == 1
    assert "waiting: corpus-mcp reload is at work" in told[0]
    assert not turn.is_taken(run_dir)


def test_status_comes_from_supervisord_when_the_gateway_is_silent(planned: Planner) -> None:
    plan = planned(gateway=stand_in("gateway", "deaf"), stop_seconds=1)
    with cluster.claim(plan.run_dir):
        started = cluster.start(plan)
    control = Supervisor(plan.run_dir.supervisor_socket)

    try:
        assert processes.wait(lambda: len(control.programs() or []) == 4, 10)
        assert processes.wait(lambda: all(one.pid for one in control.programs() or []), 10)
        found = status.from_supervisor(
            control.programs() or [], MANIFEST, first_numbers(MANIFEST), plan.run_dir
        )
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
