"""The command itself: exit codes and messages."""

import json
import os
import signal
from pathlib import Path

import pytest

from common.manifest import Library
from deploy import cluster, processes
from deploy.port import free_port
from tests.deploy.operating import Operator, complaint


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
