"""Published archives with odd layouts: each serves what it has, and says what that is."""

import asyncio
from collections.abc import Iterator

import pytest
from mcp import Client

from tests.cluster.agent import Answer, ask, call
from tests.cluster.running import RunningCluster
from tests.cluster.test_answers import read_whole_and_by_section
from tests.real.corpora import ODD, paths

pytestmark = [pytest.mark.real, pytest.mark.cluster]

INDEX = {
    "Ray Charles 2015": "titles",
    "Corner cases": "titles",
    "Example": "xapian",
    "Foo": "xapian",
    "Characters": "xapian",
    "Poor": "titles",
    "Small": "xapian",
    "Spelling": "titles",
    "Tonedear": "xapian",
}

ANSWERS = [
    pytest.param("hit the road jack", "Ray Charles 2015", "A/Hit_the_Road_Jack", id="split"),
    pytest.param("perfect pitch", "Tonedear", "perfect-pitch", id="zimit"),
    pytest.param("Abenteuer", "Spelling", "Abenteuer.html", id="titles alone"),
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """Return a running cluster over the odd archives."""
    with RunningCluster(paths(ODD), tmp_path_factory.mktemp("odd") / "run") as running:
        yield running


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_archive_tells_what_it_searches_with_and_why(odd: RunningCluster, name: str) -> None:
    library = odd.library(name)

    assert library["state"] == "ready"
    assert library["index"] == INDEX[name]
    assert bool(library["index_reason"]) == (INDEX[name] != "xapian")


@pytest.mark.parametrize(("query", "library", "path"), ANSWERS)
def test_odd_archive_answers_from_what_it_has(
    odd: RunningCluster, query: str, library: str, path: str
) -> None:
    answer = ask(odd.url, "search", query=query, limit=10)

    found = [row["ref"] for row in answer.content["results"] if row["library"] == library]
    assert any(path in ref for ref in found), answer.content


def test_every_ref_of_odd_archives_reads_whole_and_by_section(odd: RunningCluster) -> None:
    async def walk() -> tuple[int, list[str]]:
        problems: list[str] = []
        refs: set[str] = set()
        async with Client(odd.url) as client:
            for query in ("ray charles", "page", "test", "index", "tuner", "main", "encoding"):
                answer: Answer = await call(client, "search", query=query, limit=10)
                assert not answer.is_error, answer.content
                refs.update(answer.refs)
            for ref in sorted(refs):
                problems += await read_whole_and_by_section(client, ref)
        return len(refs), problems

    count, problems = asyncio.run(walk())

    assert problems == []
    assert count > 10
