"""Floors of the look-up of symbols over real documentation: names drawn from its own lists."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shard.archive import Archive
from tests.quality.local import Answer, Corpus
from tests.quality.measure import open_corpus
from tests.support.data import real_data

pytestmark = pytest.mark.real

DRAWN = 15
"""Names of each archive."""

SEED = 20_261_130

SUCCESS_AT_1 = 0.96
RIGHT_HINT = 0.96


@dataclass(frozen=True)
class Drawn:
    """A name, the pages that its archive lists it on, and the elements that define it there.

    One element in fifty is listed and not there; a name without any is not judged by its hints.
    """

    query: str
    library: str
    pages: frozenset[str]
    fragments: frozenset[str]


@dataclass(frozen=True)
class Found:
    rank: int
    hinted: bool | None
    line: str


def listed(archive: Archive) -> list[tuple[str, str]]:
    listing = json.loads(archive.read("navbar.json").content)
    return [
        (one["name"], one["href"]) for group in listing["children"] for one in group["children"]
    ]


def has_element(archive: Archive, page: str, fragment: str) -> bool:
    return f'id="{fragment}"'.encode() in archive.read(page).content


def drawn(path: Path, *, count: int = DRAWN, seed: int = SEED) -> Iterator[Drawn]:
    """Yield names without spaces, every other one without its parentheses."""
    archive = Archive(path)
    entries = [(name, href) for name, href in listed(archive) if " " not in name]
    for number, (name, _) in enumerate(random.Random(seed).sample(entries, count)):
        hrefs = [href.partition("#") for other, href in entries if other == name]
        query = name.removeprefix("c.")
        yield Drawn(
            query.removesuffix("()") if number % 2 else query,
            path.name,
            frozenset(page for page, *_ in hrefs),
            frozenset(f for page, _, f in hrefs if f and has_element(archive, page, f)),
        )


def judged(one: Drawn, answer: Answer) -> Found:
    places = [(c.library, c.path) for c in answer.results]
    rank = next(
        (n for n, (name, path) in enumerate(places, start=1)
         if name == one.library and path in one.pages), 0,
    )  # fmt: skip
    hints = answer.previews[answer.results[rank - 1].ref].sections if rank else []
    first = hints[0].id if hints else ""
    hinted = first in one.fragments if rank and one.fragments else None
    return Found(rank, hinted, f"{one.query}: {rank} {first!r} {places[:2]}")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    real_data()
    return open_corpus()


@pytest.fixture(scope="module")
def found(corpus: Corpus) -> list[Found]:
    paths = [path for path in map(Path, real_paths()) if path.name in corpus.libraries]
    found = [judged(one, corpus.search(one.query)) for path in paths for one in drawn(path)]
    print(*(f"\n{one.line}" for one in found if one.rank != 1 or one.hinted is False))  # noqa: T201
    return found


def real_paths() -> list[Path]:
    return sorted((real_data() / "devdocs").glob("*.zim"))


def test_a_symbol_finds_its_page_first(found: list[Found]) -> None:
    assert len(found) == 2 * DRAWN
    assert sum(one.rank == 1 for one in found) / len(found) >= SUCCESS_AT_1


def test_a_symbol_finds_its_page_among_the_first_five(found: list[Found]) -> None:
    assert all(one.rank for one in found)


def test_the_first_hint_is_the_symbol_itself(found: list[Found]) -> None:
    hinted = [one.hinted for one in found if one.hinted is not None]

    assert sum(hinted) / len(hinted) >= RIGHT_HINT


def test_names_are_drawn_alike_each_time() -> None:
    (first, *_) = real_paths()

    assert list(drawn(first)) == list(drawn(first))
    assert not any(re.search(r"\s", one.query) for one in drawn(first))
