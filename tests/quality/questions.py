"""The two public sets of queries, and their measures."""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

JUDGED = 40
"""Judged queries per collection, in file order."""

DEPTH = 10


@dataclass(frozen=True)
class Question:
    """A query with known answers: ``(archive, path)``; ``section`` is a title, or empty."""

    group: str
    query: str
    answers: frozenset[tuple[str, str]]
    section: str


@dataclass(frozen=True)
class Judged:
    """A query with graded documents, ``(archive, path)`` to grade."""

    query: str
    grades: Mapping[tuple[str, str], int]


@dataclass
class Figures:
    """Success at 1 and 5, mean reciprocal rank (down to 5) and empty answers of some questions."""

    asked: int = 0
    first: int = 0
    five: int = 0
    reciprocal: float = 0.0
    empty: int = 0

    def add(self, rank: int, *, empty: bool) -> None:
        """Count a question whose first answer stands at ``rank``, 0 if at none."""
        self.asked += 1
        self.first += rank == 1
        self.five += 0 < rank <= 5
        self.reciprocal += 1 / rank if rank else 0.0
        self.empty += empty

    def line(self) -> str:
        n = self.asked or 1
        return (
            f"{self.asked:4} {self.first / n:6.3f} {self.five / n:6.3f}"
            f" {self.reciprocal / n:6.3f} {self.empty:6}"
        )


def read_questions(file: Path) -> list[Question]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Question(
            row["class"],
            row["query"],
            frozenset(tuple(answer.split(":", 1)) for answer in row["answers"]),
            row["section"] or "",
        )
        for row in rows
    ]


def read_judged(folder: Path, *, limit: int = JUDGED) -> list[Judged]:
    """Return the first queries of a collection for which anything is relevant."""
    archive = f"{folder.name}.zim"
    grades: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades[query][archive, f"doc/{document}"] = int(grade)
    rows = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [json.loads(row) for row in rows]
    judged = [q for q in queries if any(g > 0 for g in grades[q["id"]].values())]
    return [Judged(q["text"], grades[q["id"]]) for q in judged[:limit]]


def ndcg(ranking: Sequence[tuple[str, str]], grades: Mapping[tuple[str, str], int]) -> float:
    """Return nDCG at `DEPTH` with linear gain."""
    gains = [max(0, grades.get(document, 0)) for document in ranking]
    ideal = sorted((max(0, grade) for grade in grades.values()), reverse=True)
    return _dcg(gains) / (_dcg(ideal) or 1.0)


def rank_of(answers: frozenset[tuple[str, str]], ranking: Sequence[tuple[str, str]]) -> int:
    """Return the place of the first answer, from 1; 0 if there is none."""
    return next((n for n, one in enumerate(ranking, start=1) if one in answers), 0)


def table(figures: Mapping[str, Figures]) -> str:
    """Return the figures of each class and of all together, one line each."""
    total = Figures()
    for one in figures.values():
        total.asked += one.asked
        total.first += one.first
        total.five += one.five
        total.reciprocal += one.reciprocal
        total.empty += one.empty
    rows = [f"{name:12}{one.line()}" for name, one in [*sorted(figures.items()), ("all", total)]]
    return "\n".join([f"{'class':12}{'n':>4} {'s@1':>6} {'s@5':>6} {'MRR':>6} {'empty':>6}", *rows])


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(n + 1) for n, gain in enumerate(gains[:DEPTH], start=1))
