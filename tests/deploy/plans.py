"""Plans of clusters with small programs in the places of shard and gateway."""

import contextlib
import sys
from collections.abc import Callable, Iterator

from common.endpoints import endpoint, socket_path
from common.manifest import Library, Manifest
from deploy import cluster, status
from deploy.cluster import Cluster, Plan
from deploy.rolling import Rolling
from deploy.site import RunDir
from deploy.supervisor import Numbers, Program, program_name

MANIFEST = Manifest(
    (Library(name="Wiki", path="wiki.zim"), Library(name="C++", path="c.zim", replicas=2))
)

Planner = Callable[..., Plan]


def stand_in(name: str, *arguments: str) -> Program:
    return Program(name, (sys.executable, "-m", "tests.deploy.stand_ins", *arguments), 2)


def shards(run_dir: RunDir, numbers: Numbers) -> list[Program]:
    return [
        stand_in(
            program_name(library.slug, number),
            "shard",
            endpoint(socket_path(run_dir.path, library.slug, number)),
        )
        for library in MANIFEST.libraries
        for number in numbers[library.name]
    ]


@contextlib.contextmanager
def running(plan: Plan) -> Iterator[Cluster]:
    with cluster.claim(plan.run_dir):
        started = cluster.start(plan)
    try:
        started.wait_ready(20)
        yield started
    finally:
        started.stop()


def rolling(plan: Plan, patience: float = 20) -> Rolling:
    return Rolling(
        plan.run_dir, plan.gateway, lambda: status.read(plan.record.url), patience=patience
    )


def workers(plan: Plan) -> list[int | None]:
    current = status.read(plan.record.url)
    assert current
    return [replica.pid for library in current.gateway.libraries for replica in library.replicas]
