"""Titles with odd names find their page first, from query to result list."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.quality.local import Corpus
from tests.support import pages
from tests.support.zims import Entry, Redirect, build_zim

NAMES = (
    "Ray Charles", "The Who", "Who", "C", "C++", "C#", "C (programming language)", ".NET",
    "NET", "Net", "Node.js", "AT&T", "3.14", "3", "14", "AC/DC", "AC", "DC", "What's Going On?",
    "What's Going On", "Café",
    "Zürich", "Łódź", "snake_case", "__init__", "iPhone", "M*A*S*H", "Hello, World!", "1984",
    "...And Justice for All", "Q&A", "R", "50%", "Jay-Z", "Guns N' Roses", "O'Reilly", "E=mc²",
    "P.S. I Love You", "Mr. & Mrs. Smith", "Straße", "İstanbul", "naïve", "π", "τέλος", "Ελλάδα",
    "Москва", "Ёлка", "Київ", "日本", "東京都", "京都", "한국어", "ภาษาไทย", "สัตว์บก",
    "กรุงเทพมหานคร", "القاهرة", "مُحَمَّد", "שָׁלוֹם", "हिन्दी", "ᐃᓄᒃᑎᑐᑦ", "🦊", "❤️",
)  # fmt: skip

REDIRECTS = {"Brother Ray": "Ray Charles", "Dot Net": ".NET", "Cplusplus": "C++"}

OTHERWISE = {
    "ray charles": "Ray Charles",
    "  ray   charles ": "Ray Charles",
    "Ray_Charles": "Ray Charles",
    "ray_charles": "Ray Charles",
    "the who": "The Who",
    "THE WHO": "The Who",
    "c++": "C++",
    "c#": "C#",
    ".net": ".NET",
    "dot net": ".NET",
    "NODE.JS": "Node.js",
    "at&t": "AT&T",
    "ac/dc": "AC/DC",
    "ac dc": "AC/DC",
    "ＡＣ／ＤＣ": "AC/DC",
    "what's going on?": "What's Going On?",
    "What’s going on": "What's Going On",
    "cafe": "Café",
    "cafe\u0301": "Café",
    "zurich": "Zürich",
    "snake case": "snake_case",
    "SNAKE_CASE": "snake_case",
    "hello world": "Hello, World!",
    "and justice for all": "...And Justice for All",
    "mr & mrs smith": "Mr. & Mrs. Smith",
    "jay z": "Jay-Z",
    "o’reilly": "O'Reilly",
    "strasse": "Straße",
    "istanbul": "İstanbul",
    "ΤΕΛΟΣ": "τέλος",
    "ελλαδα": "Ελλάδα",
    "МОСКВА": "Москва",
    "елка": "Ёлка",
    "محمد": "مُحَمَّد",
    "brother ray": "Ray Charles",
    "cplusplus": "C++",
}

NOISE = (
    "Ray Charles who net node js the who at t c c++ c# 3.14 ac dc what's going on cafe zurich"
    " hello world justice for all mr and mrs smith jay z istanbul init snake case"
)


def odd_zim(path: Path, *, index: bool) -> Path:
    entries = [
        Entry(f"p/{number}", name, pages.article(name, f"<p>Text {number} names nothing.</p>"))
        for number, name in enumerate(NAMES)
    ]
    redirects = [
        Redirect(f"r/{number}", alias, f"p/{NAMES.index(name)}")
        for number, (alias, name) in enumerate(REDIRECTS.items())
    ]
    return build_zim(path, entries, redirects=redirects, index=index)


@pytest.fixture(scope="module", params=[True, False], ids=["indexed", "no index"])
def first(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], str]:
    """Return what gives the title of the first result."""
    folder = tmp_path_factory.mktemp("titles")
    odd = odd_zim(folder / "odd.zim", index=request.param)
    noise = [Entry("n", "All of them", pages.article("All of them", f"<p>{NOISE}</p>"))]
    corpus = Corpus([odd, build_zim(folder / "noise.zim", noise)])
    return lambda query: next((c.title for c in corpus.search(query).results), "")


@pytest.mark.parametrize("name", NAMES)
def test_a_title_finds_its_page_first(first: Callable[[str], str], name: str) -> None:
    assert first(name) == name


@pytest.mark.parametrize(("query", "name"), OTHERWISE.items())
def test_a_title_written_otherwise_finds_its_page_first(
    first: Callable[[str], str], query: str, name: str
) -> None:
    assert first(query) == name


@pytest.mark.parametrize(("alias", "name"), REDIRECTS.items())
def test_a_redirect_finds_its_page_first(
    first: Callable[[str], str], alias: str, name: str
) -> None:
    assert first(alias) == name
