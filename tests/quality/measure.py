"""Run the public sets through all libraries and count."""

from collections import defaultdict
from statistics import fmean

from tests.quality.local import Answer, Corpus
from tests.quality.questions import Figures, ndcg, rank_of, read_judged, read_questions
from tests.support.data import DATA, archives

COLLECTIONS = ("cranfield", "med", "cisi")


def open_corpus() -> Corpus:
    """Open the eleven archives that the figures in ARCHITECTURE.md are about."""
    paths = archives("mediawiki", "devdocs", "stackexchange", "ir")
    return Corpus([path for path in paths if path.parent.name != "split"])


def question_figures(corpus: Corpus) -> tuple[dict[str, Figures], list[str]]:
    """Return the figures of each class, and a line for each question not answered first."""
    figures: dict[str, Figures] = defaultdict(Figures)
    misses: list[str] = []
    for question in read_questions(DATA / "questions.jsonl"):
        answer = corpus.search(question.query)
        rank = rank_of(question.answers, _documents(answer))
        figures[question.group].add(rank, empty=not answer.results)
        if rank != 1:
            shown = ", ".join(f"{c.title} {c.score:.2f}" for c in answer.results[:5])
            misses.append(f"{question.group:12} {rank} {question.query!r}: {shown}")
    return dict(figures), misses


def hint_share(corpus: Corpus) -> float:
    """Return how often the right section is among the hints of a page that was found."""
    hits: list[bool] = []
    for question in read_questions(DATA / "questions.jsonl"):
        answer = corpus.search(question.query)
        rank = rank_of(question.answers, _documents(answer))
        if question.section and rank:
            hints = answer.previews[answer.results[rank - 1].ref].sections
            hits.append(any(question.section in hint.title for hint in hints))
    return fmean(hits) if hits else 0.0


def judged_figures(corpus: Corpus, *, max_consecutive: int) -> dict[str, float]:
    """Return the mean nDCG@10 of each collection and of all queries together."""
    means: dict[str, list[float]] = {}
    for name in COLLECTIONS:
        means[name] = [
            ndcg(
                _documents(corpus.search(q.query, limit=10, max_consecutive=max_consecutive)),
                q.grades,
            )
            for q in read_judged(DATA / "ir" / name)
        ]
    every = [value for values in means.values() for value in values]
    return {name: round(fmean(v), 4) for name, v in [*means.items(), ("all", every)]}


def _documents(answer: Answer) -> list[tuple[str, str]]:
    return [(candidate.library, candidate.path) for candidate in answer.results]
