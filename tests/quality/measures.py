"""What result lists are worth; `ir_measures` computes everything that has a name of its own.

A question's list has at most five results, so its reciprocal rank is 0 beyond them. Judged queries
have ten, and the gain of a grade is the grade.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import ir_measures
from ir_measures import RR, Success, nDCG

from common.text import fold
from tests.quality.questions import Document, Hijack, Judged, Question, rank_of

Figures = dict[str, dict[str, float]]
"""Figures by what they are about and by measure; higher is better, 1 is the best there is."""

FIVE, TEN = 5, 10
NDCG = nDCG @ TEN
_OF_QUESTIONS = {"success@1": Success @ 1, "success@5": Success @ FIVE, "MRR": RR @ FIVE}


@dataclass(frozen=True)
class Found:
    """One result list: documents, their titles, and the titles of the sections hinted at."""

    documents: list[Document]
    titles: list[str]
    hints: list[list[str]] = field(default_factory=list)


Lists = Mapping[str, Found]
"""Result lists by query."""


def question_figures(questions: Sequence[Question], lists: Lists) -> Figures:
    """Return the figures of each class, of all, and of the hints at sections."""
    classes = sorted({question.group for question in questions})
    groups = {name: [q for q in questions if q.group == name] for name in classes}
    figures = {
        f"questions, {name}": _of_questions(group, lists)
        for name, group in [*groups.items(), ("all", list(questions))]
    }
    return {**figures, "sections": {"right hint": _right_hints(questions, lists)}}


def judged_figures(collections: Mapping[str, Sequence[Judged]], lists: Lists) -> dict[str, float]:
    """Return the mean nDCG@10 of each collection, and of all queries together."""
    values = {
        name: [_values([NDCG], query.grades, lists[query.query])[NDCG] for query in queries]
        for name, queries in collections.items()
    }
    every = [value for of_one in values.values() for value in of_one]
    return {name: fmean(v) for name, v in [*values.items(), ("all", every)]}


def hijack_figures(hijacks: Sequence[Hijack], lists: Lists) -> dict[str, float]:
    """Return the share of questions that no page took over, and that found their page."""
    kept = [not is_hijacked(one, lists[one.query]) for one in hijacks]
    found = [rank_of(one.answers, lists[one.query].documents) > 0 for one in hijacks]
    return {"not hijacked": fmean(kept), "success@5": fmean(found)}


def is_hijacked(hijack: Hijack, found: Found) -> bool:
    """Tell whether a page with the one-word title stands before the page that answers."""
    rank = rank_of(hijack.answers, found.documents)
    before = zip(found.documents, found.titles, strict=True)
    above = list(before)[: rank - 1 if rank else None]
    return any(doc in hijack.titled or fold(title) == fold(hijack.word) for doc, title in above)


def misses(questions: Iterable[Question], lists: Lists) -> list[str]:
    """Return a line for each question that is not answered first."""
    ranked = [(rank_of(q.answers, lists[q.query].documents), q) for q in questions]
    return [
        f"{q.group:12} {rank or '-'} {q.query!r}: {', '.join(lists[q.query].titles)}"
        for rank, q in ranked
        if rank != 1
    ]


def table(figures: Figures) -> str:
    """Return the figures as text, one line each."""
    return "\n".join(
        f"{about:24} " + "  ".join(f"{measure} {value:.4f}" for measure, value in of.items())
        for about, of in figures.items()
    )


def _of_questions(questions: Sequence[Question], lists: Lists) -> dict[str, float]:
    rows = [
        _values([*_OF_QUESTIONS.values()], dict.fromkeys(q.answers, 1), lists[q.query])
        for q in questions
    ]
    figures = {name: fmean(row[m] for row in rows) for name, m in _OF_QUESTIONS.items()}
    return {**figures, "answered": fmean(bool(lists[q.query].documents) for q in questions)}


def _values(
    measures: Sequence[ir_measures.Measure], grades: Mapping[Document, int], found: Found
) -> dict[ir_measures.Measure, float]:
    """Return the value of each measure for one query; what nothing found for is 0."""
    qrels = {"q": {_name(doc): max(0, grade) for doc, grade in grades.items()}}
    run = {"q": {_name(doc): -float(rank) for rank, doc in enumerate(found.documents)}}
    values = dict.fromkeys(measures, 0.0)
    if found.documents:
        values |= {row.measure: row.value for row in ir_measures.iter_calc(measures, qrels, run)}
    return values


def _right_hints(questions: Iterable[Question], lists: Lists) -> float:
    """Return how often the right section is among the hints of a page that was found."""
    hits = []
    for question in questions:
        found = lists[question.query]
        rank = rank_of(question.answers, found.documents)
        if question.section and rank:
            hits.append(any(question.section in title for title in found.hints[rank - 1]))
    return fmean(hits) if hits else 0.0


def _name(document: Document) -> str:
    return ":".join(document)
