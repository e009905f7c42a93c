"""Every fault in its short form: eight agents call, something breaks, and nobody is told wrong."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.cluster.faults.cases import CASES, Case
from tests.cluster.faults.form import SHORT
from tests.cluster.faults.trial import KINDS, Trial
from tests.support.figures import Figure

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def trial(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Trial]:
    """Return a cluster of one kind, for all the faults that need it; each leaves it whole."""
    with Trial(request.param, tmp_path_factory.mktemp("f")) as running:
        yield running


BY_KIND = [
    pytest.param(kind, case, id=case.id)
    for kind in KINDS
    for case in CASES
    if case.kind == kind and not case.long_only
]


@pytest.mark.parametrize(("trial", "case"), BY_KIND, indirect=["trial"], scope="module")
def test_fault_is_borne(trial: Trial, case: Case, figure: Figure) -> None:
    report = asyncio.run(case.run(trial, SHORT))

    figure(f"{case.id}: calls", report.calls)
    figure(f"{case.id}: degraded", report.degraded_answers)
    figure(f"{case.id}: longest call, s", report.longest)
    assert report.broken == []
