"""Sockets: where they are, and that their paths are never too long."""

import os
from pathlib import Path

import pytest

from common import endpoints


def test_sockets_live_in_the_run_directory() -> None:
    assert endpoints.socket_path(Path("/srv/.run"), "wiki", 0) == Path("/srv/.run/s/wiki.0")


@pytest.mark.parametrize("depth", [1, 5, 20, 60])
def test_socket_path_fits_for_every_run_directory(depth: int) -> None:
    run_dir = Path("/" + "/".join(["directory"] * depth))

    path = endpoints.socket_path(run_dir, "x" * 40, 63)

    assert len(bytes(path)) <= endpoints.MAX_SOCKET_PATH


def test_endpoint_can_be_told_to_zeromq_whatever_the_run_directory_is_called() -> None:
    run_dir = Path(os.fsdecode(b"/srv/\xff\xfe"))

    address = endpoints.endpoint(endpoints.socket_path(run_dir, "wiki", 0))

    assert address.encode("utf-8").startswith(b"ipc:///")


def test_two_deep_run_directories_never_share_their_sockets() -> None:
    deep = Path("/" + "d" * 120)

    assert endpoints.socket_dir(deep / "a") != endpoints.socket_dir(deep / "b")


def test_replicas_are_the_sockets_of_that_slug_alone(tmp_path: Path) -> None:
    folder = endpoints.socket_dir(tmp_path)
    folder.mkdir(parents=True)
    try:
        for name in ("c.10", "c.2", "c-1.0", "c.2.lock", "c.x", "cc.0"):
            (folder / name).touch()

        found = endpoints.replicas(tmp_path, "c")
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

    assert found == [f"ipc://{folder}/c.2", f"ipc://{folder}/c.10"]


def test_replicas_of_a_cluster_that_never_ran_are_none(tmp_path: Path) -> None:
    assert endpoints.replicas(tmp_path / "never", "c") == []


def test_endpoint_and_path_go_both_ways() -> None:
    path = Path("/srv/.run/s/wiki.0")

    assert endpoints.ipc_path(endpoints.endpoint(path)) == path
    assert endpoints.ipc_path("tcp://127.0.0.1:5555") is None
