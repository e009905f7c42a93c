"""Archives that are looked into elsewhere: by another name, and by a process in a container."""

import sys
from pathlib import Path

from deploy.inspection import inspect_all

ECHO = (
    "import json, sys\n"
    "for path in sys.argv[1:]: print(json.dumps({'ok': True, 'path': path, 'uuid': path}))"
)


def elsewhere(path: Path) -> str:
    return f"/corpus/{path.name}"


def test_reports_are_found_by_the_name_that_the_command_was_given(tmp_path: Path) -> None:
    paths = [tmp_path / "a.zim", tmp_path / "b.zim"]

    together = inspect_all(paths, command=(sys.executable, "-c", ECHO), named=elsewhere)
    alone = inspect_all(paths[:1], command=(sys.executable, "-c", ECHO), named=elsewhere)

    assert [together[path].uuid for path in paths] == ["/corpus/a.zim", "/corpus/b.zim"]
    assert alone[paths[0]].uuid == "/corpus/a.zim"


def test_process_killed_in_a_container_is_told_by_its_signal(tmp_path: Path) -> None:
    path = tmp_path / "a.zim"

    # What a container ends with whose process met SIGSEGV.
    report = inspect_all([path], command=("sh", "-c", "exit 139"))[path]

    assert not report.ok
    assert "SIGSEGV" in (report.error or "")
