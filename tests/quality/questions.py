"""The sets of queries: the public questions, the judged collections, and the hijacks."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

JUDGED = 40
"""Judged queries per collection, in file order."""

COLLECTIONS = ("cranfield", "med", "cisi")

HIJACKS = Path(__file__).with_name("hijacks.jsonl")

Document = tuple[str, str]
"""File name of the archive, and path of the page."""


@dataclass(frozen=True)
class Question:
    """A query with known answers: ``(archive, path)``; ``section`` is a title, or empty."""

    group: str
    query: str
    answers: frozenset[Document]
    section: str


@dataclass(frozen=True)
class Judged:
    """A query with graded documents, ``(archive, path)`` to grade."""

    query: str
    grades: Mapping[Document, int]


@dataclass(frozen=True)
class Hijack:
    """A question whose last or first word is a title elsewhere.

    Attributes:
        word: That word.
        answers: The pages that answer the question.
        titled: The pages that have the word alone for a title, or for that of a redirect.
    """

    query: str
    word: str
    answers: frozenset[Document]
    titled: frozenset[Document]


def read_questions(file: Path) -> list[Question]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Question(
            row["class"],
            row["query"],
            _documents(row["answers"]),
            row["section"] or "",
        )
        for row in rows
    ]


def read_judged(folder: Path, *, limit: int = JUDGED) -> list[Judged]:
    """Return the first queries of a collection for which anything is relevant."""
    archive = f"{folder.name}.zim"
    grades: dict[str, dict[Document, int]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades[query][archive, f"doc/{document}"] = int(grade)
    rows = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(row) for row in rows]
    judged = [q for q in queries if any(g > 0 for g in grades[q["id"]].values())]
    return [Judged(q["text"], grades[q["id"]]) for q in judged[:limit]]


def read_collections(data: Path) -> dict[str, list[Judged]]:
    """Return the judged queries of each collection."""
    return {name: read_judged(data / "ir" / name) for name in COLLECTIONS}


def read_hijacks(file: Path = HIJACKS) -> list[Hijack]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Hijack(row["query"], row["word"], _documents(row["answers"]), _documents(row["titled"]))
        for row in rows
    ]


def rank_of(answers: frozenset[Document], ranking: Sequence[Document]) -> int:
    """Return the place of the first answer, from 1; 0 if there is none."""
    return next((n for n, one in enumerate(ranking, start=1) if one in answers), 0)


def _documents(refs: Sequence[str]) -> frozenset[Document]:
    """Split what stands as ``archive:path`` in the files."""
    return frozenset((archive, path) for archive, _, path in (ref.partition(":") for ref in refs))
