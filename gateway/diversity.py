"""No library fills the result list while others have something as good to say."""

from collections.abc import Sequence

from gateway.fusion import Candidate

COMPETITIVE_SHARE = 0.8
"""A hit competes with a better one if it has this share of its score. Letting competitors in costs
the judged collections, which each have one right library, 0.005 of nDCG@10; 0.9 costs 0.003."""


def diversify(
    ranked: Sequence[Candidate], *, max_consecutive: int, share: float = COMPETITIVE_SHARE
) -> list[Candidate]:
    """Return the hits with at most ``max_consecutive`` in a row from one library.

    A hit that would be one too many steps back behind the best hit of another library, if there is
    one that competes with it. Otherwise it stays: weak hits of others are no diversity. ``ranked``
    is best first, and the hits of each library keep their order.
    """
    waiting = list(ranked)
    placed: list[Candidate] = []
    while waiting:
        placed.append(waiting.pop(_next(placed, waiting, max(1, max_consecutive), share)))
    return placed


def _next(
    placed: Sequence[Candidate], waiting: Sequence[Candidate], most: int, share: float
) -> int:
    """Return the index of the hit to place."""
    best = waiting[0]
    run = placed[-most:]
    if len(run) < most or any(candidate.library != best.library for candidate in run):
        return 0
    for index, other in enumerate(waiting):
        if other.score < share * best.score:
            break
        if other.library != best.library:
            return index
    return 0
