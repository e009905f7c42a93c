"""The public questions with a word misspelt at random, to see whether it comes back."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from gateway.analysis import analyse
from tests.quality.questions import Question

LEAST_CHARS = 5
"""Shorter words are as often as not misspelt into others that exist."""

LEAST_CHARS_FOR_TWO = 8

SHARE_WITH_TWO = 0.3
"""Of the words that are long enough for two errors, those that get two."""

_NEIGHBOURS = {
    "a": "sq",
    "b": "vn",
    "c": "xv",
    "d": "sf",
    "e": "ri",
    "f": "gd",
    "g": "fh",
    "h": "gj",
    "i": "uo",
    "j": "hk",
    "k": "jl",
    "l": "k",
    "m": "n",
    "n": "m",
    "o": "pi",
    "p": "o",
    "q": "w",
    "r": "te",
    "s": "az",
    "t": "ry",
    "u": "yi",
    "v": "bc",
    "w": "qe",
    "x": "zc",
    "y": "tu",
    "z": "xs",
}
"""Letters typed instead of each other: beside it on the keyboard, or another vowel."""


@dataclass(frozen=True)
class Misspelt:
    """A question with one word changed."""

    question: Question
    query: str
    meant: str
    typed: str


def misspelt(questions: list[Question], seed: int) -> Iterator[Misspelt]:
    """Yield each question that has a long enough word with one of these misspelt."""
    rng = random.Random(seed)
    for question in questions:
        query = question.query.lower()
        words = [w for w in analyse(query).words if w.isalpha() and len(w) >= LEAST_CHARS]
        words = [word for word in words if word in query]
        if question.group != "typo" and words:
            meant = rng.choice(words)
            two = len(meant) >= LEAST_CHARS_FOR_TWO and rng.random() < SHARE_WITH_TWO
            typed = _mistyped(meant, rng)
            typed = _mistyped(typed, rng) if two else typed
            if typed != meant:
                yield Misspelt(question, query.replace(meant, typed, 1), meant, typed)


def _mistyped(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    before, char, after = word[:at], word[at], word[at + 1 :]
    near = rng.choice(_NEIGHBOURS.get(char, "e"))
    return rng.choice(
        [
            before + after[0] + char + after[1:],
            before + after,
            before + char + char + after,
            before + near + after,
            before + near + char + after,
        ]
    )
