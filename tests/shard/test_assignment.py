"""What a shard takes from the manifest when it is told only its library."""

from pathlib import Path

import pytest

from common import settings
from common.errors import ConfigError
from common.settings import Settings
from shard.assignment import archive_of, assigned, own_settings


def configured(folder: Path, text: str) -> Settings:
    (folder / "corpus.toml").write_text(f"version = 1\n{text}")
    return settings.load({"CORPUS_CONFIG": str(folder / "corpus.toml"), "CORPUS_ROOT": str(folder)})


def test_library_has_the_memory_that_the_manifest_says(tmp_path: Path):
    given = configured(
        tmp_path,
        '[[library]]\nname = "A"\npath = "a.zim"\nmemory_mb = 100\n'
        '[[library]]\nname = "B"\npath = "b.zim"\n',
    )
    own, other = (own_settings(assigned(name, given), given) for name in "AB")

    assert own.shard_memory_mb == 100
    assert other == given


def test_archive_may_be_missing_for_now(tmp_path: Path):
    given = configured(tmp_path, '[[library]]\nname = "A"\npath = "x/a.zim"\n')

    assert archive_of(assigned("A", given), tmp_path) == tmp_path / "x/a.zim"


def test_file_whose_name_looks_like_a_pattern_is_no_pattern(tmp_path: Path):
    given = configured(tmp_path, '[[library]]\nname = "A"\npath = "a[1].zim"\n')
    (tmp_path / "a[1].zim").touch()

    assert archive_of(assigned("A", given), tmp_path) == tmp_path / "a[1].zim"


def test_archive_outside_of_the_corpus_root_is_refused(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "a.zim").touch()
    (root / "a.zim").symlink_to(tmp_path / "a.zim")
    given = configured(root, '[[library]]\nname = "A"\npath = "a.zim"\n')

    with pytest.raises(ConfigError, match="inside the corpus root"):
        archive_of(assigned("A", given), root)
