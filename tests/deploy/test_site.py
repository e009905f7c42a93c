from pathlib import Path

import pytest

from common.errors import ConfigError
from common.manifest import Library, Manifest
from deploy import cluster, record, site
from deploy.errors import Failed


def test_options_win_over_the_environment(tmp_path: Path) -> None:
    place = site.describe(
        {"MCP_PORT": 9, "CORPUS_ROOT": None}, {"MCP_PORT": "8", "CORPUS_ROOT": "x"}
    )

    assert place.settings.mcp_port == 9
    assert place.root == Path.cwd() / "x"


def test_bad_setting_is_named() -> None:
    with pytest.raises(ConfigError, match=r"MCP_PORT: expected .* got '-1'"):
        site.describe({"MCP_PORT": -1}, {})


def test_every_spelling_of_a_run_directory_is_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    spellings = ["real", "link", "link/../real", "real/."]
    found = {site.describe({"CORPUS_RUN_DIR": tmp_path / one}, {}).run_dir for one in spellings}

    assert len(found) == 1


def test_processes_get_absolute_paths_and_the_callers_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"MCP_TOKEN_FILE": "token", "SEARCH_LIMIT": "3", "CORPUS_CONFIG": "mine.toml"}

    environment = site.cluster_environment(site.describe({}, given), 81)

    assert environment["CORPUS_ROOT"] == str(tmp_path / "corpus")
    assert environment["CORPUS_RUN_DIR"] == str(tmp_path / ".run")
    assert environment["CORPUS_CONFIG"] == str(tmp_path / ".run/corpus.toml")
    assert environment["MCP_TOKEN_FILE"] == str(tmp_path / "token")
    assert environment["MCP_PORT"] == "81"
    assert environment["SEARCH_LIMIT"] == "3"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("[::1]", "http://[::1]:80"),
        ("box.lan", "http://box.lan:80"),
    ],
)
def test_gateway_is_reached_at_an_address_that_can_be_connected_to(host: str, url: str) -> None:
    assert site.base_url(host, 80) == url


def test_address_is_that_of_the_running_cluster_else_of_the_settings(tmp_path: Path) -> None:
    place = site.describe({"CORPUS_RUN_DIR": tmp_path, "MCP_PORT": 81}, {})
    before = record.recorded_url(place)

    record.write(place.run_dir, record.Record(url="http://127.0.0.1:99"))

    assert before == "http://127.0.0.1:81"
    assert record.recorded_url(place) == "http://127.0.0.1:99"


def test_record_of_a_cluster_that_names_no_numbers_means_the_first_ones(tmp_path: Path) -> None:
    run_dir = site.RunDir(tmp_path)
    run_dir.record.write_text('{"url": "http://127.0.0.1:99", "replicas": {"b": [3]}}')

    found = record.running(run_dir)

    both = Manifest((Library(name="a", path="a", replicas=2), Library(name="b", path="b")))
    assert found.numbers(both) == {"a": [0, 1], "b": [3]}


def test_record_that_is_none_means_that_no_cluster_runs(tmp_path: Path) -> None:
    run_dir = site.RunDir(tmp_path)
    run_dir.record.write_text("{")

    with pytest.raises(Failed, match="no cluster runs"):
        record.running(run_dir)


def test_run_directory_whose_links_go_in_circles_is_nobodys_yet(tmp_path: Path) -> None:
    (tmp_path / "run").symlink_to("run")

    described = site.describe({"CORPUS_RUN_DIR": tmp_path / "run"}, {})

    with pytest.raises(ConfigError, match="CORPUS_RUN_DIR: expected a folder to write into"):
        cluster.claim(described.run_dir).__enter__()
