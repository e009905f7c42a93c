"""What containers may take, whatever the engine."""

import pytest

from common.manifest import Library, Manifest
from common.settings import load
from deploy.resources import gateway_resources, shard_resources
from gateway.discovery import LOOKUP_THREADS

LIBRARY = Library(name="wiki", path="wiki.zim", replicas=3)


@pytest.mark.parametrize("bound", ["64", "768", "4096"])
def test_a_worker_replaces_itself_before_the_kernel_ends_it(bound: str) -> None:
    found = shard_resources(LIBRARY, load({"SHARD_MEMORY_MB": bound}))

    assert found.limit_mb is not None
    assert found.limit_mb > int(bound)
    assert found.limit_mb > found.reserve_mb


def test_no_bound_is_no_limit() -> None:
    assert shard_resources(LIBRARY, load({"SHARD_MEMORY_MB": "0"})).limit_mb is None


def test_caches_are_reserved_and_raise_the_limit() -> None:
    small = shard_resources(LIBRARY, load({}))
    large = shard_resources(LIBRARY, load({"SHARD_CLUSTER_CACHE_MB": "2048"}))

    assert large.reserve_mb - small.reserve_mb == 2048 - 16
    assert large.limit_mb is not None
    assert large.limit_mb > 2048


def test_a_gateway_pays_for_every_replica() -> None:
    many = Manifest(tuple(Library(name=f"n{i}", path="a.zim", replicas=4) for i in range(100)))

    one = gateway_resources(Manifest((LIBRARY,)), load({}))
    hundred = gateway_resources(many, load({}))

    assert hundred.reserve_mb >= one.reserve_mb + 90


def test_a_gateway_may_have_all_its_threads_at_once() -> None:
    pids = gateway_resources(Manifest((LIBRARY,)), load({})).pids

    assert pids > 2 * LOOKUP_THREADS
