"""The project under load: started, scaled, renewed, and from outside and inside."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster.agent import Load, ask
from tests.cluster.running import wait_until
from tests.compose.checkout import Checkout, docker, main_pid, python
from tests.compose.load import under_load
from tests.support import figures

pytestmark = pytest.mark.docker

WORKED = "it worked"

SOON = 30
"""Bound on whatever is to come true: a busy machine takes ten times what an idle one does."""


def test_start_serves_the_demo_corpus_on_loopback(project: Checkout) -> None:
    found = ask(project.url, "search", query="how does BM25 rank documents")
    read = ask(project.url, "fetch", ref=found.refs[0])

    assert not found.is_error
    assert found.titles[0] == "BM25"
    assert read.content["sections"]


def test_start_again_leaves_everything_as_it_is(project: Checkout) -> None:
    before = project.compose("ps", "--quiet")

    printed = project.make("start")

    assert f"serving {project.url}" in printed
    assert project.compose("ps", "--quiet") == before


def test_plain_compose_finds_the_project(project: Checkout) -> None:
    services = project.compose("ps", "--services")

    assert sorted(services) == [
        "gateway",
        "proxy",
        "shard-encyclopaedia",
        "shard-questions",
        "shard-reference",
        "shard-site",
    ]


def test_scaling_a_library_fails_no_call(project: Checkout, figure: figures.Figure) -> None:
    def up() -> None:
        project.make("scale", LIBRARY="Encyclopaedia", N=3)
        assert len(project.ready("Encyclopaedia")) == 3

    more = under_load(project, up)
    answered = {row["endpoint"] for row in project.library("Encyclopaedia")["replicas"]}
    fewer = under_load(project, lambda: project.make("scale", LIBRARY="encyclopaedia", N=1))

    assert not more.failures
    assert not fewer.failures
    assert len(answered) == 3
    wait_until(lambda: len(project.ready("Encyclopaedia")) == 1, SOON)
    figure("compose: calls answered while a library was scaled to 3 and back", _calls(more, fewer))


def test_scaling_by_plain_compose_needs_no_other_change(project: Checkout) -> None:
    project.compose("up", "--detach", "--no-recreate", "--scale", "shard-site=2")
    wait_until(lambda: len(project.ready("Site")) == 2, SOON)
    project.compose("up", "--detach", "--no-recreate")

    wait_until(lambda: len(project.ready("Site")) == 1, SOON)


def test_plain_compose_leaves_alone_what_scale_made(project: Checkout) -> None:
    project.make("scale", LIBRARY="Site", N=2)
    project.make("scale", GATEWAY=2)
    before = project.compose("ps", "--quiet")

    project.compose("up", "--detach", "--scale", "shard-site=2", "--scale", "gateway=2")
    after = project.compose("ps", "--quiet")
    project.compose("up", "--detach")

    assert sorted(after) == sorted(before)
    assert len(project.containers("gateway")) == 1
    wait_until(lambda: len(project.ready("Site")) == 1, SOON)


def test_start_with_another_manifest_fails_no_call(project: Checkout) -> None:
    manifest = project.folder / "corpus.toml"
    before = manifest.read_text()
    manifest.write_text(before + '[[library]]\nname = "C++"\npath = "demo-site.zim"\n')

    def more_and_fewer() -> None:
        project.make("start")
        assert len(project.ready("C++")) == 1
        manifest.write_text(before)
        project.make("start")

    load = under_load(project, more_and_fewer)

    assert not load.failures
    assert len(project.status()["libraries"]) == 4


def test_verbs_need_nothing_of_the_environment_of_the_start(project: Checkout) -> None:
    elsewhere = project.without_environment()

    elsewhere.make("scale", LIBRARY="Site", N=2)
    elsewhere.make("restart-shard", LIBRARY="Site")
    found = elsewhere.run("search", "what happens when a shard crashes")
    elsewhere.make("scale", LIBRARY="Site", N=1)

    assert "corpus://" in found


def test_gateways_come_and_go_without_a_failed_call(
    project: Checkout, figure: figures.Figure
) -> None:
    def more_and_fewer() -> None:
        project.make("scale", GATEWAY=3)
        assert len(project.containers("gateway")) == 3
        project.make("scale", GATEWAY=1)

    load = under_load(project, more_and_fewer)

    assert not load.failures
    figure("compose: calls answered while gateways were scaled to 3 and back", _calls(load))


def test_killed_gateway_is_not_seen_by_agents(project: Checkout) -> None:
    project.make("scale", GATEWAY=2)

    def kill() -> None:
        subprocess.run(["kill", "-9", str(main_pid(project.containers("gateway")[0]))], check=True)
        wait_until(lambda: len(project.containers("gateway")) == 2, SOON)

    load = under_load(project, kill, after=60)
    project.make("scale", GATEWAY=1)

    assert not load.failures


def test_replaced_archive_is_served_without_a_failed_call(
    project: Checkout, tmp_path: Path, figure: figures.Figure
) -> None:
    assert project.library("Site")["snapshot"] == "2026-11"
    archive = project.folder / "corpus" / "demo-site.zim"
    kept = tmp_path / "kept.zim"
    shutil.copy(archive, kept)

    def renew() -> None:
        _edition(project, "2026-12-15").rename(archive)
        project.make("restart-shard", LIBRARY="Site")

    newer = under_load(project, renew)
    snapshot = project.library("Site")["snapshot"]
    shutil.copy(kept, archive.with_suffix(".old"))
    archive.with_suffix(".old").rename(archive)
    project.make("restart-shard", LIBRARY="Site")

    assert not newer.failures
    assert not newer.degraded
    assert snapshot == "2026-12"
    wait_until(lambda: project.library("Site")["snapshot"] == "2026-11", SOON)
    figure("compose: calls answered while an archive was replaced", _calls(newer))


def test_archive_that_cannot_be_opened_keeps_the_old_one_serving(project: Checkout) -> None:
    archive = project.folder / "corpus" / "demo-site.zim"
    kept = archive.rename(archive.with_suffix(".kept"))
    archive.write_bytes(b"no archive at all" * 1000)

    result = project.try_make("restart-shard", LIBRARY="Site")
    archive.unlink()
    kept.rename(archive)

    assert result.returncode != 0
    assert "'Site'" in result.stderr
    assert not ask(project.url, "fetch", ref="corpus://Site/tour.html").is_error
    assert len(project.containers("shard-site")) == 1


def test_unknown_library_is_refused_by_name(project: Checkout) -> None:
    result = project.try_make("scale", LIBRARY="Wikipedia", N=2)

    assert "expected one of 'Encyclopaedia'" in result.stderr


def test_shard_is_shut_in(project: Checkout, shard: str) -> None:
    user = python(shard, "import os; print(os.getuid(), os.getgid())")
    wrote = python(shard, _attempt("open('/app/x', 'w')"))
    corpus = python(shard, _attempt("open('/corpus/x', 'w')"))
    powers = python(shard, "print(open('/proc/self/status').read())")
    engine = python(shard, "import os; print(os.path.exists('/var/run/docker.sock'))")

    assert user == "10001 10001"
    assert "Read-only file system" in wrote
    assert "Read-only file system" in corpus
    assert "CapEff:\t0000000000000000" in powers
    assert "NoNewPrivs:\t1" in powers
    assert engine == "False"


def test_shard_reaches_nothing_outside_its_network(project: Checkout, shard: str) -> None:
    front = f'(index .NetworkSettings.Networks "{project.name}_front")'
    template = f"{{{{{front}.IPAddress}}}} {{{{{front}.Gateway}}}}"
    container = project.containers("proxy")[0]
    proxy, here = docker("inspect", "--format", template, container)[0].split()
    with socket.create_connection((proxy, 8000), 5):
        # It can be reached from here, on a network that leads outside.
        pass

    # This machine is outside, too.
    with socket.create_server((here, 0)) as server:
        for address in ((proxy, 8000), ("192.0.2.1", 8000), server.getsockname()):
            assert WORKED not in python(shard, _attempt(f"socket.create_connection({address}, 2)"))


def test_nothing_listens_on_this_machine_but_the_published_port(project: Checkout) -> None:
    published = {
        line for container in project.compose("ps", "--quiet") for line in docker("port", container)
    }

    assert published == {f"8000/tcp -> 127.0.0.1:{project.port}"}
    with socket.socket() as probe:
        # Every other address of this machine refuses.
        probe.settimeout(5)
        assert probe.connect_ex(("127.0.0.2", project.port)) != 0


def _attempt(statement: str) -> str:
    return (
        "import socket\n"
        f"try:\n    {statement}\n    print({WORKED!r})\n"
        "except OSError as exc:\n    print(exc)\n"
    )


def _edition(project: Checkout, date: str) -> Path:
    """Return an archive of the demo's site with another date, beside the one that is served."""
    source = project.folder / "demo" / "edition"
    shutil.copytree(project.folder / "demo" / "site", source, dirs_exist_ok=True)
    meta = source / "archive.toml"
    meta.write_text(meta.read_text().replace('Date = "2026-11-30"', f'Date = "{date}"'))
    target = project.folder / "corpus" / "edition.zim.new"
    built = target.with_name("edition.zim")
    subprocess.run(
        [sys.executable, "-m", "shard", "build", str(source), str(built)],
        check=True,
        capture_output=True,
    )
    return built.rename(target)


def _calls(*loads: Load) -> str:
    answers = [answer for load in loads for answer in load.answers]
    degraded = sum(len(load.degraded) for load in loads)
    longest = max(answer.seconds for answer in answers)
    return f"{len(answers)}, 0 failed, {degraded} degraded, longest {longest:.1f} s"
