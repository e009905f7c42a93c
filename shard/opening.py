"""From the path of an archive to the leaf that answers for it.

Importing this module imports everything a worker needs, which is why a keeper does it once.
"""

from pathlib import Path

from common.settings import Settings
from shard.adapters import select
from shard.archive import Archive
from shard.guard import Guard
from shard.index import open_index
from shard.leaf import Leaf
from shard.server import Answers
from shard.symbols import read_symbols
from shard.vitals import Vitals
from shard.worker import Facts, OpenLeaf

MIB = 1024 * 1024


def opener(library: str, path: Path, adapter: str, settings: Settings) -> OpenLeaf:
    """Return what opens the archive at ``path`` as ``library``."""

    def open_leaf(guard: Guard, vitals: Vitals) -> tuple[Answers, Facts]:
        archive = Archive(path, cluster_cache_bytes=settings.shard_cluster_cache_mb * MIB)
        chosen = select.choose(archive).adapter if adapter == "auto" else select.by_name(adapter)
        index = open_index(archive, bindings=settings.shard_index == "auto")
        symbols = read_symbols(archive) if chosen.kind == "documentation" else None
        leaf = Leaf(
            library,
            archive,
            index,
            chosen,
            cache_bytes=settings.shard_document_cache_mb * MIB,
            symbols=symbols,
            guard=guard,
            vitals=vitals,
        )
        facts = {
            "archive": str(path),
            "adapter": chosen.name,
            "index": index.kind,
            "index_reason": index.reason,
            "documents": index.documents,
            "symbols": len(symbols or ()),
        }
        return leaf, facts

    return open_leaf
