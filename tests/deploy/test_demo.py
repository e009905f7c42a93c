"""The demo corpus is made when it is missing; nothing else is."""

from pathlib import Path

import pytest

from common.manifest import Library, Manifest, load
from deploy import demo
from deploy.errors import Failed
from tests.support.zims import site_zim

DEMO = load(demo.PROJECT / "corpus.toml")


def test_only_the_projects_own_manifest_is_the_demo(tmp_path: Path) -> None:
    mine = tmp_path / "corpus.toml"
    mine.write_text((demo.PROJECT / "corpus.toml").read_text())

    assert demo.is_demo(demo.PROJECT / "corpus.toml")
    assert not demo.is_demo(mine)


def test_manifest_of_the_demo_names_the_archives_that_are_made(tmp_path: Path) -> None:
    made = demo.missing(DEMO, tmp_path)

    assert {library.path for library in DEMO.libraries} == {path.name for path in made}
    assert all(folder.is_dir() for folder in made.values())


def test_archive_that_is_there_is_not_made_again(tmp_path: Path) -> None:
    site_zim(tmp_path / "demo-site.zim")

    assert tmp_path / "demo-site.zim" not in demo.missing(DEMO, tmp_path)


def test_archive_that_an_edited_manifest_does_not_name_is_not_made(tmp_path: Path) -> None:
    kept = Manifest((DEMO.libraries[0], Library(name="Mine", path="mine.zim")))

    made = demo.missing(kept, tmp_path)

    assert [path.name for path in made] == [DEMO.libraries[0].path]


def test_missing_archives_are_made_and_told(tmp_path: Path) -> None:
    told: list[Path] = []
    wanted = dict(list(demo.missing(DEMO, tmp_path / "corpus").items())[:2])

    demo.build(wanted, told.append)

    assert told == list(wanted)
    # libzim's magic number.
    assert all(path.read_bytes()[:4] == b"ZIM\x04" for path in wanted)
    assert sorted((tmp_path / "corpus").iterdir()) == sorted(wanted)


def test_archive_that_cannot_be_made_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"demo-x\.zim"):
        demo.build({tmp_path / "demo-x.zim": tmp_path / "no such folder"}, print)

    assert list(tmp_path.iterdir()) == []
