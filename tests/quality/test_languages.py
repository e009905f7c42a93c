"""Libraries of several languages and scripts beside one another."""

from collections.abc import Callable
from pathlib import Path

import pytest

from shard.archive import Archive
from shard.index import open_index
from tests.quality.local import Corpus
from tests.support import pages
from tests.support.zims import Entry, build_zim

LIBRARIES = {
    "zho": {
        "长城": "长城是中国古代的军事防御工程，是一道高大、坚固而且连绵不断的长垣。",
        "故宫": "北京故宫是中国明清两代的皇家宫殿，旧称紫禁城。",
        "熊猫": "大熊猫喜欢吃竹子，生活在四川的山区。",
    },
    "jpn": {
        "富士山": "富士山は静岡県と山梨県にまたがる活火山である。標高は三千七百七十六メートル。",
        "寿司": "寿司は酢飯と魚介類を組み合わせた料理である。",
        "コーヒー": "コーヒーは豆を焙煎して作る飲み物です。",
    },
    "kor": {
        "김치": "김치는 배추를 소금에 절여 만든 발효 음식이다.",
        "한글": "한글은 세종대왕이 창제한 문자이다.",
    },
    "tha": {
        "ต้มยำกุ้ง": "ต้มยำกุ้งเป็นอาหารที่เผ็ด ใส่ตะไคร้ ใบมะกรูด",
        "ช้าง": "ช้างเป็นสัตว์บกที่ใหญ่ที่สุด กินพืชเป็นอาหาร",
    },
    "bel": {
        "Мінск": "Мінск — сталіца Беларусі, горад на рацэ Свіслач.",
        "Зубр": "Зубр жыве ў Белавежскай пушчы.",
    },
    "rus": {"Кофе": "Кофе — напиток из обжаренных зёрен, приготовленный в турке."},
    "ara": {"القاهرة": "القاهرة هي عاصمة مصر وأكبر مدنها.", "قهوة": "القهوة مشروب من البن المحمص."},
    "hin": {"चाय": "चाय एक पेय है जो पत्तियों से बनता है।"},
    "deu": {"Kaffee": "Kaffee ist ein Getränk aus gerösteten Bohnen. Die Häuser sind groß."},
    "fra": {"Boisson": "Les châteaux étaient grands, l’eau y est froide."},
    "eng": {
        "Minsk": "Minsk is the capital of Belarus.",
        "Tea": "Tea is a drink; the Thai word is ชา, the Chinese word is 茶.",
    },
}


def library(path: Path, language: str, articles: dict[str, str]) -> Path:
    entries = [
        Entry(f"a/{number}", title, pages.article(title, f"<p>{text}</p>"))
        for number, (title, text) in enumerate(articles.items())
    ]
    return build_zim(path, entries, language=language)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("languages")
    paths = [library(folder / f"{code}.zim", code, pages) for code, pages in LIBRARIES.items()]
    return Corpus(paths)


@pytest.fixture(scope="module")
def first(corpus: Corpus) -> Callable[[str], str]:
    return lambda query: next((c.title for c in corpus.search(query).results), "")


@pytest.mark.parametrize(
    ("query", "title"),
    [
        pytest.param("竹子", "熊猫", id="Chinese word"),
        pytest.param("熊猫吃什么", "熊猫", id="Chinese question"),
        pytest.param("中国古代军事工程", "长城", id="Chinese run of words"),
        pytest.param("酢飯", "寿司", id="Japanese word"),
        pytest.param("静岡県の火山", "富士山", id="Japanese phrase"),
        pytest.param("焙煎", "コーヒー", id="Japanese verb"),
        pytest.param("세종대왕", "한글", id="Korean"),
        pytest.param("발효 음식", "김치", id="Korean words"),
        pytest.param("ช้าง", "ช้าง", id="Thai title"),
        pytest.param("สัตว์บก", "ช้าง", id="Thai word inside a run"),
        pytest.param("ตะไคร้", "ต้มยำกุ้ง", id="Thai word at the end of a run"),
        pytest.param("ใบมะกรูด", "ต้มยำกุ้ง", id="Thai word alone"),
        pytest.param("ใบมะกรูดกับตะไคร้", "ต้มยำกุ้ง", id="Thai run that holds a term"),
        pytest.param("сталіца Беларусі", "Мінск", id="Belarusian"),
        pytest.param("пушчы", "Зубр", id="Belarusian word"),
        pytest.param("обжаренное зерно", "Кофе", id="Russian inflections"),
        pytest.param("зёрен", "Кофе", id="Russian yo"),
        pytest.param("عاصمة مصر", "القاهرة", id="Arabic"),
        pytest.param("पत्तियों", "चाय", id="Hindi"),
        pytest.param("geröstete Bohne", "Kaffee", id="German inflections"),
        pytest.param("gross haus", "Kaffee", id="German sharp s"),
        pytest.param("chateau", "Boisson", id="French accents"),
        pytest.param("茶 tea", "Tea", id="two scripts"),
    ],
)
def test_a_query_finds_the_page_of_its_language(
    first: Callable[[str], str], query: str, title: str
) -> None:
    assert first(query) == title


def test_a_query_in_many_scripts_finds_pages_of_each(corpus: Corpus) -> None:
    found = {c.title for c in corpus.search("Minsk 竹子 сталіца ช้าง", limit=10).results}

    assert {"Minsk", "熊猫", "Мінск", "ช้าง"} <= found


def test_a_thai_word_is_shown_in_its_snippet(corpus: Corpus) -> None:
    answer = corpus.search("สัตว์บก")

    assert "สัตว์บก" in answer.previews[answer.results[0].ref].snippet


@pytest.mark.parametrize("spelling", ["deu", "de", "DE", "ger", "=de", "de-DE", "deu,fra"])
def test_every_spelling_of_a_language_answers_inflections(tmp_path: Path, spelling: str) -> None:
    path = library(tmp_path / "a.zim", spelling, LIBRARIES["deu"])
    archive = Archive(path)

    answer = open_index(archive).query(["bohnen", "getränk"], 5, lambda _: True)

    assert archive.language == "de"
    assert [hit.title for hit in answer.hits] == ["Kaffee"]
