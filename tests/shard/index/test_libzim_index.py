"""What libzim's search does not tell is read off the pages."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from shard.archive import Archive, EntryHead
from shard.index import LibzimIndex, open_index
from shard.index.lengths import MAX_READ_BYTES, PageLengths, count, page_text
from shard.index.libzim_index import MAX_SEARCHES
from tests.support.zims import Entry, build_zim


def is_page(head: EntryHead) -> bool:
    return head.mimetype.startswith("text/html")


def page(text: str) -> str:
    return f"<html><body><p class='otter otter'>{text}</p></body></html>"


def index_of(path: Path, **texts: str) -> LibzimIndex:
    entries = [Entry(name, name, page(text)) for name, text in texts.items()]
    index = open_index(Archive(build_zim(path, entries)), bindings=False)
    assert isinstance(index, LibzimIndex)
    return index


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    search = Archive.search

    def listen(archive: Archive, text: str, limit: int):
        asked.append(text)
        return search(archive, text, limit)

    monkeypatch.setattr(Archive, "search", listen)
    return asked


def test_best_hits_have_the_counts_of_their_text(tmp_path) -> None:
    index = index_of(tmp_path / "a.zim", a="otter otters swim " * 5, b="a heron")

    answer = index.query(["otter", "swim", "heron"], 10, is_page)

    assert {hit.path: hit.counts for hit in answer.hits} == {"a": (10, 5, 0), "b": (0, 0, 1)}
    assert {hit.path: hit.length for hit in answer.hits} == {"a": 15, "b": 2}


def test_other_hits_have_flags_and_a_length_by_their_size(tmp_path) -> None:
    texts = {f"p{number}": "otter " * 60 for number in range(9)}
    index = index_of(tmp_path / "a.zim", **texts, long="otter " + "heron " * 2000)

    answer = index.query(["otter"], 10, is_page)

    last = answer.hits[-1]
    assert (last.path, last.counts) == ("long", (1,))
    assert 1000 < last.length < 4000
    assert 1000 < answer.total_length < 5000


def test_page_too_large_to_read_keeps_its_flags(tmp_path) -> None:
    index = index_of(tmp_path / "a.zim", a="otter " * (MAX_READ_BYTES // 5), b="a heron waits")

    hit, *_ = index.query(["otter"], 10, is_page).hits

    assert hit.counts == (1,)
    assert hit.length > 1000


def test_words_together_find_what_each_alone_has_too_much_of(tmp_path) -> None:
    crowd = {f"o{number}": "otter " * 9 for number in range(150)}
    crowd |= {f"h{number}": "heron " * 9 for number in range(150)}
    both = "otter heron " + "lake " * 50
    index = index_of(tmp_path / "a.zim", **crowd, both=both)

    assert index.query(["otter", "heron"], 1, is_page).hits[0].path == "both"


@pytest.mark.parametrize("number", [1, 2, 12, 32])
def test_searches_of_one_query_are_bounded(tmp_path, searches, number) -> None:
    words = [f"w{n}" for n in range(number)]
    index = index_of(tmp_path / "a.zim", a=" ".join(words), b="heron")
    searches.clear()

    index.query(words, 10, is_page)

    assert len(searches) <= max(MAX_SEARCHES, number + 7)
    assert len(set(searches)) == len(searches)


def test_lengths_of_an_archive_without_pages_are_unknown(tmp_path) -> None:
    path = build_zim(tmp_path / "a.zim", [Entry("a.css", "", "p {}", "text/css", front=False)])

    lengths = PageLengths(Archive(path))

    assert (lengths.average, lengths.of("a.css"), lengths.of("absent")) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "words", "counts"),
    [
        pytest.param("languages and language", ["language"], [2], id="inflection"),
        pytest.param("many a man", ["man"], [1], id="short word"),
        pytest.param("crème brûlée", ["creme", "brûlée"], [0, 1], id="accents"),
        pytest.param("東京都は東京", ["東京"], [2], id="cjk"),
        pytest.param("nothing", ["otter"], [0], id="absent"),
    ],
)
def test_words_are_counted_without_a_stemmer(
    text: str, words: Sequence[str], counts: list[int]
) -> None:
    assert count(words, page_text(page(text).encode())) == counts


def test_text_of_a_hostile_page_is_bounded() -> None:
    assert len(page_text(b"<" * MAX_READ_BYTES)) == MAX_READ_BYTES + 2
