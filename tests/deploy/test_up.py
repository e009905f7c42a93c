"""`up` in the foreground and detached: what stops it, and what it leaves."""

import os
import resource
import signal
import socket
from pathlib import Path

import pytest

from deploy import processes
from tests.deploy.operating import Operator, complaint


@pytest.mark.cluster
def test_archive_that_cannot_be_opened_stops_everything(
    operator: Operator, site_zim: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut"
    cut.write_bytes(site_zim.read_bytes()[:5000])
    operator.corpus(Farm=site_zim, Cut=cut)

    result = operator.types("up", "--detach", "--port", "0")

    assert result.returncode == 1
    assert "library 'Cut'" in complaint(result)
    assert processes.members(operator.run_dir) == []


@pytest.mark.cluster
def test_disk_without_room_is_told_in_one_line(operator: Operator, site_zim: Path) -> None:
    operator.corpus(site=site_zim)

    result = operator.types(
        "up", "--port", "0", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    )

    assert result.returncode == 2
    assert "CORPUS_RUN_DIR: expected a folder to write into" in complaint(result)
    assert processes.members(operator.run_dir) == []


def test_port_in_use_is_told_before_anything_starts(operator: Operator, site_zim: Path) -> None:
    operator.corpus(Farm=site_zim)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        result = operator.types("up", "--detach", "--port", str(port))

    assert result.returncode == 1
    assert f"{port}, which is in use" in complaint(result)
    assert not operator.run_dir.supervisor_config.exists()


@pytest.mark.cluster
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_up_serves_until_it_is_ended_and_leaves_nothing(
    operator: Operator, site_zim: Path, number: signal.Signals
) -> None:
    operator.corpus(Farm=site_zim)

    with operator.leaves_open("up", "--port", "0") as up:
        assert up.stdout
        served, farm = up.stdout.readline(), up.stdout.readline()
        status = operator.types("status")
        up.send_signal(number)
        _, errors = up.communicate(timeout=30)

    assert served.startswith("serving http://127.0.0.1:")
    assert farm.startswith("  Farm: 2026-11, ")
    assert status.returncode == 0, status.stderr
    assert "Farm" in status.stdout
    assert (up.returncode, errors) == (0, "")
    assert processes.members(operator.run_dir) == []
    assert not operator.run_dir.sockets.exists()


@pytest.mark.cluster
def test_up_interrupted_before_it_is_ready_leaves_nothing(
    operator: Operator, site_zim: Path
) -> None:
    operator.corpus(Farm=site_zim)

    with operator.leaves_open("up", "--port", "0") as up:
        assert processes.wait(lambda: bool(processes.members(operator.run_dir)), 30)
        up.send_signal(signal.SIGINT)
        _, errors = up.communicate(timeout=30)

    assert up.returncode == 1
    assert errors == "corpus-mcp: interrupted\n"
    assert processes.members(operator.run_dir) == []
    assert not operator.run_dir.sockets.exists()


@pytest.mark.cluster
def test_up_ends_everything_when_its_supervisord_is_killed(
    operator: Operator, site_zim: Path
) -> None:
    operator.corpus(Farm=site_zim)

    with operator.leaves_open("up", "--port", "0") as up:
        assert up.stdout
        up.stdout.readline()
        supervisor = processes.supervisor(operator.run_dir)
        assert supervisor
        os.kill(supervisor, signal.SIGKILL)
        _, errors = up.communicate(timeout=30)

    assert up.returncode == 1
    assert "supervisord ended" in errors
    assert processes.members(operator.run_dir) == []


@pytest.mark.cluster
def test_detached_cluster_holds_none_of_the_callers_streams(
    operator: Operator, site_zim: Path
) -> None:
    operator.corpus(Farm=site_zim)

    # With a pipe held open by anybody, this would not return.
    up = operator.types("up", "--detach", "--port", "0")
    logs = operator.types("logs", "farm", "--lines", "5")
    down = operator.types("down")

    assert up.returncode == 0, up.stderr
    assert "farm.0: " in logs.stdout
    assert "shard ready" in logs.stdout
    assert down.returncode == 0
    assert processes.members(operator.run_dir) == []
