"""Print the figures: ``python -m tests.quality [--misses]``."""

import sys

from tests.quality.measure import hint_share, judged_figures, open_corpus, question_figures
from tests.quality.questions import table


def main() -> None:
    corpus = open_corpus()
    figures, misses = question_figures(corpus)
    print(table(figures))  # noqa: T201
    print(f"right section among the hints: {hint_share(corpus):.3f}")  # noqa: T201
    if "--misses" in sys.argv:
        print(*misses, sep="\n")  # noqa: T201
    for most in (10, 2):
        print(f"nDCG@10, {most} in a row:", judged_figures(corpus, max_consecutive=most))  # noqa: T201


main()
