"""The command line of a shard, as a supervisor starts it."""

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
