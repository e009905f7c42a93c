"""What is read here to render for other machines."""

from pathlib import Path

import pytest

from common.errors import ConfigError
from common.manifest import Library, Manifest
from common.settings import load
from deploy.remote import KEYS, chosen, demand_token, sources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a manifest, a token and four keys."""
    for name in ("corpus.toml", "token", *KEYS):
        (tmp_path / name).write_text(f"content of {name}")
    return tmp_path


def settings(folder: Path):
    return load({"MCP_TOKEN_FILE": str(folder / "token")})


def test_archives_that_are_elsewhere_are_not_looked_for(tmp_path: Path) -> None:
    manifest = Manifest((Library(name="wiki", path="on/another/machine.zim"),))

    assert chosen(manifest, tmp_path) == manifest


def test_a_pattern_is_chosen_here(tmp_path: Path, wiki_zim: Path) -> None:
    (tmp_path / "wiki_2026-11.zim").write_bytes(wiki_zim.read_bytes())
    elsewhere = Library(name="other", path="elsewhere.zim")
    manifest = Manifest((Library(name="wiki", path="wiki_*.zim", replicas=3), elsewhere))

    wiki, other = chosen(manifest, tmp_path).libraries

    assert wiki.path == "wiki_2026-11.zim"
    assert wiki.replicas == 3
    assert other == elsewhere


def test_a_pattern_that_nothing_matches_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="library 'wiki': path: expected"):
        chosen(Manifest((Library(name="wiki", path="wiki_*.zim"),)), tmp_path)


@pytest.mark.parametrize("given", [{}, {"MCP_TOKEN": "secret"}])
def test_a_stack_without_a_file_of_a_token_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="MCP_TOKEN_FILE: expected the file of a token") as caught:
        demand_token(load(given))

    assert "secret" not in str(caught.value).removeprefix("MCP_TOKEN_FILE").replace("secrets", "")


def test_another_content_is_another_digest(folder: Path) -> None:
    before = sources(settings(folder), folder / "corpus.toml", folder)
    (folder / "shard.key").write_text("another")

    after = sources(settings(folder), folder / "corpus.toml", folder)

    assert before.shard_key.digest != after.shard_key.digest
    assert before._replace(shard_key=after.shard_key) == after
    assert Path(after.shard_key.path).read_text() == "another"


@pytest.mark.parametrize("name", KEYS)
def test_a_missing_key_is_named_with_the_command_that_makes_it(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(ConfigError, match=f"--keys: expected .*{name}.*corpus-mcp keys"):
        sources(settings(folder), folder / "corpus.toml", folder)
