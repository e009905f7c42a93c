"""What only the embedded database can tell, and how words become its terms."""

from pathlib import Path

import pytest

from common.errors import ShardFault
from shard.archive import Archive
from shard.index import HAS_XAPIAN, Index, open_index
from shard.index.blob import FULLTEXT_PATHS, TITLE_PATHS, Blob, locate
from shard.index.titles import LibzimTitles, NoTitles, look_up
from tests.support.zims import Entry, build_zim

pytestmark = pytest.mark.skipif(not HAS_XAPIAN, reason="the Xapian bindings are not installed")


def _html(text: str) -> str:
    return f"<html><body><p>{text}</p></body></html>"


@pytest.fixture
def index_of(tmp_path):
    def build(language: str, **texts: str) -> Index:
        entries = [Entry(name, name, _html(text)) for name, text in texts.items()]
        return open_index(Archive(build_zim(tmp_path / "a.zim", entries, language=language)))

    return build


def _query(index: Index, *words: str):
    return index.query(words, 10, lambda _: True)


def test_query_gives_true_counts_and_lengths(index_of) -> None:
    index = index_of("eng", one="fox fox fox hen", two="fox owl")

    answer = _query(index, "fox", "hen")

    assert answer.counted
    assert {hit.path: (hit.counts, hit.length > 0) for hit in answer.hits} == {
        "one": ((3, 1), True),
        "two": ((1, 0), True),
    }
    assert answer.total_length == sum(hit.length for hit in answer.hits)
    assert answer.documents == 2


def test_equal_scores_are_ordered_by_path(index_of) -> None:
    index = index_of("eng", zebra="fox", adder="fox", mole="fox")

    assert [hit.path for hit in _query(index, "fox").hits] == ["adder", "mole", "zebra"]


def test_stop_words_count_only_when_nothing_else_is_left(index_of) -> None:
    index = index_of("en", one="the fox and the hen")

    assert _query(index, "the", "fox").frequencies == (0, 1)
    assert _query(index, "the").hits == ()


def test_a_three_letter_language_has_no_stop_words(index_of) -> None:
    index = index_of("eng", one="the fox and the hen")

    assert _query(index, "the", "fox").frequencies == (1, 1)


def test_a_cjk_word_occurs_as_often_as_its_rarest_pair(index_of) -> None:
    index = index_of("jpn", one="東京大学と東京", two="東京")

    answer = _query(index, "東京", "東京大学")

    assert answer.frequencies == (2, 1)
    assert answer.hits[0].path == "one"
    assert answer.hits[0].counts == (2, 1)


def test_a_cjk_question_counts_where_most_of_it_is(index_of) -> None:
    index = index_of("jpn", one="東京大学の歴史について", two="京都の大学", three="東京の歴史")

    answer = _query(index, "東京大学の歴史は何ですか")

    assert answer.hits[0].path == "one"
    assert answer.hits[0].counts == (1,)


def test_a_single_cjk_character_is_found(index_of) -> None:
    index = index_of("zho", one="山和水", two="火")

    assert [hit.path for hit in _query(index, "水").hits] == ["one"]


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        pytest.param("jpn", "Straße", "strasse", id="sharp s, not stemmed"),
        pytest.param("deu", "Straßen", "strasse", id="sharp s, stemmed"),
        pytest.param("ell", "ο λόγος", "λογοσ", id="final sigma"),
        pytest.param("fra", "les élèves", "eleve", id="accents and plural"),
        pytest.param("rus", "московский", "московский", id="Cyrillic with a breve"),
        pytest.param("eng", "AT&T uses C++ 3.14", "at&t", id="ampersand"),
        pytest.param("eng", "AT&T uses C++ 3.14", "c++", id="plus signs"),
        pytest.param("eng", "AT&T uses C++ 3.14", "3.14", id="number"),
        pytest.param("eng", "call foo_bar()", "foo_bar", id="symbol"),
    ],
)
def test_a_casefolded_word_meets_the_indexed_one(index_of, language, text, word) -> None:
    index = index_of(language, one=text)

    assert _query(index, word.casefold()).frequencies == (1,)


@pytest.mark.parametrize(
    ("language", "stem"),
    [
        ("eng", "run"),
        ("en", "run"),
        ("EN", "run"),
        ("eng,fra", "running"),
        ("=en", "running"),
        ("grc", "running"),
        ("jpn", "running"),
    ],
)
def test_stem_is_that_of_the_index(index_of, language, stem) -> None:
    index = index_of(language, one="Running")

    assert index.stem("Running") == stem
    assert _query(index, "running").frequencies == (1,)


def test_a_damaged_database_is_replaced_and_named(pages_zim: Path, tmp_path) -> None:
    place = locate(pages_zim, FULLTEXT_PATHS)
    assert isinstance(place, Blob)
    content = bytearray(pages_zim.read_bytes())
    content[place.offset : place.offset + 4096] = bytes(4096)
    damaged = tmp_path / "damaged.zim"
    damaged.write_bytes(content)

    index = open_index(Archive(damaged))

    assert index.kind == "titles"
    assert "full-text index is damaged" in index.reason
    assert index.titles("badger", 5, lambda _: True)[0].path == "Badger"
    assert not _query(index, "badger").whole


def test_a_database_damaged_behind_its_head_fails_the_query(pages_zim: Path, tmp_path) -> None:
    place = locate(pages_zim, FULLTEXT_PATHS)
    assert isinstance(place, Blob)
    content = bytearray(pages_zim.read_bytes())
    content[place.offset + 8192 : place.offset + place.size] = bytes(place.size - 8192)
    damaged = tmp_path / "damaged.zim"
    damaged.write_bytes(content)
    index = open_index(Archive(damaged))

    if index.kind == "xapian":
        with pytest.raises(ShardFault, match="damaged"):
            _query(index, "badger")
    assert index.reason or index.kind == "xapian"


def test_a_damaged_title_database_is_replaced_by_a_list(pages_zim: Path, tmp_path) -> None:
    place = locate(pages_zim, TITLE_PATHS)
    assert isinstance(place, Blob)
    content = bytearray(pages_zim.read_bytes())
    content[place.offset : place.offset + 4096] = bytes(4096)
    damaged = tmp_path / "damaged.zim"
    damaged.write_bytes(content)

    index = open_index(Archive(damaged))

    assert index.kind == "xapian"
    assert [hit.path for hit in index.titles("ray charles", 5, lambda _: True)] == ["Ray_Charles"]
    assert [hit.path for hit in index.titles("charles", 5, lambda _: True)] == ["Ray_Charles"]
    assert _query(index, "badger").hits


def test_pages_are_found_by_usual_spellings_where_no_title_can_be_listed(pages_archive) -> None:
    hits = look_up(pages_archive, NoTitles(), "ray charles", 5, lambda _: True)

    assert [hit.path for hit in hits] == ["Ray_Charles"]


def test_titles_without_a_title_database_come_from_libzim(pages_archive) -> None:
    source = LibzimTitles(pages_archive)

    assert [one.path for one in source.beginning("ray", 5)] == ["Ray_Charles"]
