from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.errors import ArchiveError, RefNotFound, ShardFault
from shard.archive import Archive, snapshot_of
from tests.support.zims import ODD_PATHS, Entry, Redirect, build_zim, wiki_entries


@pytest.fixture(scope="module")
def archive(wiki_zim) -> Archive:
    return Archive(wiki_zim)


def test_archive_tells_what_it_is(archive) -> None:
    assert archive.title == "Test wiki"
    assert archive.language == "en"
    assert archive.snapshot == "2026-11"
    assert archive.new_namespaces
    assert not archive.multipart
    assert archive.has_fulltext_index
    assert archive.has_title_index
    assert archive.page_count == sum(
        entry.mimetype.startswith("text/html") for entry in wiki_entries()
    )


def test_metadata_that_is_no_text_is_empty(tmp_path) -> None:
    path = build_zim(
        tmp_path / "a.zim", [Entry("a", "a", "<p>a</p>")], metadata={"Source": b"\xff\xfe\x00"}
    )

    archive = Archive(path)

    assert archive.metadata("Source") == ""
    assert archive.metadata("Nothing") == ""


@pytest.mark.parametrize("path", ["Fox", *ODD_PATHS])
def test_read_returns_the_entry_at_exactly_this_path(archive, path) -> None:
    page = archive.read(path)

    assert page.path == path
    assert page.title == path
    assert page.mimetype.startswith("text/html")
    assert page.content.lstrip().startswith(b"<!doctype html>")


def test_read_returns_an_empty_entry(archive) -> None:
    assert archive.read("Empty").content == b""


def test_redirects_are_followed_and_named(archive) -> None:
    found = archive.find("Vulpes_vulpes")

    assert found.head.path == "Fox"
    assert found.alias == "Vulpes vulpes"
    assert archive.head("Fox") == found.head
    assert archive.find("Fox").alias == ""


@pytest.mark.parametrize("path", ["Nothing", "", "fox", "Fox/", "Fox\0", "M/Title", "\ud800"])
def test_a_path_that_is_not_there_is_an_error(archive, path) -> None:
    with pytest.raises((RefNotFound, ShardFault)):
        archive.read(path)


def test_single_character_is_no_other_name_of_the_entry_without_a_path(tmp_path) -> None:
    page = "<p>a</p>"
    archive = Archive(
        build_zim(tmp_path / "a.zim", [Entry("", "Main", page), Entry("C", "C", page)])
    )

    assert archive.head("").title == "Main"
    assert archive.head("C").title == "C"
    for path in ("x", "\0", "é"):
        with pytest.raises(RefNotFound):
            archive.read(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(path=st.text(max_size=60))
def test_any_path_is_answered_or_refused(archive, path) -> None:
    try:
        page = archive.read(path)
    except (RefNotFound, ShardFault):
        return
    assert page.path


def test_endless_redirects_are_an_error(tmp_path) -> None:
    chain = [Redirect(f"r{n}", f"r{n}", f"r{n + 1}") for n in range(20)]
    path = build_zim(
        tmp_path / "a.zim",
        [Entry("r20", "end", "<p>end</p>")],
        redirects=chain,
    )

    archive = Archive(path)

    assert archive.head("r15").path == "r20"
    with pytest.raises(ShardFault, match="redirects"):
        archive.head("r0")


def test_heads_list_all_entries_but_redirects(archive) -> None:
    paths = [head.path for head in archive.heads(1000)]

    assert paths == sorted(paths, key=str.encode)
    assert set(paths) == {entry.path for entry in wiki_entries()}


def test_heads_are_spread_over_the_archive(archive) -> None:
    everything = [head.path for head in archive.heads(1000)]

    some = [head.path for head in archive.heads(4)]

    assert len(some) == 4
    assert max(everything.index(path) for path in some) > len(everything) / 2


def test_search_requires_every_word(archive) -> None:
    assert archive.search("chicken hen", 10).paths == ("Hen",)
    assert archive.search("chicken antarctica", 10).paths == ()


def test_search_without_an_index_is_an_error(tmp_path) -> None:
    path = build_zim(tmp_path / "a.zim", [Entry("a", "a", "<p>a</p>")], index=False)

    with pytest.raises(ShardFault):
        Archive(path).search("a", 10)


def test_check_tells_a_sound_archive_from_a_changed_one(wiki_zim, tmp_path) -> None:
    content = bytearray(wiki_zim.read_bytes())
    content[-1] ^= 1
    changed = tmp_path / "changed.zim"
    changed.write_bytes(content)

    assert Archive(wiki_zim).check()
    assert not Archive(changed).check()


@pytest.mark.parametrize("size", [10_000, 40_000])
@pytest.mark.parametrize("name", ["wiki.zim", "wiki.zimaa"])
def test_a_split_archive_is_opened_by_its_base_name(wiki_zim, tmp_path, size, name) -> None:
    content = wiki_zim.read_bytes()
    for number, start in enumerate(range(0, len(content), size)):
        suffix = "abcdefghijklmnopqrstuvwxyz"[number // 26] + chr(ord("a") + number % 26)
        (tmp_path / f"wiki.zim{suffix}").write_bytes(content[start : start + size])

    archive = Archive(tmp_path / name)

    assert archive.multipart
    assert archive.path == tmp_path / "wiki.zim"
    assert archive.head("Vulpes_vulpes").path == "Fox"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "got 0 bytes", id="empty"),
        pytest.param(b"<html>" * 100, "bad magic", id="another format"),
        pytest.param(b"ZIM\x04" + bytes(500), "damaged or cut off", id="zeros"),
    ],
)
def test_what_is_no_archive_is_refused_with_a_reason(tmp_path, content, reason) -> None:
    path = tmp_path / "bad.zim"
    path.write_bytes(content)

    with pytest.raises(ArchiveError, match=f"bad.zim: .*{reason}"):
        Archive(path)


@pytest.mark.parametrize("name", ["missing.zim", "."])
def test_what_is_no_file_is_refused(tmp_path, name) -> None:
    with pytest.raises(ArchiveError, match="expected a file"):
        Archive(tmp_path / name)


def test_a_cut_off_archive_is_refused(wiki_zim, tmp_path) -> None:
    path = tmp_path / "cut.zim"
    path.write_bytes(wiki_zim.read_bytes()[:-5000])

    with pytest.raises(ArchiveError, match="damaged or cut off"):
        Archive(path)


@pytest.mark.parametrize(
    ("date", "name", "snapshot"),
    [
        ("2026-11-30", "wiki_2020-01.zim", "2026-11"),
        ("2026-11", "wiki.zim", "2026-11"),
        ("", "wiki_en_all_2020-01.zim", "2020-01"),
        ("yesterday", "wiki_1999-13_2020-01.zim", "2020-01"),
        ("", "wiki_en_all_2020-01-15.zim", "2020-01"),
        ("", "wiki_2020-130.zim", ""),
        ("2026-99-01", "wiki.zim", ""),
        ("", "wiki.zim", ""),
    ],
)
def test_snapshot_comes_from_the_date_else_from_the_name(date, name, snapshot) -> None:
    assert snapshot_of(date, Path(name)) == snapshot


def test_the_cluster_cache_can_be_bounded(wiki_zim) -> None:
    archive = Archive(wiki_zim, cluster_cache_bytes=1024 * 1024)

    assert archive.read("Fox").content
