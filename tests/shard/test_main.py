"""The command line of a shard, as a supervisor starts it."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from common.frames import DescribeReply, DocumentReply
from tests.shard import requests
from tests.shard.peers import PATIENCE, Peer
from tests.shard.replicas import ROOT, Replica

pytestmark = pytest.mark.cluster

SERVE = ("serve", "--library", "Lib", "--archive", "x.zim")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shard", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 3,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        pytest.param((), "COMMAND", id="no command"),
        pytest.param(("nothing",), "nothing", id="unknown command"),
        pytest.param(SERVE, "--endpoint", id="no endpoint"),
        pytest.param((*SERVE, "--endpoint", "http://x"), "http://x", id="no such transport"),
        pytest.param((*SERVE, "--endpoint", "ipc://s.0"), "absolute", id="relative path"),
        pytest.param((*SERVE, "--endpoint", "ipc:///" + "x" * 107), "107", id="long path"),
        pytest.param(
            (*SERVE, "--endpoint", "ipc:///x", "--adapter", "y"), "mediawiki", id="adapter"
        ),
        pytest.param(
            (*SERVE, "--endpoint", "tcp://127.0.0.1:1"), "SHARD_TCP_PLAIN", id="network, no keys"
        ),
    ],
)
def test_bad_usage_is_named_and_exits_2(arguments: tuple[str, ...], named: str):
    done = run(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_setting_is_named_and_exits_2(endpoint: str):
    done = run(*SERVE, "--endpoint", endpoint, SHARD_WATCHDOG="never")

    assert done.returncode == 2
    assert "SHARD_WATCHDOG" in done.stderr


def test_shard_serves_its_archive_and_says_so_in_one_line(
    endpoint: str, connect: Callable[[str], Peer], wiki_zim: Path
):
    replica = Replica(
        "shard", "serve", "--library", "Lib", "--archive", str(wiki_zim), "--endpoint", endpoint
    )
    try:
        ready = replica.event("shard ready")
        peer = connect(endpoint)
        described = peer.ask(requests.describe(library="Lib"))
        reply = peer.ask(requests.document("Fox", library="Lib", archive=described.archive))
        replica.signal(signal.SIGTERM)
        status = replica.wait()
    finally:
        replica.end()

    assert isinstance(described, DescribeReply)
    assert isinstance(reply, DocumentReply)
    assert (
        ready.items()
        >= {
            "library": "Lib",
            "endpoint": endpoint,
            "archive": str(wiki_zim),
            "adapter": "mediawiki",
            "index": "xapian",
            "documents": described.documents,
        }.items()
    )
    assert ready["ms"] > 0
    assert status == 0


def manifest(folder: Path, *tables: str) -> dict[str, str]:
    """Write a manifest of these libraries; return the environment that names it."""
    path = folder / "corpus.toml"
    path.write_text("version = 1\n" + "".join(f"[[library]]\n{table}\n" for table in tables))
    return {"CORPUS_CONFIG": str(path), "CORPUS_ROOT": str(folder)}


def test_shard_without_an_archive_takes_what_the_manifest_says(
    endpoint: str, tmp_path: Path, wiki_zim: Path
):
    environment = manifest(tmp_path, 'name = "Lib"\npath = "wiki.zim"\nadapter = "generic"')
    environment["CORPUS_ROOT"] = str(wiki_zim.parent)
    replica = Replica("shard", "serve", "--library", "Lib", "--endpoint", endpoint, **environment)
    try:
        ready = replica.event("shard ready")
    finally:
        replica.end()

    assert (ready["archive"], ready["adapter"]) == (str(wiki_zim), "generic")


@pytest.mark.parametrize(
    ("table", "named"),
    [
        pytest.param('name = "Tea"\npath = "tea.zim"', "one of Tea", id="another library"),
        pytest.param('name = "Lib"\npath = "tea_*.zim"', "tea_\\*.zim", id="a pattern"),
        pytest.param('name = "Lib"\npath = "/tea.zim"', "below the corpus root", id="bad path"),
    ],
)
def test_manifest_that_tells_no_archive_is_named_and_exits_2(
    endpoint: str, tmp_path: Path, table: str, named: str
):
    done = run("serve", "--library", "Lib", "--endpoint", endpoint, **manifest(tmp_path, table))

    assert done.returncode == 2
    assert re.search(named, done.stderr)


def test_shard_waits_for_an_archive_of_the_manifest_that_is_not_there(
    endpoint: str, tmp_path: Path
):
    environment = manifest(tmp_path, 'name = "Lib"\npath = "late.zim"')
    replica = Replica("shard", "serve", "--library", "Lib", "--endpoint", endpoint, **environment)
    try:
        assert "late.zim" in replica.event("worker cannot serve")["reason"]
    finally:
        replica.end()


def test_health_of_nobody_exits_1_and_says_so(endpoint: str):
    done = run("health", "--endpoint", endpoint)

    assert (done.returncode, done.stdout) == (1, "")
    assert endpoint in done.stderr


def test_shard_serves_as_soon_as_its_archive_is_there(
    endpoint: str, connect: Callable[[str], Peer], wiki_zim: Path, tmp_path: Path
):
    archive = tmp_path / "late.zim"
    replica = Replica(
        "shard", "serve", "--library", "Lib", "--archive", str(archive), "--endpoint", endpoint
    )
    try:
        complaint = replica.event("worker cannot serve")
        archive.symlink_to(wiki_zim)
        described = connect(endpoint).insist(requests.describe(library="Lib"))
    finally:
        replica.end()

    assert "late.zim" in complaint["reason"]
    assert isinstance(described, DescribeReply)
