import json
from pathlib import Path

import msgspec
import pytest

from shard.index import HAS_XAPIAN
from shard.inspect import Inspection, inspect
from tests.support.zims import Entry, build_zim

PAGE = Entry("a", "a", "<html><body><p>a</p></body></html>")


def test_inspect_tells_what_an_archive_is(wiki_zim) -> None:
    found = inspect(wiki_zim)

    assert found.ok
    assert found.error == ""
    assert (found.title, found.language) == ("Test wiki", "en")
    assert (found.snapshot, found.date) == ("2026-11", "2026-11-30")
    assert found.adapter == "mediawiki"
    assert found.adapter_reason
    assert found.fulltext
    assert found.titles
    assert found.index == ("xapian" if HAS_XAPIAN else "libzim")
    assert 0 < found.pages <= found.entries
    assert len(found.uuid) == 36


@pytest.mark.parametrize(
    ("fixture", "adapter"),
    [
        ("wiki_zim", "mediawiki"),
        ("devdocs_zim", "devdocs"),
        ("stack_zim", "stackexchange"),
        ("site_zim", "generic"),
    ],
)
def test_inspect_tells_the_adapter_that_would_be_chosen(request, fixture, adapter) -> None:
    assert inspect(request.getfixturevalue(fixture)).adapter == adapter


def test_a_good_archive_has_no_warnings(wiki_zim) -> None:
    assert inspect(wiki_zim).warnings == []


def test_inspection_has_the_keys_that_readers_rely_on(wiki_zim) -> None:
    keys = json.loads(msgspec.json.encode(inspect(wiki_zim))).keys()

    assert list(keys) == [field.name for field in msgspec.structs.fields(Inspection)]
    assert {"ok", "error", "title", "date", "adapter", "pages", "index", "warnings"} <= keys


@pytest.mark.parametrize("content", [b"", b"<html>", b"ZIM\x04" + bytes(200)])
def test_what_cannot_be_opened_is_told_with_a_reason(tmp_path, content) -> None:
    path = tmp_path / "bad.zim"
    path.write_bytes(content)

    found = inspect(path)

    assert not found.ok
    assert found.error.startswith("bad.zim: ")


def test_an_archive_without_full_text_index_is_warned_about(tmp_path) -> None:
    found = inspect(build_zim(tmp_path / "a.zim", [PAGE], index=False))

    assert found.ok
    assert (found.fulltext, found.index) == (False, "titles")
    assert any("titles only" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("metadata", "language", "warning"),
    [
        pytest.param({}, "grc", "unknown language 'grc'", id="unknown language"),
        pytest.param({}, "eng,fra", "several languages", id="several languages"),
        pytest.param({"Date": "soon"}, "eng", "no snapshot", id="no date"),
        pytest.param({"Title": "", "Name": ""}, "eng", "no title", id="no title"),
    ],
)
def test_odd_metadata_is_warned_about(tmp_path, metadata, language, warning) -> None:
    path = build_zim(tmp_path / "a.zim", [PAGE], metadata=metadata, language=language)

    assert any(text.startswith(warning) for text in inspect(path).warnings)


def test_a_split_archive_is_searched_through_libzim(wiki_zim, tmp_path) -> None:
    content = wiki_zim.read_bytes()
    (tmp_path / "wiki.zimaa").write_bytes(content[:20_000])
    (tmp_path / "wiki.zimab").write_bytes(content[20_000:])

    found = inspect(tmp_path / "wiki.zim")

    assert found.ok
    assert (found.index, found.index_reason) == ("libzim", "the archive is split")
    assert any("split" in warning for warning in found.warnings)


def test_check_finds_a_changed_byte(wiki_zim, tmp_path) -> None:
    changed = _changed(wiki_zim, tmp_path)

    assert inspect(wiki_zim, check=True).ok
    assert inspect(changed).ok
    assert not inspect(changed, check=True).ok
    assert "checksum" in inspect(changed, check=True).error


def _changed(zim: Path, folder: Path) -> Path:
    content = bytearray(zim.read_bytes())
    content[-1] ^= 1
    changed = folder / "changed.zim"
    changed.write_bytes(content)
    return changed
