import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shard.index.blob import ABSENT, COMPRESSED, FULLTEXT_PATHS, SPLIT, TITLE_PATHS, Blob, locate

CONTENT = b"the embedded database"
NAMES = (b"CFox", b"Wmain", b"Xfulltext/xapian", b"Xtitle/xapian")
REDIRECT = 0xFFFF


def tiny_zim(
    names: tuple[bytes, ...] = NAMES, *, info: int = 1, redirect: bytes = b"", blob: int = 1
) -> bytes:
    """Return a ZIM file whose entries all are the second blob of its only cluster."""
    dirents = []
    for name in sorted(names):
        mimetype, place = (
            (REDIRECT, struct.pack("<I", 0))
            if name == redirect
            else (
                0,
                struct.pack("<II", 0, blob),
            )
        )
        head = struct.pack("<HBcI", mimetype, 0, name[:1], 0)
        dirents.append(head + place + name[1:] + b"\0title\0")
    width = "<QQQ" if info & 0x10 else "<III"
    first = struct.calcsize(width)
    offsets = struct.pack(width, first, first + 5, first + 5 + len(CONTENT))
    cluster = bytes([info]) + offsets + b"other" + CONTENT
    pointers, position = [], 80 + 8 * len(dirents) + 8
    for dirent in dirents:
        pointers.append(position)
        position += len(dirent)
    header = struct.pack(
        "<4sHH16sIIQQQQIIQ",
        *(b"ZIM\x04", 6, 1, bytes(16), len(dirents), 1, 88, 0, 80, 80, 0, 0, 0),
    )
    table = struct.pack(f"<{len(pointers)}Q", *pointers)
    return b"".join([header, struct.pack("<Q", position), table, *dirents, cluster])


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "tiny.zim"


def _read(path: Path, blob: Blob | str) -> bytes:
    assert isinstance(blob, Blob)
    return path.read_bytes()[blob.offset : blob.offset + blob.size]


@pytest.mark.parametrize("info", [0, 1, 0x11], ids=["default", "none", "wide offsets"])
def test_locate_finds_an_uncompressed_blob(file, info) -> None:
    file.write_bytes(tiny_zim(info=info))

    assert _read(file, locate(file, FULLTEXT_PATHS)) == CONTENT


def test_locate_finds_the_place_used_before_2019(file) -> None:
    file.write_bytes(tiny_zim((b"AFox", b"Z/fulltextIndex/xapian")))

    assert _read(file, locate(file, FULLTEXT_PATHS)) == CONTENT


@pytest.mark.parametrize("info", [4, 5, 0x15], ids=["lzma", "zstd", "wide zstd"])
def test_locate_refuses_a_compressed_blob(file, info) -> None:
    file.write_bytes(tiny_zim(info=info))

    assert locate(file, FULLTEXT_PATHS) == COMPRESSED


def test_locate_says_that_there_is_none(file) -> None:
    file.write_bytes(tiny_zim((b"CFox", b"Xtitle/xapian")))

    assert locate(file, FULLTEXT_PATHS) == ABSENT


def test_locate_takes_no_redirect_for_a_database(file) -> None:
    file.write_bytes(tiny_zim(redirect=b"Xfulltext/xapian"))

    assert locate(file, FULLTEXT_PATHS) == ABSENT


def test_locate_says_that_the_archive_is_split(tmp_path) -> None:
    (tmp_path / "tiny.zimaa").write_bytes(tiny_zim())

    assert locate(tmp_path / "tiny.zim", FULLTEXT_PATHS) == SPLIT


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"ZIM\x04" + bytes(20), id="short"),
        pytest.param(b"PK\x03\x04" + bytes(200), id="another format"),
        pytest.param(tiny_zim()[:-1], id="blob cut off"),
        pytest.param(tiny_zim()[:120], id="directory cut off"),
        pytest.param(tiny_zim(blob=2), id="no such blob"),
        pytest.param(tiny_zim(blob=0xFFFFFFFF), id="blob out of range"),
    ],
)
def test_locate_names_the_damage(file, content) -> None:
    file.write_bytes(content)

    assert str(locate(file, FULLTEXT_PATHS)).startswith("damaged: ")


def test_locate_names_what_cannot_be_read(tmp_path) -> None:
    assert str(locate(tmp_path, FULLTEXT_PATHS)).startswith("cannot be read: ")


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(st.tuples(st.integers(0, 400), st.binary(min_size=1, max_size=8)), max_size=4),
    length=st.integers(0, 400),
)
def test_locate_survives_any_damage(file, changes, length) -> None:
    content = bytearray(tiny_zim())
    for place, change in changes:
        content[place : place + len(change)] = change
    file.write_bytes(content[: len(content) - max(0, length - 200)])

    found = locate(file, FULLTEXT_PATHS)

    assert isinstance(found, str) or found.offset + found.size <= file.stat().st_size


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_locate_survives_damage_to_a_real_archive(pages_zim, tmp_path, data) -> None:
    content = bytearray(pages_zim.read_bytes())
    # Half of the damage goes where the header and the directory are.
    places = st.integers(0, 4095) | st.integers(0, len(content) - 1)
    for place in data.draw(st.lists(places, min_size=1, max_size=100)):
        content[place] = data.draw(st.integers(0, 255))
    damaged = tmp_path / "damaged.zim"
    damaged.write_bytes(content)

    for paths in (FULLTEXT_PATHS, TITLE_PATHS):
        found = locate(damaged, paths)

        assert isinstance(found, str) or found.offset + found.size <= len(content)


def test_locate_finds_what_libzim_wrote(pages_zim) -> None:
    for paths in (FULLTEXT_PATHS, TITLE_PATHS):
        found = locate(pages_zim, paths)

        # How a Xapian database in one file begins.
        assert _read(pages_zim, found)[:14] == b"\x0f\rXapian Glass"
