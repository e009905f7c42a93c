"""How much memory and how many processes a container of ours may take: one formula for all engines.

Pure functions of settings and manifest. A *reserve* is what a container holds in everyday use and
what an engine should keep free for it; a *limit* is where the kernel ends it.
"""

from typing import NamedTuple

from common.manifest import Library, Manifest
from common.settings import Settings

WORKER_MB = 96
"""MiB of keeper and worker under load, without the caches that settings bound."""

SHARD_HEADROOM_MB = 256
"""MiB above the bound at which a worker is replaced: the bound is looked at after a reply, so one
request goes beyond it, and pages of the archive that are being read count too."""

SHARD_PIDS = 32
"""Keeper, worker and its two threads of ZeroMQ, a health check, and some room."""

GATEWAY_MB = 128
"""MiB of a gateway under load, without kept answers and without what replicas cost."""

GATEWAY_REPLICA_MB = 0.25
"""MiB per replica that a gateway is connected to."""

GATEWAY_HEADROOM_MB = 256
"""MiB for calls in flight: a document of MAX_FETCH_CHARS is held several times while it is sent."""

GATEWAY_PIDS = 96
"""Threads of a gateway: at most 64 of them look up names."""


class Resources(NamedTuple):
    """What a container may take.

    Attributes:
        reserve_mb: MiB in everyday use.
        limit_mb: MiB at which it is ended; None: no limit, since the operator asked for none.
        pids: Most processes and threads.
    """

    reserve_mb: int
    limit_mb: int | None
    pids: int


def shard_resources(library: Library, settings: Settings) -> Resources:
    """Return what the container of one replica of ``library`` may take.

    ``memory_mb`` of the library, else SHARD_MEMORY_MB, is where the worker replaces itself; the
    limit lies above it, so that a request is never cut off by the kernel for a worker that would
    have left in good order. Caches larger than that raise the limit. 0 means no limit.
    """
    reserve = WORKER_MB + settings.shard_cluster_cache_mb + settings.shard_document_cache_mb
    own = library.memory_mb
    bound = settings.shard_memory_mb if own is None else own
    limit = max(bound, reserve) + SHARD_HEADROOM_MB if bound else None
    return Resources(reserve, limit, SHARD_PIDS)


def gateway_resources(manifest: Manifest, settings: Settings) -> Resources:
    """Return what the container of one gateway over ``manifest`` may take."""
    replicas = sum(library.replicas for library in manifest.libraries)
    reserve = GATEWAY_MB + settings.search_cache_mb + round(GATEWAY_REPLICA_MB * replicas)
    return Resources(reserve, reserve + GATEWAY_HEADROOM_MB, GATEWAY_PIDS)
