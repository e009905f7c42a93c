"""Writing archives: the only user of libzim's writer.

`write_archive` puts values into a ZIM file; `build` packs a folder of page sources into one. An
archive appears under its name only when it is complete.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from libzim.writer import Creator, Hint, Item, StringProvider

from common.errors import ConfigError
from shard.scrapers import scrape
from shard.scrapers.contents import Contents, Entry, Redirect

__all__ = ["Contents", "Entry", "Redirect", "build", "write_archive"]


class _WriterItem(Item):  # type: ignore[misc]
    """An entry as libzim asks for it."""

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self._entry = entry

    def get_path(self) -> str:
        return self._entry.path

    def get_title(self) -> str:
        return self._entry.title

    def get_mimetype(self) -> str:
        return self._entry.mimetype

    def get_contentprovider(self) -> StringProvider:
        return StringProvider(self._entry.content)

    def get_hints(self) -> dict[Hint, int]:
        return {Hint.FRONT_ARTICLE: int(self._entry.front), Hint.COMPRESS: 1}


def write_archive(target: Path, contents: Contents) -> None:
    """Write a ZIM file, in place of any that was there.

    Raises:
        ConfigError: Two entries have one path, or a redirect leads nowhere.
    """
    _check_paths(contents)
    # A name of its own beside the target: renaming within a folder is atomic, and libzim would
    # otherwise show a file that grows.
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.unfinished")
    try:
        with _quiet_stdout():
            _fill(unfinished, contents)
        unfinished.rename(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _fill(path: Path, contents: Contents) -> None:
    creator = Creator(path).config_indexing(contents.index, contents.language)
    # One thread, so that the same entries always make the same file, but for its random UUIDs.
    with creator.config_nbworkers(1):
        for entry in contents.entries:
            creator.add_item(_WriterItem(entry))
        for alias in contents.redirects:
            creator.add_redirection(alias.path, alias.title, alias.target, {Hint.FRONT_ARTICLE: 1})
        for name, value in {"Language": contents.language, **contents.metadata}.items():
            creator.add_metadata(name, value)
        if contents.main:
            creator.set_mainpath(contents.main)


def _check_paths(contents: Contents) -> None:
    # libzim drops a redirect without a target in silence.
    known: set[str] = set()
    paths = [entry.path for entry in contents.entries]
    for path in paths + [redirect.path for redirect in contents.redirects]:
        if path in known:
            raise ConfigError(f"expected one entry per path, got two of {path!r}")
        known.add(path)
    for redirect in contents.redirects:
        if redirect.target not in known:
            raise ConfigError(
                f"redirect {redirect.path!r}: expected a target in the archive, "
                f"got {redirect.target!r}"
            )


@contextmanager
def _quiet_stdout() -> Iterator[None]:
    """Silence libzim, which tells its progress on standard output whatever it is asked."""
    saved = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(silence, 1)
        yield
    finally:
        os.dup2(saved, 1)
        os.close(silence)
        os.close(saved)


def build(folder: Path, target: Path) -> None:
    """Pack ``folder`` (an ``archive.toml`` and page sources) into the archive ``target``.

    Raises:
        ConfigError: The folder is not what `shard.scrapers` expects.
    """
    write_archive(target, scrape(folder))
