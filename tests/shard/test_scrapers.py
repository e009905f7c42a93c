from pathlib import Path

import pytest

from common.errors import ConfigError
from shard.archive import Archive
from shard.build import build
from shard.scrapers import scrape

TEMPLATES = Path(__file__).resolve().parents[2] / "demo" / "templates"


def folder_of(path: Path, plan: str, **pages: str) -> Path:
    header = f'templates = "{TEMPLATES}"\nmain = "Fox"\n{plan}\n'
    (path / "archive.toml").write_text(header, encoding="utf-8")
    for name, text in pages.items():
        (path / f"{name}.html").write_text(text, encoding="utf-8")
    return path


WIKI = 'family = "mediawiki"\n[metadata]\nDate = "2026-11-30"\n[redirects]\n"Red fox" = "Fox"'


def page(folder: Path, path: str) -> str:
    (entry,) = [entry for entry in scrape(folder).entries if entry.path == path]
    assert isinstance(entry.content, str)
    return entry.content


def test_title_is_that_of_the_heading_or_of_the_file(tmp_path: Path):
    folder = folder_of(tmp_path, WIKI, Fox="<h1>Fox &amp; den</h1><p>a</p>", Red_hen="<p>b</p>")

    titles = {entry.path: entry.title for entry in scrape(folder).entries}

    assert titles["Fox"] == "Fox & den"
    assert titles["Red_hen"] == "Red hen"
    assert ">Fox &amp; den</span></h1>" in page(folder, "Fox")


def test_headings_of_articles_get_ids(tmp_path: Path):
    folder = folder_of(tmp_path, WIKI, Fox="<h2>The <i>den</i></h2><p>a</p>")

    assert '<div class="mw-heading mw-heading2"><h2 id="The_den">The <i>den</i></h2></div>' in page(
        folder, "Fox"
    )


def test_formulas_of_articles_carry_their_tex_and_what_follows(tmp_path: Path):
    folder = folder_of(tmp_path, WIKI, Fox="<p>As <math>a &lt; b</math> holds.</p>")

    html = page(folder, "Fox")

    assert '<annotation encoding="application/x-tex">{\\displaystyle a &lt; b}</annotation>' in html
    assert "</span> holds.</p>" in html


def test_footnotes_of_articles_become_marks_and_a_list(tmp_path: Path):
    folder = folder_of(tmp_path, WIKI, Fox="<p>Sly<ref>The <i>Book</i></ref>.</p>")

    html = page(folder, "Fox")

    assert 'Sly<sup class="reference" id="cite_ref-1">' in html
    assert '<span class="reference-text">The <i>Book</i></span>' in html


def test_code_of_articles_names_its_language(tmp_path: Path):
    folder = folder_of(tmp_path, WIKI, Fox='<pre lang="python">if a &lt; b:\n    pass\n</pre>')

    html = page(folder, "Fox")

    assert '<div class="mw-highlight mw-highlight-lang-python mw-content-ltr" dir="ltr">' in html
    assert "if a &lt; b:\n    pass\n</pre>" in html


def test_redirects_of_articles_are_spelt_with_underscores(tmp_path: Path):
    (redirect,) = scrape(folder_of(tmp_path, WIKI, Fox="<p>a</p>")).redirects

    assert (redirect.path, redirect.title, redirect.target) == ("Red_fox", "Red fox", "Fox")


def test_folder_without_a_plan_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"archive\.toml"):
        scrape(tmp_path)


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        pytest.param('family = "gopher"\n[metadata]', "family: expected one of", id="family"),
        pytest.param('family = "generic"\nfoo = 1\n[metadata]', "foo", id="unknown key"),
        pytest.param("family = ", "archive.toml", id="no TOML"),
    ],
)
def test_plan_that_breaks_a_rule_is_refused(tmp_path: Path, plan: str, complaint: str):
    with pytest.raises(ConfigError, match=complaint):
        scrape(folder_of(tmp_path, plan))


STACK = 'family = "stackexchange"\n[metadata]\n[users]\nada = { id = 1 }'


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        pytest.param("<p>a</p>", "expected a <question>", id="no question"),
        pytest.param(
            '<question id="1" user="bob" score="0" asked="2026-01-02"><h1>a</h1></question>',
            "'bob'",
            id="stranger",
        ),
        pytest.param(
            '<question id="1" user="ada" score="0" asked="today"><h1>a</h1></question>',
            "asked: expected a date, got 'today'",
            id="date",
        ),
        pytest.param(
            '<question id="1" user="ada" asked="2026-01-02"><h1>a</h1></question>',
            "score: expected an integer, got ''",
            id="score",
        ),
    ],
)
def test_thread_that_breaks_a_rule_is_refused(tmp_path: Path, source: str, complaint: str):
    with pytest.raises(ConfigError, match=complaint):
        scrape(folder_of(tmp_path, STACK, why=source))


def test_thread_has_answers_in_the_order_of_their_score(tmp_path: Path):
    thread = """<question id="1" user="ada" asked="2026-01-02" score="2" tags="fox"><h1>Why?</h1>
    <p>q</p></question><answer id="2" score="-1" user="ada" asked="2026-01-02"><p>no</p></answer>
    <answer id="3" score="5" user="ada" asked="2026-01-02" accepted><p>yes</p></answer>"""

    html = page(folder_of(tmp_path, STACK, why=thread), "questions/1/why")

    assert html.index("answer-3") < html.index("answer-2")
    assert html.count('class="answer  accepted-answer"') == 1


def test_same_sources_make_the_same_archive(tmp_path: Path):
    folder = folder_of(tmp_path, WIKI, Fox="<p>a fox</p>", Hen="<p>a hen</p>")

    build(folder, tmp_path / "1.zim")
    build(folder, tmp_path / "2.zim")

    first, second = (Archive(tmp_path / name) for name in ("1.zim", "2.zim"))
    paths = [head.path for head in first.heads(100)]
    assert paths == [head.path for head in second.heads(100)]
    assert [first.read(path) for path in paths] == [second.read(path) for path in paths]
    assert (tmp_path / "1.zim").stat().st_size == (tmp_path / "2.zim").stat().st_size
