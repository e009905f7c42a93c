"""Fifty-six invalid files: what is refused is named, what opens hurts nobody else."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client

from common.refs import format_ref
from tests.cluster.agent import Answer, call, search_without_stragglers
from tests.cluster.running import RunningCluster
from tests.real.corpora import ELEVEN
from tests.support.data import real_data

pytestmark = [pytest.mark.real, pytest.mark.cluster]

FAIL_ON_FIRST_USE = {
    "invalid.outofbounds_first_clusterptr.noTitleListingV0.zim": "main.html",
    "invalid.outofbounds_first_clusterptr.nons.zim": "main.html",
    "invalid.outofbounds_first_clusterptr.withns.zim": "A/main.html",
}
"""Open, but no page can be read: file and the path of its page."""

OPEN_WITHOUT_A_WORD = {
    "invalid.bad_mimetype_in_dirent.noTitleListingV0.zim": "main.html",
    "invalid.bad_mimetype_in_dirent.nons.zim": "main.html",
    "invalid.bad_mimetype_in_dirent.withns.zim": "A/main.html",
    "invalid.nonsorted_title_index.nons.zim": "main.html",
    "invalid.nonsorted_title_index.withns.zim": "A/main.html",
    "invalid.outofbounds_first_title_entry.nons.zim": "main.html",
    "invalid.outofbounds_first_title_entry.withns.zim": "A/main.html",
    "invalid.outofbounds_last_title_entry.nons.zim": "main.html",
    "invalid.outofbounds_last_title_entry.withns.zim": "A/main.html",
    "invalid.outofbounds_titleptrpos.nons.zim": "main.html",
    "zim-tools_bad_checksum.zim": "main.html",
}
"""Invalid, but their pages can be read: file and the path of a page."""

OPENS = FAIL_ON_FIRST_USE | OPEN_WITHOUT_A_WORD
REFUSED = 42
GOOD = "Python"


def library_name(file: str) -> str:
    return file.removesuffix(".zim").removeprefix("invalid.")


@pytest.fixture(scope="module")
def beside_a_good_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """Return a cluster of all bad archives that open, and one good archive."""
    root = real_data()
    libraries = {library_name(file): root / "bad" / file for file in OPENS}
    libraries[GOOD] = root / ELEVEN[GOOD]
    run_dir = tmp_path_factory.mktemp("bad") / "run"
    with RunningCluster(libraries, run_dir) as running:
        yield running


def test_validate_names_every_refused_archive_with_a_reason(tmp_path: Path) -> None:
    files = {path.name: path for path in sorted((real_data() / "bad").iterdir())}
    refused = {library_name(file): path for file, path in files.items() if file not in OPENS}
    good = {library_name(file): files[file] for file in OPENS}
    assert len(refused) == REFUSED
    cluster = RunningCluster(refused | good, tmp_path / "run")

    result = cluster.command(
        "validate", "--config", str(cluster.config), "--root", str(cluster.root)
    )

    assert result.returncode == 1
    told = {line for line in result.stderr.splitlines() if line.strip()}
    for name in refused:
        lines = [line for line in told if f"'{name}'" in line]
        assert lines, f"{name} is not named in {result.stderr}"
        assert all(len(line) > len(name) + 20 for line in lines), lines
    for name in good:
        assert not [line for line in told if f"'{name}'" in line and "cannot" in line], name
    assert "Traceback" not in result.stderr


def test_up_serves_nothing_while_one_archive_cannot_be_opened(tmp_path: Path) -> None:
    root = real_data()
    libraries = {
        GOOD: root / ELEVEN[GOOD],
        "Broken": root / "bad/truncated_ray_charles_200k.zim",
    }
    cluster = RunningCluster(libraries, tmp_path / "run")

    result = cluster.command(
        "up",
        "--detach",
        *("--config", str(cluster.config), "--root", str(cluster.root)),
        *("--port", str(cluster.port)),
    )

    assert result.returncode == 1
    assert "'Broken'" in result.stderr
    assert cluster.processes() == []


@pytest.mark.parametrize("file", sorted(OPEN_WITHOUT_A_WORD))
def test_archive_that_opens_serves_the_pages_it_can(
    beside_a_good_one: RunningCluster, file: str
) -> None:
    answer = fetch(beside_a_good_one, file, OPENS[file])

    assert not answer.is_error, answer.content
    assert "".join(section["content"] for section in answer.content["sections"]).strip()


@pytest.mark.parametrize("file", sorted(FAIL_ON_FIRST_USE))
def test_page_that_cannot_be_read_is_a_clear_error(
    beside_a_good_one: RunningCluster, file: str
) -> None:
    answer = fetch(beside_a_good_one, file, OPENS[file])

    assert answer.is_error
    assert answer.content["error"] in {"internal", "library_unavailable"}
    assert "zim" not in answer.content["message"].replace(".zim", "").lower()


def test_good_library_beside_all_of_them_suffers_nothing(
    beside_a_good_one: RunningCluster,
) -> None:
    queries = ["json.dumps", "test zim file", "main page", "how to open a file", "article"]

    async def search_all() -> list[Answer]:
        async with Client(beside_a_good_one.url) as client:
            return [await search_without_stragglers(client, query) for query in queries]

    for answer in asyncio.run(search_all()):
        assert not answer.is_error, answer.content
        assert GOOD not in {row["library"] for row in answer.content.get("degraded", [])}
    replica = beside_a_good_one.replica(GOOD)
    assert (replica["state"], replica["restarts"]) == ("ready", 0)


def fetch(cluster: RunningCluster, file: str, path: str) -> Answer:
    async def once() -> Answer:
        async with Client(cluster.url) as client:
            return await call(client, "fetch", ref=format_ref(library_name(file), path))

    return asyncio.run(once())
