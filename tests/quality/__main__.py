"""Measure the answers: ``python -m tests.quality [--index auto|libzim] [--misses] [--update]``.

Exit status: 0 if every floor is reached, else 1. ``--local`` asks the leaves in this process: the
same figures sooner, for trying things out.
"""

# ruff: noqa: T201

import argparse
import sys
import tempfile
from pathlib import Path

from tests.quality import floors
from tests.quality.measure import local_figures
from tests.quality.measures import Figures, table
from tests.quality.suite import INDEXES, Suite
from tests.support.data import DATA

OTHER_DATA = "the floors are of other data: measure anew with --update --allow-lower"


def main() -> int:
    """Measure, print and compare; return the exit status."""
    given = _parser().parse_args()
    if not DATA.is_dir():
        print(f"no real archives at {DATA}: nothing to measure")
        return 0
    pinned, data = floors.read(), floors.digests(DATA)
    short = [] if data == pinned["data"] or given.allow_lower else [OTHER_DATA]
    for index in given.index or INDEXES:
        figures = _measured(index, misses=given.misses, local=given.local)
        known = pinned["floors"].get(index, {})
        if given.update and not short:
            known = floors.raised(figures, known, allow_lower=given.allow_lower)
            floors.write({"data": data, "floors": {**floors.read()["floors"], index: known}})
        short += [f"{index}, {line}" for line in floors.shortfalls(figures, known)]
    print(*short, sep="\n")
    return 1 if short else 0


def _measured(index: str, *, misses: bool, local: bool) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        figures, missed = local_figures(index) if local else Suite().figures(index, Path(folder))
    print(f"-- {index}", table(figures), *(missed if misses else []), sep="\n", flush=True)
    return figures


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.quality", description=__doc__)
    parser.add_argument("--index", choices=INDEXES, action="append", help="default: both")
    parser.add_argument("--misses", action="store_true", help="list what is not answered first")
    parser.add_argument("--local", action="store_true", help="without a cluster")
    parser.add_argument("--update", action="store_true", help="raise the floors to the figures")
    parser.add_argument(
        "--allow-lower", action="store_true", help="let --update lower floors, for other data too"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
