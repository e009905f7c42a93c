"""Words of scripts without spaces, among the terms of an index."""

from collections.abc import Iterator

from shard.index.unspaced import MAX_RUNS, MAX_SCANNED, runs_of


class Terms:
    """The terms of an index, in order; counts those that were looked at."""

    def __init__(self, *terms: str) -> None:
        self._terms = sorted(terms)
        self.read = 0

    def starting(self, start: bytes) -> Iterator[str]:
        for term in self._terms:
            if term.encode().startswith(start):
                self.read += 1
                yield term

    def runs(self, word: str) -> list[str]:
        return runs_of(word, self.starting, self._terms.__contains__)


def test_terms_that_hold_the_word_stand_for_it() -> None:
    terms = Terms("กขคงจ", "คงจ", "ฉชซ")

    assert terms.runs("คง") == ["คงจ", "กขคงจ"]


def test_a_longer_word_is_made_of_terms() -> None:
    assert Terms("กขค", "งจฉ", "กข").runs("กขคชงจฉ") == ["กขค", "งจฉ"]


def test_short_terms_are_no_parts() -> None:
    assert Terms("กข", "ค").runs("กขค") == []


def test_a_word_that_nothing_has_stands_for_nothing() -> None:
    assert Terms("abc").runs("กขค") == []


def test_few_terms_stand_for_a_word_and_few_are_looked_at() -> None:
    terms = Terms(*(f"ก{number:06}ข" for number in range(MAX_SCANNED + 5000)))

    assert len(terms.runs("0ข")) == 0
    assert len(terms.runs("ก0")) == MAX_RUNS
    assert terms.read <= 2 * (MAX_SCANNED + MAX_RUNS)
