import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.diversity import COMPETITIVE_SHARE, diversify
from gateway.fusion import Candidate, order
from tests.gateway.replies import candidate

RANKED = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), max_size=12).map(
    lambda rows: order(candidate(str(n), lib, score) for n, (lib, score) in enumerate(rows))
)


def libraries(candidates: list[Candidate]) -> str:
    return "".join(c.library for c in candidates)


@pytest.mark.parametrize(
    ("scores", "most", "expected"),
    [
        pytest.param([("a", 1), ("a", 0.9), ("a", 0.9), ("b", 0.85)], 2, "aaba", id="competitive"),
        pytest.param([("a", 1), ("a", 0.9), ("a", 0.9), ("b", 0.2)], 2, "aaab", id="weak"),
        pytest.param([("a", 1), ("a", 1), ("a", 1)], 2, "aaa", id="alone"),
        pytest.param([("a", 1), ("a", 1), ("b", 1), ("b", 1)], 1, "abab", id="alternating"),
        pytest.param([("a", 1), ("a", 1), ("b", 1)], 10, "aab", id="generous"),
    ],
)
def test_diversify_lets_in_competitive_hits_of_others(
    scores: list[tuple[str, float]], most: int, expected: str
) -> None:
    ranked = [candidate(str(n), lib, score) for n, (lib, score) in enumerate(scores)]

    assert libraries(diversify(ranked, max_consecutive=most)) == expected


@given(RANKED, st.integers(1, 4))
def test_no_run_is_too_long_while_another_library_competes(
    ranked: list[Candidate], most: int
) -> None:
    placed = diversify(ranked, max_consecutive=most)

    for end in range(most, len(placed)):
        run = placed[end - most : end + 1]
        if len({c.library for c in run}) == 1:
            rivals = [c for c in placed[end:] if c.library != run[0].library]
            assert all(c.score < COMPETITIVE_SHARE * run[-1].score for c in rivals)


@given(RANKED, st.integers(1, 4))
def test_diversify_keeps_every_hit_and_each_library_in_order(
    ranked: list[Candidate], most: int
) -> None:
    placed = diversify(ranked, max_consecutive=most)

    assert sorted(c.ref for c in placed) == sorted(c.ref for c in ranked)
    for library in "abc":
        mine = [c for c in ranked if c.library == library]
        assert [c for c in placed if c.library == library] == mine
