"""Many archives in one command: a line of JSON each, and none that hurts another."""

import json
import subprocess
import sys
from pathlib import Path


def inspect(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shard", "inspect", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_inspect_of_many_gives_a_report_of_each(
    tmp_path: Path, wiki_zim: Path, devdocs_zim: Path
) -> None:
    broken = tmp_path / "broken.zim"
    broken.write_bytes(b"no archive")

    result = inspect("--json", str(wiki_zim), str(broken), str(devdocs_zim))

    reports = {report["path"]: report for report in map(json.loads, result.stdout.splitlines())}
    assert result.returncode == 0
    assert {path: report["ok"] for path, report in reports.items()} == {
        str(wiki_zim): True,
        str(broken): False,
        str(devdocs_zim): True,
    }
    assert reports[str(devdocs_zim)]["adapter"] == "devdocs"


def test_inspect_of_many_for_people_is_bad_usage(wiki_zim: Path, devdocs_zim: Path) -> None:
    result = inspect(str(wiki_zim), str(devdocs_zim))

    assert result.returncode == 2
    assert "--json" in result.stderr
