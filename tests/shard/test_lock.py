"""One live owner per socket."""

import os
import resource
from pathlib import Path

import pytest

from common.errors import ConfigError
from shard.lock import EndpointInUse, SocketLock


def test_lock_refuses_a_second_owner_and_names_the_first(tmp_path: Path):
    SocketLock(tmp_path / "s.0").acquire()

    with pytest.raises(EndpointInUse, match=rf"s\.0 .*{os.getpid()}"):
        SocketLock(tmp_path / "s.0").acquire(patience=0)


def test_lock_is_free_after_its_release(tmp_path: Path):
    first = SocketLock(tmp_path / "s.0")
    first.acquire()
    first.release()

    SocketLock(tmp_path / "s.0").acquire(patience=0)


def test_lock_is_free_after_the_death_of_its_owner(tmp_path: Path):
    child = os.fork()
    if child == 0:
        SocketLock(tmp_path / "s.0").acquire()
        os._exit(0)
    os.waitpid(child, 0)

    SocketLock(tmp_path / "s.0").acquire(patience=0)


def test_lock_makes_the_folder_for_this_user_alone(tmp_path: Path):
    SocketLock(tmp_path / "run" / "s.0").acquire()

    assert (tmp_path / "run").stat().st_mode & 0o077 == 0


def test_lock_says_what_is_wrong_with_the_folder(tmp_path: Path):
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match="endpoint"):
        SocketLock(tmp_path / "file" / "s.0").acquire()


def test_lock_is_taken_where_nothing_can_be_written(tmp_path: Path):
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        status = 1
        try:
            SocketLock(tmp_path / "s.0").acquire()
            status = 0
        finally:
            os._exit(status)

    assert os.waitpid(child, 0)[1] == 0
