"""What a leaf proposes for words that no library has."""

from pathlib import Path

from common.deadline import Deadline
from common.frames import QueryReply, QueryRequest
from shard.adapters import choose
from shard.archive import Archive
from shard.index import open_index
from shard.leaf import MAX_MISSPELT, Leaf
from tests.support import zims


def proposals(path: Path, *words: str) -> list[dict[str, int]]:
    archive = Archive(path)
    adapter = choose(archive).adapter
    leaf = Leaf("Lib", archive, open_index(archive), adapter, cache_bytes=1 << 20)
    request = QueryRequest(
        request_id=1,
        library="Lib",
        archive=archive.uuid,
        budget=10.0,
        text="",
        words=[],
        limit=0,
        misspelt=list(words),
    )
    *_, reply = leaf.answer(request, Deadline.after(10.0))
    assert isinstance(reply, QueryReply)
    assert not reply.hits
    return reply.spellings


def test_leaf_proposes_words_of_its_index(wiki_zim: Path) -> None:
    assert proposals(wiki_zim, "chikcen") == [{"chicken": 1}]


def test_leaf_proposes_nothing_for_what_is_close_to_nothing(wiki_zim: Path) -> None:
    assert proposals(wiki_zim, "qqqqqqqq", "zzzzzzzz") == [{}, {}]


def test_leaf_looks_up_no_more_than_a_few_words(wiki_zim: Path) -> None:
    assert len(proposals(wiki_zim, *["qqqqqqqq"] * 100)) == MAX_MISSPELT


def test_leaf_without_a_fulltext_index_proposes_nothing(tmp_path: Path) -> None:
    plain = zims.wiki_zim(tmp_path / "plain.zim", index=False)

    assert proposals(plain, "chikcen") == [{}]
