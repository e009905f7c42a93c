"""What a leaf suggests for words that no library has."""

from pathlib import Path

import pytest

from common.deadline import Deadline
from common.frames import ErrorReply, SpellReply
from shard.adapters import choose
from shard.archive import Archive
from shard.index import open_index
from shard.leaf import MAX_SUSPECTS, Leaf
from tests.shard import requests
from tests.support import zims


def suggestions(path: Path, *words: str, beside: tuple[str, ...] = ()) -> list[list[str]]:
    archive = Archive(path)
    adapter = choose(archive).adapter
    leaf = Leaf("Lib", archive, open_index(archive), adapter, cache_bytes=1 << 20)
    request = requests.spell(*words, beside=beside, library="Lib", archive=archive.uuid)
    *_, reply = leaf.answer(request, Deadline.after(10.0))
    assert isinstance(reply, SpellReply)
    return [[one.word for one in found] for found in reply.suggestions]


def test_leaf_suggests_words_of_its_index(wiki_zim: Path) -> None:
    assert suggestions(wiki_zim, "chikcen") == [["chicken"]]


def test_leaf_suggests_nothing_for_what_is_close_to_nothing(wiki_zim: Path) -> None:
    assert suggestions(wiki_zim, "qqqqqqqq", "zzzzzzzz") == [[], []]


def test_leaf_looks_up_no_more_than_a_few_words(wiki_zim: Path) -> None:
    assert len(suggestions(wiki_zim, *["qqqqqqqq"] * 100)) == MAX_SUSPECTS


def test_leaf_without_a_fulltext_index_suggests_words_of_titles(tmp_path: Path) -> None:
    plain = zims.wiki_zim(tmp_path / "plain.zim", index=False)

    assert suggestions(plain, "rankign", "chikcen") == [["ranking"], []]


@pytest.mark.parametrize("budget", [0.0, -1.0])
def test_leaf_gives_up_when_nobody_waits(wiki_zim: Path, budget: float) -> None:
    archive = Archive(wiki_zim)
    adapter = choose(archive).adapter
    leaf = Leaf("Lib", archive, open_index(archive), adapter, cache_bytes=1 << 20)
    request = requests.spell("chikcen", library="Lib", archive=archive.uuid)

    *_, reply = leaf.answer(request, Deadline.after(budget))

    assert isinstance(reply, ErrorReply)
    assert reply.code == "deadline_exceeded"
