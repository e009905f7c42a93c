from pathlib import Path

import pytest
from libzim.reader import Archive

from common.errors import ConfigError
from shard.build import Contents, Entry, Redirect, write_archive
from tests.support.zims import ODD_PATHS


def test_written_archive_holds_its_entries_and_redirects(tmp_path: Path):
    target = tmp_path / "t.zim"

    write_archive(
        target,
        Contents(
            entries=[Entry("a b", "A", "<p>text</p>")],
            redirects=[Redirect("r", "R", "a b")],
            metadata={"Title": "T"},
            main="a b",
        ),
    )

    archive = Archive(target)
    assert bytes(archive.get_entry_by_path("a b").get_item().content) == b"<p>text</p>"
    assert archive.get_entry_by_path("r").get_redirect_entry().path == "a b"
    assert archive.get_metadata("Title") == b"T"
    assert archive.main_entry.get_item().path == "a b"
    assert archive.has_fulltext_index


def test_redirect_without_target_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="'r'"):
        write_archive(
            tmp_path / "t.zim", Contents(entries=[], redirects=[Redirect("r", "R", "nowhere")])
        )


def test_two_entries_of_one_path_are_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="'a'"):
        write_archive(
            tmp_path / "t.zim", Contents(entries=[Entry("a", "A", ""), Entry("a", "B", "")])
        )


def test_failed_write_leaves_the_folder_as_it_was(tmp_path: Path):
    with pytest.raises(RuntimeError):
        write_archive(
            tmp_path / "t.zim",
            Contents(entries=[Entry("a", "A", "")], metadata={"Counter": "mine"}),
        )

    assert list(tmp_path.iterdir()) == []


def test_writing_prints_nothing(tmp_path: Path, capfd):
    write_archive(tmp_path / "t.zim", Contents(entries=[Entry("a", "A", "<p>a</p>")]))

    assert capfd.readouterr().out == ""


def test_fixture_archive_has_every_odd_path(wiki_zim: Path):
    archive = Archive(wiki_zim)

    assert [path for path in ODD_PATHS if not archive.has_entry_by_path(path)] == []


def test_fixture_archives_have_an_index(devdocs_zim: Path, stack_zim: Path, site_zim: Path):
    for path in (devdocs_zim, stack_zim, site_zim):
        assert Archive(path).has_fulltext_index
