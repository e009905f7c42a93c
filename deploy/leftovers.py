"""What a cluster leaves behind when it dies, and the folder of its sockets."""

import contextlib
import os
import shutil
import stat

from common.errors import ConfigError
from deploy import processes
from deploy.site import RunDir

_END_SECONDS = 5.0


def sweep(run_dir: RunDir) -> None:
    """End the processes and remove the sockets of a cluster whose supervisord has gone.

    Logs and the resolved manifest stay, for whoever wants to know what happened.

    Raises:
        ConfigError: The folder of the sockets belongs to somebody else.
    """
    if processes.members(run_dir):
        processes.end(run_dir, _END_SECONDS)
    remove_sockets(run_dir)
    for path in (run_dir.supervisor_pid, run_dir.record):
        path.unlink(missing_ok=True)


def make_sockets(run_dir: RunDir) -> None:
    """Make the folder of the sockets, readable for nobody else.

    Raises:
        ConfigError: It cannot be made, or belongs to somebody else.
    """
    try:
        run_dir.sockets.mkdir(mode=0o700, exist_ok=True)
    except OSError as exc:
        raise ConfigError(f"CORPUS_RUN_DIR: expected room for sockets, got {exc}") from exc
    _refuse_foreign(run_dir)


def remove_sockets(run_dir: RunDir) -> None:
    """Remove the folder of the sockets with all that is in it.

    Raises:
        ConfigError: It belongs to somebody else.
    """
    with contextlib.suppress(FileNotFoundError):
        _refuse_foreign(run_dir)
        shutil.rmtree(run_dir.sockets)


def _refuse_foreign(run_dir: RunDir) -> None:
    # In the system's folder for temporary files anybody may have made it first.
    found = run_dir.sockets.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise ConfigError(
            f"CORPUS_RUN_DIR: expected {run_dir.sockets} to be a folder of this user's, "
            "got somebody else's"
        )
