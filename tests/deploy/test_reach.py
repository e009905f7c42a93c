"""The gateway that an operator's command asks, from whatever shell it is given."""

from pathlib import Path

import pytest

from common.manifest import Library, Manifest
from common.settings import load
from deploy import compose, project, reach, record
from deploy.corpus import Corpus, Served
from deploy.errors import Failed
from deploy.inspection import Report
from deploy.site import Site, describe


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """Return a run directory in which nothing was started."""
    return tmp_path / "run"


def site(run_dir: Path, **environment: str) -> Site:
    return describe({"CORPUS_RUN_DIR": run_dir}, environment)


def start_project(run_dir: Path, token: str = "") -> None:
    where = project.files(site(run_dir).run_dir)
    library = Library(name="Site", path="s.zim")
    corpus = Corpus((Served(library, Path("/zim/s.zim"), Report(ok=True, uuid="u")),))
    place = compose.Place(Path("/zim"), where.config, project.SHARD, Path("/corpus.toml"))
    given = {"MCP_PORT": "9000"}
    with project.claim(where):
        written = compose.render(corpus, load(given), given, place, token)
        project.write(where, written, Manifest((library,)))


def test_project_is_found_without_the_environment_of_its_start(run_dir: Path) -> None:
    start_project(run_dir, token="s3cret")

    assert reach.gateway(site(run_dir)) == ("http://127.0.0.1:9000", "s3cret")
    assert reach.gateway(site(run_dir), run_dir=run_dir).url == "http://127.0.0.1:9000"
    assert reach.gateway(site(run_dir), port=9000).token == "s3cret"


def test_token_of_a_project_goes_to_nobody_else(run_dir: Path) -> None:
    start_project(run_dir, token="s3cret")

    elsewhere = reach.gateway(site(run_dir, MCP_PORT="9001"))

    assert elsewhere == ("http://127.0.0.1:9001", "")
    assert reach.gateway(site(run_dir), port=9001).token == ""
    assert reach.gateway(site(run_dir, MCP_TOKEN="mine")).token == "mine"


def test_cluster_of_the_run_directory_comes_before_its_project(run_dir: Path) -> None:
    start_project(run_dir)
    record.write(site(run_dir).run_dir, record.Record(url="http://127.0.0.1:99"))

    assert reach.gateway(site(run_dir, MCP_PORT="9001")).url == "http://127.0.0.1:99"
    assert reach.gateway(site(run_dir), port=98).url == "http://127.0.0.1:98"


def test_folder_in_which_nothing_runs_is_not_taken_for_the_usual_port(run_dir: Path) -> None:
    assert reach.gateway(site(run_dir)).url == "http://127.0.0.1:8000"
    with pytest.raises(Failed, match="no cluster runs in"):
        reach.gateway(site(run_dir), run_dir=run_dir)
