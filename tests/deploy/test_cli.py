"""The command itself: exit codes, messages, and `up` in the foreground."""

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from common.manifest import Library, Manifest, render
from deploy import cluster, leftovers, processes
from deploy.port import free_port
from deploy.site import RunDir

SETTINGS = ("CORPUS_", "MCP_", "SEARCH_", "SHARD_", "GATEWAY_", "ZIM_")


class Operator:
    """Somebody who types commands in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run_dir = RunDir(folder / ".run")
        own = {k: v for k, v in os.environ.items() if not k.startswith(SETTINGS)}
        # Somebody else may use the usual port.
        self.environment = {**own, "MCP_PORT": str(free_port("127.0.0.1", 0))}

    def manifest(self, *libraries: Library) -> None:
        (self.folder / "corpus.toml").write_text(render(Manifest(libraries)))

    def corpus(self, **archives: Path) -> None:
        """Put archives into the corpus and name them in the manifest."""
        root = self.folder / "corpus"
        root.mkdir(exist_ok=True)
        for name, path in archives.items():
            (root / f"{name}.zim").write_bytes(path.read_bytes())
        self.manifest(*(Library(name=name, path=f"{name}.zim") for name in archives))

    def types(
        self, *words: str, before: Callable[[], None] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "deploy", *words],
            preexec_fn=before,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @contextlib.contextmanager
    def leaves_open(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        with subprocess.Popen(
            [sys.executable, "-u", "-m", "deploy", *words],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as command:
            try:
                yield command
            finally:
                command.kill()


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    who = Operator(tmp_path)
    yield who
    processes.end(who.run_dir, 0)
    leftovers.sweep(who.run_dir)


def complaint(result: subprocess.CompletedProcess[str]) -> str:
    """Return the one line on stderr."""
    (line,) = result.stderr.splitlines()
    assert line.startswith("corpus-mcp: ")
    return line


@pytest.mark.parametrize(
    "words", [["up", "--colour"], ["frobnicate"], ["up", "--port", "x"], ["search"]]
)
def test_bad_usage_exits_with_2(operator: Operator, words: list[str]) -> None:
    result = operator.types(*words)

    assert result.returncode == 2
    assert "Usage" in result.stderr


@pytest.mark.parametrize("verb", ["up", "validate", "list"])
def test_missing_manifest_is_named(operator: Operator, verb: str) -> None:
    result = operator.types(verb)

    assert result.returncode == 2
    assert "CORPUS_CONFIG" in complaint(result)


def test_wrong_setting_is_named(operator: Operator) -> None:
    operator.environment["SEARCH_LIMIT"] = "many"

    result = operator.types("status")

    assert result.returncode == 2
    assert "SEARCH_LIMIT: expected an integer from 1 to 50, got 'many'" in complaint(result)


@pytest.mark.parametrize("verb", ["up", "validate"])
def test_missing_archive_is_named(operator: Operator, verb: str) -> None:
    operator.manifest(Library(name="C++", path="gone.zim"))

    result = operator.types(verb)

    assert result.returncode == 2
    assert "library 'C++': path: expected an archive file" in complaint(result)
    assert "gone.zim" in complaint(result)


def test_list_says_what_is_missing(operator: Operator, site_zim: Path) -> None:
    operator.corpus(Farm=site_zim)
    libraries = [Library(name="Farm", path="*.zim"), Library(name="Mine", path="gone.zim")]
    operator.manifest(*libraries)

    result = operator.types("list")

    assert result.returncode == 0
    _, farm, mine = result.stdout.splitlines()
    assert farm.split() == ["Farm", "auto", "1", "*.zim", "Farm.zim"]
    assert mine.split() == ["Mine", "auto", "1", "gone.zim", "missing"]


def test_commands_without_a_cluster_say_so(operator: Operator) -> None:
    port = str(free_port("127.0.0.1", 0))

    results = {
        "status": operator.types("status", "--port", port),
        "logs": operator.types("logs"),
        "restart": operator.types("restart", "Farm"),
        "search": operator.types("search", "foxes", "--port", port),
        "explain": operator.types("search", "--explain", "foxes", "--port", port),
    }

    assert {verb: result.returncode for verb, result in results.items()} == dict.fromkeys(
        results, 1
    )
    for verb in ("status", "logs", "restart"):
        assert str(operator.run_dir.path) in complaint(results[verb])
    assert f"http://127.0.0.1:{port}/mcp" in complaint(results["search"])
    assert f"http://127.0.0.1:{port}" in complaint(results["explain"])


@pytest.mark.parametrize("words", [["status"], ["search", "foxes"], ["fetch", "corpus://W/Fox"]])
def test_run_directory_without_a_cluster_is_not_taken_for_another(
    operator: Operator, words: list[str]
) -> None:
    result = operator.types(*words, "--run-dir", "elsewhere")

    assert result.returncode == 1
    assert complaint(result).endswith(f"no cluster runs in {operator.folder / 'elsewhere'}")


def test_down_without_a_cluster_is_good(operator: Operator) -> None:
    result = operator.types("down")

    assert result.returncode == 0
    assert "no cluster runs" in result.stdout


def test_down_tells_that_a_cluster_is_about_to_start(operator: Operator) -> None:
    with cluster.claim(operator.run_dir):
        result = operator.types("down")

    assert result.returncode == 1
    assert "is being started" in complaint(result)


def test_validate_tells_what_is_in_each_archive(
    operator: Operator, wiki_zim: Path, stack_zim: Path
) -> None:
    operator.corpus(Wiki=wiki_zim, Stack=stack_zim)

    result = operator.types("validate")

    assert result.returncode == 0, result.stderr
    _, wiki, stack = result.stdout.splitlines()
    assert {"Wiki", "2026-11", "mediawiki", "xapian"} <= set(wiki.split())
    assert {"Stack", "2026-11", "stackexchange", "xapian"} <= set(stack.split())


def test_validate_with_check_verifies_the_checksums(operator: Operator, wiki_zim: Path) -> None:
    operator.corpus(Wiki=wiki_zim)
    archive = operator.folder / "corpus/Wiki.zim"
    content = bytearray(archive.read_bytes())
    content[-1] ^= 0xFF
    archive.write_bytes(content)

    plain, checked = operator.types("validate"), operator.types("validate", "--check")

    assert plain.returncode == 0
    assert checked.returncode == 1
    assert "'Wiki'" in complaint(checked)
    assert "checksum" in complaint(checked)


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


@pytest.mark.cluster
def test_status_says_so_when_the_gateway_is_down(operator: Operator, site_zim: Path) -> None:
    operator.corpus(Farm=site_zim)
    operator.types("up", "--detach", "--port", "0")
    gateway = next(one for one in processes.members(operator.run_dir) if "gateway" in one.command)
    os.kill(gateway.pid, signal.SIGSTOP)

    status = operator.types("status")

    assert status.returncode == 1
    assert "the gateway does not answer" in status.stdout
    assert "Farm" in status.stdout
    assert "running" in status.stdout


@pytest.mark.cluster
def test_token_is_asked_for_and_given(operator: Operator, site_zim: Path) -> None:
    operator.corpus(Farm=site_zim)
    (operator.folder / "secret").write_text("let me in\n")
    operator.environment["MCP_TOKEN_FILE"] = "secret"
    up = operator.types("up", "--detach", "--port", "0")
    found = operator.types("search", "visit the farm", "--json")
    (ref, *_) = [hit["ref"] for hit in json.loads(found.stdout)["results"]]
    read = operator.types("fetch", ref)
    explained = operator.types("search", "--explain", "visit the farm", "--json")
    table = operator.types("search", "--explain", "visit the farm")
    operator.environment["MCP_TOKEN_FILE"] = ""

    strangers = operator.types("status"), operator.types("search", "visit the farm")

    assert up.returncode == 0, up.stderr
    assert read.returncode == 0, read.stderr
    assert read.stdout.startswith("# ")
    assert [hit["ref"] for hit in json.loads(explained.stdout)["hits"]][:1] == [ref]
    assert "→" in table.stdout
    assert [stranger.returncode for stranger in strangers] == [1, 1]
    for stranger in strangers:
        assert "token" in complaint(stranger)


@pytest.mark.cluster
def test_what_the_gateway_refuses_is_a_configuration_error(
    operator: Operator, site_zim: Path
) -> None:
    operator.corpus(Farm=site_zim)
    operator.environment["MCP_HOST"] = "0.0.0.0"

    result = operator.types("up", "--detach", "--port", "0")

    assert result.returncode == 2
    assert "MCP_HOST" in complaint(result)
    assert processes.members(operator.run_dir) == []


@pytest.mark.cluster
def test_commands_say_so_when_supervisord_is_gone(operator: Operator, site_zim: Path) -> None:
    operator.corpus(Farm=site_zim)
    operator.types("up", "--detach", "--port", "0")
    supervisor = processes.supervisor(operator.run_dir)
    assert supervisor
    os.kill(supervisor, signal.SIGKILL)

    status = operator.types("status")
    changes = [operator.types("restart", "Farm"), operator.types("reload")]
    down = operator.types("down")

    assert status.returncode == 0
    assert "supervisord does not run" in status.stdout
    for change in changes:
        assert change.returncode == 1
        assert "does not answer; what is left of the cluster is ended by" in complaint(change)
    assert down.returncode == 0
    assert processes.members(operator.run_dir) == []
