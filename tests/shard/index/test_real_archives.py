"""Every published archive: which index it gets, and what that finds."""

from pathlib import Path

import pytest

from common.text import fold, words
from shard.archive import Archive, EntryHead
from shard.index import Index, LibzimIndex, open_index
from shard.index.titles import LibzimTitles
from tests.support.data import archives, real_data

pytestmark = pytest.mark.real

NO_INDEX = "the archive has no full-text index"

INDEXES = {
    "beer.stackexchange.com_en_all_nopic_2026-11.zim": ("xapian", ""),
    "cisi.zim": ("xapian", ""),
    "coffee.stackexchange.com_en_all_nopic_2026-11.zim": ("xapian", ""),
    "corner_cases#&.zim": ("titles", NO_INDEX),
    "cranfield.zim": ("xapian", ""),
    "devdocs.io_en_cmake-3.25_2026-11.zim": ("xapian", ""),
    "devdocs.io_en_python-3.11_2026-11.zim": ("xapian", ""),
    "example.zim": ("xapian", ""),
    "foo-zstd.zim": ("xapian", ""),
    "kiwix-android_characters_encoding.zim": ("xapian", ""),
    "med.zim": ("xapian", ""),
    "poor.zim": ("titles", NO_INDEX),
    "small.withns.zim": ("xapian", ""),
    "spelling_correction_test.zim": ("titles", NO_INDEX),
    "tonedear.com_en_2024-09.zim": ("xapian", ""),
    "wikibooks_be_all_nopic_2017-02.noTitleListingV0.zim": ("xapian", ""),
    "wikipedia_en_100_mini_2022-10.zim": ("xapian", ""),
    "wikipedia_en_gensim-sample_nopic_vector2022.zim": ("xapian", ""),
    "wikipedia_en_ray_charles_2015-06.zim": ("titles", NO_INDEX),
    "wikipedia_en_ray_charles_maxi_2019-08.zim": ("xapian", ""),
}
"""Every blob here is uncompressed and in one file, so what has an index is read by Xapian."""

PLACES = {
    "cmake": "devdocs/devdocs.io_en_cmake-3.25_2026-11.zim",
    "encoding": "other/kiwix-android_characters_encoding.zim",
    "corner": "other/corner_cases#&.zim",
    "german": "other/spelling_correction_test.zim",
    "mini": "mediawiki/wikipedia_en_100_mini_2022-10.zim",
    "python": "devdocs/devdocs.io_en_python-3.11_2026-11.zim",
    "ray": "mediawiki/wikipedia_en_ray_charles_maxi_2019-08.zim",
    "sample": "mediawiki/wikipedia_en_gensim-sample_nopic_vector2022.zim",
    "split": "mediawiki/split/wikipedia_en_ray_charles_2015-06.zim",
    "belarusian": "mediawiki/wikibooks_be_all_nopic_2017-02.noTitleListingV0.zim",
}


def is_page(head: EntryHead) -> bool:
    return head.mimetype.startswith("text/html")


@pytest.fixture(scope="module")
def archive_of():
    folder = real_data()
    opened: dict[str, Archive] = {}

    def get(name: str) -> Archive:
        if name not in opened:
            opened[name] = Archive(folder / PLACES[name])
        return opened[name]

    return get


@pytest.fixture(params=["best", "libzim"])
def index_of(request, archive_of):
    def get(name: str) -> Index:
        archive = archive_of(name)
        if request.param == "libzim" and archive.has_fulltext_index:
            return LibzimIndex(archive, LibzimTitles(archive), "asked for")
        return open_index(archive)

    return get


def _all_archives() -> list[Path]:
    real_data()
    return archives("mediawiki", "devdocs", "stackexchange", "other", "ir")


def test_each_archive_gets_the_index_it_can_have() -> None:
    opened = {path.name: open_index(Archive(path)) for path in _all_archives()}

    assert {name: (index.kind, index.reason) for name, index in opened.items()} == INDEXES


def test_each_xapian_index_finds_its_own_pages_by_their_titles() -> None:
    """Terms made from words must be terms of the index, in any language and of any age."""
    missed = []
    for path in _all_archives():
        archive = Archive(path)
        index = open_index(archive)
        for head in [head for head in archive.heads(400) if is_page(head)][:40]:
            asked = list(dict.fromkeys(words(fold(head.title))))
            found = index.query(asked, 1, is_page).frequencies
            if index.kind == "xapian" and index.documents > 1 and asked and not any(found):
                missed.append((path.name, head.path))

    assert missed == []


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("ray", "ray charles", "A/Ray_Charles"),
        ("ray", "hit the road jack", "A/Hit_the_Road_Jack"),
        ("split", "Ray Charles", "A/Ray_Charles.html"),
        ("split", "i got a woman", "A/I_Got_a_Woman.html"),
        ("mini", "usa", "A/United_States"),
        ("mini", "the united states of america", "A/United_States"),
        ("belarusian", "іспанская кухня", "Іспанская_кухня.html"),
        ("sample", "anova", "Analysis_of_variance"),
        ("python", "json", "library/json"),
        ("python", "os.path", "library/os.path"),
        ("cmake", "add_library", "command/add_library"),
        ("corner", "C#", "c#.html"),
        ("german", "hasslich", "hässlich.html"),
    ],
)
def test_titles_find_the_page_first(index_of, name, text, path) -> None:
    assert index_of(name).titles(text, 10, is_page)[0].path == path


def test_titles_name_the_redirect_that_was_meant(index_of) -> None:
    assert index_of("mini").titles("usa", 10, is_page)[0].alias == "USA"


@pytest.mark.parametrize("text", ["united states", "united", "list of", "new york", "a"])
def test_titles_of_a_wiki_full_of_redirects_name_each_page_once(index_of, text) -> None:
    paths = [hit.path for hit in index_of("mini").titles(text, 10, is_page)]

    assert len(paths) == len(set(paths))
    assert paths


def test_query_resolves_old_and_new_paths(archive_of, index_of) -> None:
    for name, word in [("ray", "piano"), ("mini", "population"), ("sample", "moon")]:
        hits = index_of(name).query([word], 10, is_page).hits

        assert hits
        assert all(archive_of(name).head(hit.path).path == hit.path for hit in hits)


@pytest.mark.parametrize(
    ("name", "language", "snapshot", "pages"),
    [
        ("ray", "en", "2019-08", 125),
        ("split", "en", "2015-06", 85),
        ("mini", "en", "2022-10", 101),
        ("belarusian", "be", "2017-02", 66),
        ("german", "de", "2025-10", 62),
        ("encoding", "en", "2024-03", 1),
    ],
)
def test_archives_of_every_age_tell_what_they_are(
    archive_of, name, language, snapshot, pages
) -> None:
    archive = archive_of(name)

    assert (archive.language, archive.snapshot, archive.page_count) == (language, snapshot, pages)


def test_redirects_that_go_in_circles_are_left_out() -> None:
    archive = Archive(real_data() / "other" / "poor.zim")

    paths = [hit.path for hit in open_index(archive).titles("Test ZIM file", 10, is_page)]

    assert "article1.html" in paths
    assert not any("loop" in path for path in paths)
