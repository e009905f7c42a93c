"""Archives that are replaced by newer snapshots while they are read."""

import asyncio
import time
from pathlib import Path

from tests.cluster.faults.corpus import LIBRARIES, NEWER, write_library
from tests.cluster.faults.form import Form
from tests.cluster.faults.report import Report, joined
from tests.cluster.faults.trial import Trial

AROUND = 0.5
"""Seconds of ordinary service before and after the change."""


async def replaced(trial: Trial, form: Form) -> Report:
    """A newer snapshot is put beside an archive, and the manifest reloaded; library by library."""
    reports = []
    for library in list(LIBRARIES)[: form.rounds]:
        reports.append(await _replaced_once(trial, library))
        if reports[-1].broken:
            break
    return joined(reports)


async def _replaced_once(trial: Trial, library: str) -> Report:
    """Replace one archive; every answer is wholly of before or wholly of after."""
    async with trial.under_load() as agents:
        await agents.pause(AROUND)
        await asyncio.to_thread(_put_newer_into_manifest, trial, library)
        result = await asyncio.to_thread(trial.cluster.command, "reload")
        assert result.returncode == 0, result.stderr
        changed = time.monotonic()
        await agents.pause(AROUND)

    after = await trial.learn()
    report = await trial.report(after)
    report.demand_none_failed_or_wrong()
    report.demand(not report.blamed, f"{report.blamed} named")
    old = {_snapshot(content, library) for content in trial.undisturbed.values()} - {None}
    new = {_snapshot(content, library) for content in after.values()} - {None}
    report.demand(len(old) == len(new) == 1 and old != new, f"{library}: {old} became {new}")
    begun_later = [one.content for one in agents.outcomes if one.began > changed]
    late = {_snapshot(content, library) for content in begun_later} - {None}
    report.demand(late <= new, f"{library}: {late} was answered after reload had ended")
    trial.undisturbed = after
    return report


def _put_newer_into_manifest(trial: Trial, library: str) -> None:
    before = trial.archives[library]
    after = write_library(library, before.parent, snapshot=NEWER)
    config: Path = trial.cluster.config
    config.write_text(config.read_text().replace(before.name, after.name))
    trial.archives[library] = after


def _snapshot(content: dict, library: str) -> str | None:
    """Return the snapshot of ``library`` that an answer is from; None if it is not in it."""
    rows = [*content.get("results", []), content]
    return next((row["snapshot"] for row in rows if row.get("library") == library), None)
