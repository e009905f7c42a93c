"""Every fault in its long form, under the load of eight agents; prints the table of RESULTS.md.

``python -m benchmarks.soak [CASE …]``: all cases, or those whose names begin so; ``--list`` names
them. Takes about twelve minutes. Exits with 1 if something did not hold. What is done and what
must hold stands in `tests.cluster.faults`, whose tests do the same for a few seconds.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.cluster.faults.cases import CASES, Case
from tests.cluster.faults.form import LONG, SHORT, Form
from tests.cluster.faults.report import Report
from tests.cluster.faults.table import notes, table
from tests.cluster.faults.trial import KINDS, Trial


def main() -> int:
    """Run the cases; return the exit status."""
    options = _options()
    if options.list:
        sys.stdout.writelines(f"{case.id}\n" for case in CASES)
        return 0
    chosen = [case for case in CASES if case.id.startswith(tuple(options.cases or [""]))]
    form = SHORT if options.short else LONG
    rows: dict[str, Report] = {}
    for kind in KINDS:
        of_kind = [case for case in chosen if case.kind == kind]
        if of_kind:
            rows |= _run(kind, of_kind, form)
    ordered = [(case.fault, rows[case.id]) for case in chosen]
    lines = ["", *table(ordered), "", *notes(ordered)]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return int(any(report.broken for _, report in ordered))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("cases", nargs="*", help="beginnings of the names of cases")
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--short", action="store_true", help="a few seconds each, as in the tests")
    return parser.parse_args()


def _run(kind: str, cases: list[Case], form: Form) -> dict[str, Report]:
    reports = {}
    with tempfile.TemporaryDirectory(prefix="soak") as folder, Trial(kind, Path(folder)) as trial:
        for case in cases:
            began, busy = time.monotonic(), sum(os.times()[:2])
            report = reports[case.id] = _report(trial, case, form)
            took = time.monotonic() - began
            share = (sum(os.times()[:2]) - busy) / took
            sys.stderr.write(f"{case.id}: {took:.0f} s, agents took {share:.0%} of a core\n")
            sys.stderr.writelines(f"  does not hold: {demand}\n" for demand in report.broken)
    return reports


def _report(trial: Trial, case: Case, form: Form) -> Report:
    """Run one case; what ends it early is one more thing that did not hold."""
    try:
        return asyncio.run(case.run(trial, form))
    except Exception as exc:  # noqa: BLE001 - the other cases are to be measured all the same
        traceback.print_exception(exc)
        return Report(broken=[f"ended early: {exc!r}"])


if __name__ == "__main__":
    sys.exit(main())
