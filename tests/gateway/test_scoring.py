import math

import pytest

from gateway.scoring import (
    LibraryStatistics,
    StatisticsMemory,
    bm25,
    combine,
    library_statistics,
)
from tests.gateway.replies import hit, reply


def stats(*frequencies: int | None, documents: int = 100, total: int = 10_000) -> LibraryStatistics:
    return LibraryStatistics(documents, total, frequencies)


def test_combine_counts_all_libraries_as_one() -> None:
    together = combine([stats(3, documents=40), stats(7, documents=60)], 1)

    assert together.idf == combine([stats(10, documents=100)], 1).idf


def test_combine_gives_a_rarer_word_more_weight() -> None:
    rare, common = combine([stats(2, 50)], 2).idf

    assert rare > common > 0


def test_combine_names_words_that_nothing_has() -> None:
    together = combine([stats(0, 4), stats(0, 0)], 2)

    assert together.missing == (True, False)
    assert together.idf[0] == 0


def test_combine_leaves_out_libraries_that_do_not_know_the_frequency() -> None:
    assert combine([stats(5), stats(None)], 1).idf == combine([stats(5)], 1).idf


def test_combine_averages_the_length_of_what_is_measured() -> None:
    libraries = [stats(1, documents=10, total=1000), stats(1, documents=90, total=0)]

    assert combine(libraries, 1).average_length == 100


def test_combine_of_nothing_is_harmless() -> None:
    nothing = combine([], 2)

    assert nothing.idf == (0, 0)
    assert nothing.average_length == 1


def test_bm25_agrees_with_the_formula() -> None:
    together = combine([stats(10)], 1)
    idf = math.log(1 + 90.5 / 10.5)

    score = bm25(hit("a", [3], length=200), together)

    assert score == pytest.approx(idf * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 2)))


def test_bm25_of_flags_is_the_idf_of_what_matches() -> None:
    together = combine([stats(10, 20)], 2)

    assert bm25(hit("a", [1, 0], length=0), together) == pytest.approx(together.idf[0])


def test_bm25_prefers_the_shorter_of_two() -> None:
    together = combine([stats(10)], 1)

    assert bm25(hit("a", [2], length=50), together) > bm25(hit("b", [2], length=500), together)


def test_bm25_ignores_counts_of_words_nobody_asked_for() -> None:
    together = combine([stats(10)], 1)

    assert bm25(hit("a", [2, 9]), together) == bm25(hit("a", [2]), together)


def test_statistics_count_at_least_the_hits() -> None:
    told = library_statistics(reply([hit("a", [1]), hit("b", [1])], frequencies=[0]), 1)

    assert told.frequencies == (2,)


def test_statistics_of_an_index_that_counts_nothing_have_no_say() -> None:
    told = library_statistics(reply([], frequencies=[0, 0], counted=False), 2)

    assert told.frequencies == (None, None)


def test_memory_recalls_what_an_archive_said_last() -> None:
    memory = StatisticsMemory()
    memory.remember("uuid", ["ray", "charles"], reply(frequencies=[7, 8], documents=50))
    memory.remember("uuid", ["ray"], reply(frequencies=[9], documents=51))

    recalled = memory.recall("uuid", ["charles", "ray", "unheard"])

    assert recalled == LibraryStatistics(51, 100_000, (8, 9, None))


def test_memory_knows_nothing_of_another_edition() -> None:
    memory = StatisticsMemory()
    memory.remember("old", ["ray"], reply(frequencies=[7]))

    assert memory.recall("new", ["ray"]) is None


def test_memory_forgets_the_oldest_words_first() -> None:
    memory = StatisticsMemory(entries=2)
    for word in ("one", "two", "one", "three"):
        memory.remember("uuid", [word], reply(frequencies=[1]))

    recalled = memory.recall("uuid", ["one", "two", "three"])

    assert len(memory) == 2
    assert recalled is not None
    assert recalled.frequencies == (1, None, 1)


def test_memory_forgets_the_oldest_archives_first() -> None:
    memory = StatisticsMemory(archives=1)
    memory.remember("old", ["ray"], reply(frequencies=[7]))
    memory.remember("new", ["ray"], reply(frequencies=[7]))

    assert memory.recall("old", ["ray"]) is None
