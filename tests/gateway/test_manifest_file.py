import os

import pytest
from structlog.testing import capture_logs

from common import manifest
from common.errors import ConfigError
from common.manifest import Library, Manifest
from gateway.manifest_file import ManifestFile


def of(*names):
    return Manifest(tuple(Library(name=name, path="x.zim") for name in names))


def replace(path, text):
    """Put a new file in place, as the operator's command does."""
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.rename(path)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "corpus.toml"
    path.write_text(manifest.render(of("A")))
    return path


@pytest.fixture
def file(path):
    return ManifestFile(path)


def test_file_is_refused_at_the_start_if_it_is_invalid(path):
    path.write_text("version = 2")

    with pytest.raises(ConfigError, match="version"):
        ManifestFile(path)


def test_unchanged_file_says_nothing(file):
    assert file.manifest == of("A")
    assert file.reread() is None


def test_replaced_file_is_told_once(path, file):
    replace(path, manifest.render(of("A", "B")))

    assert file.reread() == of("A", "B")
    assert file.reread() is None
    assert file.manifest == of("A", "B")


def test_file_of_the_same_size_and_time_is_told_from_the_old_one(path, file):
    before = path.stat()
    replace(path, manifest.render(of("B")))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert path.stat().st_size == before.st_size
    assert file.reread() == of("B")


def test_file_that_is_only_touched_says_nothing(path, file):
    os.utime(path, ns=(1, 1))

    assert file.reread() is None


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        pytest.param(lambda path: path.unlink(), "not there", id="missing"),
        pytest.param(lambda path: path.write_text("version = 2"), "version", id="rule"),
        pytest.param(lambda path: path.write_text("["), "TOML", id="syntax"),
        pytest.param(lambda path: path.write_bytes(b"\xff"), "UTF-8", id="bytes"),
    ],
)
def test_invalid_file_is_refused_with_one_warning_and_the_old_manifest_stays(
    path, file, spoil, reason
):
    spoil(path)

    with capture_logs() as logged:
        assert [file.reread(), file.reread()] == [None, None]

    (line,) = logged
    assert (line["log_level"], reason in line["reason"]) == ("warning", True)
    assert file.manifest == of("A")


def test_file_that_is_valid_again_is_taken_up(path, file):
    path.unlink()
    file.reread()
    path.write_text(manifest.render(of("B")))

    assert file.reread() == of("B")


def test_another_fault_is_another_warning(path, file):
    with capture_logs() as logged:
        for text in ("version = 2", "version = 3"):
            path.write_text(text)
            file.reread()

    assert len(logged) == 2
