"""The manifest: every rule, and an error that names library, key, expected and got."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import manifest
from common.errors import ConfigError
from common.manifest import Library, Manifest

ONE = '[[library]]\nname = "W"\npath = "w.zim"\n'


def parse_with(line: str) -> Manifest:
    return manifest.parse("version = 1\n" + ONE + line)


def test_manifest_reads_every_key() -> None:
    text = (
        'version = 1\n[[library]]\nname = "Q A"\npath = "a/*.zim"\n'
        'adapter = "devdocs"\nreplicas = 3\nmemory_mb = 512\n'
    )

    (library,) = manifest.parse(text).libraries

    assert library == Library(
        name="Q A", path="a/*.zim", adapter="devdocs", replicas=3, memory_mb=512
    )
    assert library.is_glob


def test_manifest_defaults_to_the_auto_adapter_and_one_replica() -> None:
    (library,) = parse_with("").libraries

    assert (library.adapter, library.replicas) == ("auto", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"version: expected 1, got None"),
        ("version = 2\n" + ONE, r"version: expected 1, got 2"),
        ("version = true\n" + ONE, r"version: expected 1, got True"),
        ("version = 1.0\n" + ONE, r"version: expected 1, got 1.0"),
        ("version = 1", r"library: expected at least one"),
        ("version = 1\nlibrary = 3", r"library: expected at least one"),
        ("version = 1\nlibrary = [3]", r"library 1: expected a \[\[library\]\] table, got 3"),
        ("version = 1\nshards = 2\n" + ONE, r"expected the keys version and library, got 'shards'"),
        ("version = ", r"expected TOML"),
        ('version = 1\n[[library]]\npath = "w.zim"', r"library 1: name: expected .* got None"),
        ('version = 1\n[[library]]\nname = "W"', r"library 'W': path: expected .* got None"),
    ],
)
def test_manifest_refuses_what_breaks_a_rule(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match="^corpus.toml: " + message):
        manifest.parse(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("colour = 1", r"library 'W': expected the keys name, .*, got 'colour'"),
        ('adapter = "wiki"', r"library 'W': adapter: expected one of auto, .*, got 'wiki'"),
        ("adapter = 1", r"library 'W': adapter: expected one of auto, .*, got 1"),
        ("replicas = 0", r"library 'W': replicas: expected an integer from 1 to 64, got 0"),
        ("replicas = true", r"library 'W': replicas: .* got True"),
        ('replicas = "2"', r"library 'W': replicas: .* got '2'"),
        ("replicas = 65", r"library 'W': replicas: .* got 65"),
        ("memory_mb = 63", r"library 'W': memory_mb: expected .* from 64 to 1048576, got 63"),
        ("memory_mb = 1048577", r"library 'W': memory_mb: .* got 1048577"),
        ("memory_mb = true", r"library 'W': memory_mb: .* got True"),
        ("memory_mb = 64.0", r"library 'W': memory_mb: .* got 64.0"),
    ],
)
def test_library_refuses_a_bad_key_by_name(line: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_with(line)


@pytest.mark.parametrize("name", ["", " W", "W ", "a/b", "a:b", "a%b", "W\n", "x" * 65, "☃"])
def test_library_refuses_a_bad_name(name: str) -> None:
    text = f"version = 1\n[[library]]\nname = {manifest._quoted(name)}\npath = 'w.zim'"

    with pytest.raises(ConfigError, match="name: expected 1 to 64 letters"):
        manifest.parse(text)


@pytest.mark.parametrize("path", ["", "/etc/w.zim", "../w.zim", "a/../../w.zim", "a\\u0000b"])
def test_library_refuses_a_path_that_leaves_the_root(path: str) -> None:
    text = f'version = 1\n[[library]]\nname = "W"\npath = "{path}"'

    with pytest.raises(ConfigError, match="library 'W': path: expected a path below the corpus"):
        manifest.parse(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Wiki", "WIKI"), ("Wiki", "Wiki"), ("C", "C"), ("straße", "STRASSE")],
)
def test_manifest_refuses_two_names_that_differ_in_case_at_most(one: str, other: str) -> None:
    tables = [f'[[library]]\nname = "{name}"\npath = "a"' for name in (one, other)]

    with pytest.raises(ConfigError, match=f"library '{other}': name: .* got that of '{one}'"):
        manifest.parse("\n".join(["version = 1", *tables]))


names = st.text(st.sampled_from("abcXYZ059 -_.+#éЖ"), min_size=1, max_size=64).filter(
    lambda name: name == name.strip()
)


@given(st.lists(names, min_size=1, max_size=5, unique_by=str.casefold))
def test_manifest_round_trips_through_its_rendering(given_names: list[str]) -> None:
    libraries = tuple(
        Library(
            name=name,
            path=f'd/"{number}"\\*.zim',
            adapter="generic",
            replicas=number,
            memory_mb=64 * number if number % 2 else None,
        )
        for number, name in enumerate(given_names, start=1)
    )

    assert manifest.parse(manifest.render(Manifest(libraries))).libraries == libraries


def test_digest_tells_manifests_apart_and_survives_a_round_trip() -> None:
    one, other = parse_with(""), parse_with("memory_mb = 64")

    assert len(manifest.digest(one)) == 12
    assert manifest.digest(one) != manifest.digest(other)
    assert manifest.digest(other) == manifest.digest(manifest.parse(manifest.render(other)))


def test_rendering_names_a_memory_bound_only_where_there_is_one() -> None:
    assert "memory_mb" not in manifest.render(parse_with(""))


@given(names)
def test_slug_is_a_safe_short_name(name: str) -> None:
    slug = manifest.slug(name)

    assert 1 <= len(slug) <= 40
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert not slug.startswith("-")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Wikipedia", "wikipedia"),
        ("CMake-Docs", "cmake-docs"),
        pytest.param("C", "c", id="C"),
    ],
)
def test_slug_is_the_lowered_name_where_it_can_be(name: str, expected: str) -> None:
    assert manifest.slug(name) == expected


def test_slugs_of_names_with_other_characters_never_collide() -> None:
    slugs = {manifest.slug(name) for name in ("C", "C++", "C#", "C+", "C ++", "c.", "Ж", "Я")}

    assert len(slugs) == 8


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"z")


def test_candidates_of_a_plain_path_are_that_file(tmp_path: Path) -> None:
    touch(tmp_path, "a/w.zim")

    assert Library(name="W", path="a/w.zim").candidates(tmp_path) == [tmp_path / "a/w.zim"]


def test_candidates_of_a_glob_are_all_matches_by_name(tmp_path: Path) -> None:
    touch(tmp_path, "w_2026-06.zim", "w_2026-05.zim", "x_2026-07.zim")

    found = Library(name="W", path="w_*.zim").candidates(tmp_path)

    assert [path.name for path in found] == ["w_2026-05.zim", "w_2026-06.zim"]


def test_candidates_of_a_name_with_brackets_are_the_literal_file(tmp_path: Path) -> None:
    touch(tmp_path, "w[1].zim", "w1.zim")

    assert Library(name="W", path="w[1].zim").candidates(tmp_path) == [tmp_path / "w[1].zim"]


def test_candidates_of_a_split_archive_are_its_base_name(tmp_path: Path) -> None:
    touch(tmp_path, "w_2026-06.zimaa", "w_2026-06.zimab")

    assert Library(name="W", path="w_2026-06.zim").candidates(tmp_path) == [
        tmp_path / "w_2026-06.zim"
    ]
    assert Library(name="W", path="w_*.zim").candidates(tmp_path) == [tmp_path / "w_2026-06.zim"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing.zim", "library 'W': path: expected an archive file, got 'missing.zim'"),
        ("folder.zim", "library 'W': path: expected an archive file, got 'folder.zim'"),
        ("no*.zim", r"library 'W': path: expected a file that matches 'no\*\.zim'"),
        ("link.zim", "library 'W': path: expected a file inside the corpus root"),
        ("dir/out.zim", "library 'W': path: expected a file inside the corpus root"),
        pytest.param("x" * 300, "library 'W': path: expected a file or a pattern", id="too long"),
    ],
)
def test_candidates_that_cannot_be_served_are_refused(
    tmp_path: Path, path: str, message: str
) -> None:
    root = tmp_path / "root"
    touch(tmp_path, "outside/out.zim")
    (root / "folder.zim").mkdir(parents=True)
    (root / "link.zim").symlink_to(tmp_path / "outside/out.zim")
    (root / "dir").symlink_to(tmp_path / "outside")

    with pytest.raises(ConfigError, match=message):
        Library(name="W", path=path).candidates(root)


def test_candidates_of_a_pattern_that_is_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"library 'W': path: expected a file .* got"):
        Library(name="W", path="a**b/*.zim").candidates(tmp_path)


def test_load_names_the_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="CORPUS_CONFIG: expected a manifest file"):
        manifest.load(tmp_path / "corpus.toml")


def test_load_refuses_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "corpus.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match="CORPUS_CONFIG: expected a readable UTF-8 file"):
        manifest.load(tmp_path / "corpus.toml")


def test_load_passes_over_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "corpus.toml").write_text("version = 1\n" + ONE, encoding="utf-8-sig")

    assert len(manifest.load(tmp_path / "corpus.toml").libraries) == 1


def test_load_refuses_what_may_never_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "corpus.toml")

    for path in (tmp_path / "corpus.toml", Path("/dev/zero")):
        with pytest.raises(
            ConfigError, match=f"CORPUS_CONFIG: expected a regular file, got {path}"
        ):
            manifest.load(path)
