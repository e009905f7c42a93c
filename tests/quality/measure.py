"""The suite in this process: the same figures without a cluster, for trying things out."""

from tests.quality.local import Answer, Corpus
from tests.quality.measures import FIVE, TEN, Figures, Found
from tests.quality.suite import IN_A_ROW, Suite
from tests.support.data import archives


def open_corpus(*, bindings: bool = True) -> Corpus:
    """Open the eleven archives that the figures of the suite are about."""
    paths = archives("mediawiki", "devdocs", "stackexchange", "ir")
    return Corpus([path for path in paths if path.parent.name != "split"], bindings=bindings)


def local_figures(index: str) -> tuple[Figures, list[str]]:
    """Return what `Suite.figures` does."""
    suite, corpus = Suite(), open_corpus(bindings=index == "auto")
    long = suite.long_queries()
    return suite.evaluated(
        {query: found(corpus.search(query, limit=FIVE)) for query in suite.short_queries()},
        {query: found(corpus.search(query, limit=TEN)) for query in long},
        {query: found(corpus.search(query, limit=TEN, max_consecutive=IN_A_ROW)) for query in long},
    )


def found(answer: Answer) -> Found:
    """Return an answer as the measures take it."""
    return Found(
        [(candidate.library, candidate.path) for candidate in answer.results],
        [candidate.title for candidate in answer.results],
        [
            [section.title for section in answer.previews[candidate.ref].sections]
            for candidate in answer.results
        ],
    )
