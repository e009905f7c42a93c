"""A newcomer can ask the demo corpus about itself: what is asked stands among the first results."""

from pathlib import Path

import pytest

from shard.archive import Archive
from tests.quality.local import Corpus

ASKED = {
    "what happens when a shard crashes": "what-happens-when-a-shard-crashes",
    "how do I update an archive without downtime": "how-do-i-update-an-archive",
    "how are scores of different archives compared": "how-does-the-ranking-compare-scores",
    "how do I add my own ZIM archives": "-my-own-zim-archives",
    "why are stop words a problem for conjunctive search": "Stop_word",
    "Okapi BM25": "BM25",
    "RRF": "Reciprocal_rank_fusion",
    "levenshtein": "Edit_distance",
    "what is a hedged request": "Hedged_request",
    "how many bytes has the header of a ZIM file": "ZIM_(file_format)",
    "SEARCH_RESTART_GRACE": "settings/search",
    "MCP_ALLOWED_HOSTS": "settings/gateway",
    "SHARD_WATCHDOG": "settings/shard",
    "section_not_found": "errors/agent",
    "relevant_sections": "tool/search",
    "corpus-mcp restart": "command/restart",
    "corpus.toml": "manifest",
    "prometheus metrics": "http/metrics",
    "glossary": "glossary.html",
    "advice for agents": "agents.html",
}
"""Queries, and a part of the path of the page that answers."""

FIRST = 3


@pytest.fixture(scope="module")
def corpus(demo: dict[str, Archive]) -> Corpus:
    return Corpus([Path(archive.path) for archive in demo.values()])


@pytest.mark.parametrize("query", ASKED)
def test_question_finds_its_page_among_the_first(corpus: Corpus, query: str):
    paths = [result.path for result in corpus.search(query).results]

    assert any(ASKED[query] in path for path in paths[:FIRST]), paths
