import pytest

from shard.adapters import by_name
from shard.archive import EntryHead

HTML = "text/html"


def accepted(adapter: str, path: str, mimetype: str = HTML) -> bool:
    return by_name(adapter).accepts(EntryHead(path, "Title", mimetype))


@pytest.mark.parametrize(
    ("adapter", "path"),
    [
        ("mediawiki", "Bell_test"),
        ("mediawiki", "A/Ray_Charles"),
        ("mediawiki", "A/Ray_Charles.html"),
        ("mediawiki", "Рэцэпт:Квас.html"),
        ("mediawiki", "A/AC/DC"),
        ("mediawiki", "M/M/1_queue"),
        ("mediawiki", "Format:_A_History"),
        ("mediawiki", "File: Documents"),
        ("mediawiki", "Category:"),
        ("mediawiki", "Appendix:Colors"),
        ("devdocs", "library/json"),
        ("devdocs", "container/vector/push_back"),
        ("stackexchange", "questions/452/other-uses"),
        ("stackexchange", "A/question/12.html"),
        ("generic", "anything"),
        ("generic", ""),
    ],
)
def test_content_page_is_accepted(adapter: str, path: str):
    assert accepted(adapter, path)


@pytest.mark.parametrize(
    ("adapter", "path"),
    [
        ("mediawiki", "I/m/picture.html"),
        ("mediawiki", "-/j/head"),
        ("mediawiki", "A/Category:Singers"),
        ("mediawiki", "Template:Infobox"),
        ("mediawiki", "User_talk:Ann"),
        ("mediawiki", "user talk:Ann"),
        ("mediawiki", "Kategorie:Fluss"),
        ("mediawiki", "A/Catégorie:Cours_d'eau.html"),
        ("mediawiki", "Катэгорыя:Рэкі"),
        ("mediawiki", "Ŝablono:Kesto"),
        ("mediawiki", "テンプレート:川"),
        ("mediawiki", "تصنيف:أنهار"),
        ("mediawiki", "Thể_loại:Sông"),
        ("mediawiki", "A/index"),
        ("devdocs", "index"),
        ("devdocs", "assets/frame"),
        ("stackexchange", "questions"),
        ("stackexchange", "questions_page=4"),
        ("stackexchange", "questions/tagged/beer"),
        ("stackexchange", "questions/tagged/beer_page=2"),
        ("stackexchange", "users/12/ann"),
        ("stackexchange", "tags"),
        ("stackexchange", "A/tag/beer/1.html"),
    ],
)
def test_list_or_asset_is_refused(adapter: str, path: str):
    assert not accepted(adapter, path)


@pytest.mark.parametrize("adapter", ["mediawiki", "devdocs", "stackexchange", "generic"])
def test_only_html_is_accepted(adapter: str):
    path = "questions/1/x"

    assert accepted(adapter, path, "text/html; charset=utf-8")
    assert accepted(adapter, path, "application/xhtml+xml")
    assert not accepted(adapter, path, "text/plain")
    assert not accepted(adapter, path, "image/png")
