"""Clusters of stand-ins that end with the test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy import leftovers, processes
from deploy.cluster import Plan
from deploy.port import free_port
from deploy.record import Record
from deploy.site import RunDir, base_url, cluster_environment, describe
from deploy.supervisor import first_numbers
from tests.deploy.operating import Operator
from tests.deploy.plans import MANIFEST, Planner, shards, stand_in


@pytest.fixture
def planned(tmp_path: Path) -> Iterator[Planner]:
    """Return a maker of plans whose clusters end with the test, whatever it does."""
    run_dirs: list[RunDir] = []

    def make(folder: str = "run", **changes: object) -> Plan:
        site = describe({"CORPUS_RUN_DIR": tmp_path / folder}, dict(os.environ))
        run_dirs.append(site.run_dir)
        port = free_port("127.0.0.1", 0)
        return Plan(
            run_dir=site.run_dir,
            environment={
                **cluster_environment(site, port),
                "PYTHONPATH": str(Path(__file__).parents[2]),
            },
            manifest=MANIFEST,
            gateway=stand_in("gateway", "gateway"),
            shards=shards(site.run_dir, first_numbers(MANIFEST)),
            record=Record(url=base_url("127.0.0.1", port), replicas=first_numbers(MANIFEST)),
            token="",
            stop_seconds=10,
        )._replace(**changes)  # type: ignore[arg-type]

    yield make
    for run_dir in run_dirs:
        processes.end(run_dir, 0)
        leftovers.sweep(run_dir)


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    who = Operator(tmp_path)
    yield who
    processes.end(who.run_dir, 0)
    leftovers.sweep(who.run_dir)
