"""The floors of the figures, and the digest of the data that they were measured on."""

import hashlib
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.quality.measures import Figures
from tests.quality.questions import COLLECTIONS, HIJACKS
from tests.real.corpora import ELEVEN

FILE = Path(__file__).with_name("floors.json")

EPSILON = 0.002
"""How far a figure may stay below its floor. One question in 125 makes 0.008 and one judged query
in 110 that finds its only page at rank 1 rather than 2 makes 0.003: a change of either shows. What
may move is a tie that another release of a library breaks otherwise, down at rank ten."""

_DIGITS = 10_000


def read(file: Path = FILE) -> dict[str, Any]:
    """Return ``{"data": digests, "floors": {index: figures}}``; empty ones if there is no file."""
    if not file.exists():
        return {"data": {}, "floors": {}}
    return dict(json.loads(file.read_text(encoding="utf-8")))


def write(pinned: dict[str, Any], file: Path = FILE) -> None:
    """Write the file as `read` reads it."""
    file.write_text(json.dumps(pinned, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def shortfalls(figures: Figures, floors: Figures) -> list[str]:
    """Return a line for each floor that is not reached, or that nothing was measured for."""
    return [
        f"{about}: {measure} is {figures.get(about, {}).get(measure, math.nan):.4f},"
        f" its floor {floor:.4f}"
        for about, measures in floors.items()
        for measure, floor in measures.items()
        if not figures.get(about, {}).get(measure, math.nan) >= floor - EPSILON
    ]


def raised(figures: Figures, floors: Figures, *, allow_lower: bool = False) -> Figures:
    """Return floors that follow the figures upwards; downwards only if that is allowed."""
    if allow_lower:
        return {about: _rounded(measures) for about, measures in figures.items()}
    found = {about: _rounded(measures) for about, measures in figures.items()}
    return {
        about: {
            measure: max(values.get(measure, 0.0) for values in both)
            for measure in dict.fromkeys(name for values in both for name in values)
        }
        for about in dict.fromkeys([*floors, *found])
        for both in [(floors.get(about, {}), found.get(about, {}))]
    }


def digests(data: Path) -> dict[str, str]:
    """Return a digest of each set of queries, and of the archives by their own checksums."""
    judged = [
        data / "ir" / name / file for name in COLLECTIONS for file in ("queries.jsonl", "qrels.tsv")
    ]
    return {
        "archives": _digest(_checksum(data / path) for path in ELEVEN.values()),
        "hijacks": _digest([HIJACKS.read_bytes()]),
        "judged": _digest(file.read_bytes() for file in judged),
        "questions": _digest([(data / "questions.jsonl").read_bytes()]),
    }


def _rounded(measures: dict[str, float]) -> dict[str, float]:
    return {name: math.floor(value * _DIGITS + 1e-6) / _DIGITS for name, value in measures.items()}


def _checksum(archive: Path) -> bytes:
    """Return the MD5 of its content, which every ZIM archive ends with."""
    with archive.open("rb") as file:
        file.seek(-16, 2)
        return file.read()


def _digest(parts: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()[:32]
