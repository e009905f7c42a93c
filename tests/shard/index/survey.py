"""Open one archive, use all of it, and print what happened: run in a process of its own."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common.errors import ArchiveError, CorpusError
from shard.archive import Archive
from shard.index import open_index

WORDS = ("test", "main", "page")


def survey(path: Path) -> dict[str, Any]:
    """Return what each use of the archive came to."""
    try:
        archive = Archive(path)
    except ArchiveError as exc:
        return {"refused": str(exc)}
    index = open_index(archive)
    heads = list(archive.heads(archive.entry_count))
    return {
        "refused": "",
        "index": index.kind,
        "entries": archive.entry_count,
        "readable": sum(not _failure(archive.read, head.path) for head in heads),
        "query": _failure(index.query, WORDS, 10, lambda _: True),
        "titles": _failure(index.titles, "Test ZIM file", 10, lambda _: True),
        "sound": not _failure(archive.check) and archive.check(),
    }


def _failure(use: Callable[..., object], *arguments: object) -> str:
    try:
        use(*arguments)
    except CorpusError as exc:
        return exc.code
    return ""


if __name__ == "__main__":
    sys.stdout.write(json.dumps(survey(Path(sys.argv[1]))))
