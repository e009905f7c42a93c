import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import CorpusError, SectionNotFound
from shard.adapters import ADAPTERS
from shard.archive import Page
from shard.document import Document
from tests.support.markdown import LARGE, outside_code, problems, rendered, whole

SECTIONS = """<h2 id="a">A</h2><p>First.</p><h3 id="a1">A one</h3><p>Below.</p>
<h2 id="b">B</h2><p>Second.</p><h2 id="c">C</h2><p>Third.</p>"""


def document(body: str, adapter: str = "generic", title: str = "Title") -> Document:
    content = f"<html><body>{body}</body></html>".encode()
    return ADAPTERS[adapter].parse(Page("path", title, "text/html", content))


def ids_of(found: Document, asked: tuple[str, ...] = (), max_chars: int = LARGE) -> list[str]:
    return [part.id for part in rendered(found, asked, max_chars).sections]


def test_whole_document_gives_each_section_its_own_text_in_order():
    found = rendered(document("<p>Lead.</p>" + SECTIONS))

    assert [(part.id, part.content) for part in found.sections] == [
        ("", "Lead."),
        ("a", "## A\n\nFirst."),
        ("a1", "### A one\n\nBelow."),
        ("b", "## B\n\nSecond."),
        ("c", "## C\n\nThird."),
    ]
    assert not found.truncated


def test_asked_section_brings_its_subtree():
    (part,) = rendered(document(SECTIONS), ("a",)).sections

    assert part.content == "## A\n\nFirst.\n\n### A one\n\nBelow."


def test_asked_sections_come_in_document_order_each_once():
    assert ids_of(document(SECTIONS), ("c", "a", "c")) == ["a", "c"]


def test_nested_sections_collapse_into_the_outermost():
    assert ids_of(document(SECTIONS), ("a1", "a")) == ["a"]


def test_lead_is_asked_for_with_the_empty_id():
    (part,) = rendered(document("<p>Lead.</p>" + SECTIONS), ("",)).sections

    assert (part.id, part.content) == ("", "Lead.")


def test_lead_of_a_thread_is_its_question():
    thread = """<div id="question" data-score="1"><div class="js-post-body"><p>Q</p></div></div>"""

    assert ids_of(document(thread, "stackexchange"), ("",)) == ["question"]


def test_unknown_section_names_what_is_missing_and_what_there_is():
    with pytest.raises(SectionNotFound) as raised:
        rendered(document(SECTIONS), ("a", "x", "y", "x"))

    assert raised.value.missing == ("x", "y")
    assert raised.value.available[:2] == (("", "Title"), ("a", "A"))


def test_alias_answers_under_the_name_that_was_asked_for():
    page = """<dl><dt id="os.R">os.R</dt><dt id="os.W">os.W</dt><dd>Flags.</dd></dl>"""

    assert ids_of(document(page, "devdocs"), ("os.W",)) == ["os.W"]
    assert ids_of(document(page, "devdocs")) == ["os.R"]


SYMBOLS = """<h2 id="use">Use</h2><p>Before.</p><dl><dt id="a.f">a.f()</dt><dd>F.<dl>
<dt id="a.f.g">g()</dt><dd>G.</dd></dl>More of F.</dd></dl><p>Between.</p>
<dl><dt id="a.h">a.h()</dt><dd>H.</dd></dl><p>After.</p>"""


def test_symbols_of_an_asked_section_stand_where_the_page_has_them():
    (part,) = rendered(document(SYMBOLS, "devdocs"), ("use",)).sections
    order = ["Before.", "### a.f", "F.", "#### a.f.g", "G.", "More of F.", "Between.", "### a.h"]
    places = [part.content.index(text) for text in [*order, "H.", "After."]]

    assert places == sorted(places)
    assert part.content.count("### a.f\n") == 1


def test_symbol_alone_is_its_entry():
    (part,) = rendered(document(SYMBOLS, "devdocs"), ("a.h",)).sections

    assert part.content == "### a.h\n\n`a.h()`\n\nH."


def test_lead_comes_without_the_symbols_beside_it():
    page = document(
        """<h1>Title</h1><p>Lead.</p><dl><dt id="f">f()</dt><dd>F.</dd></dl><p>After.</p>""",
        "devdocs",
    )
    texts = [part.content for part in rendered(page, ("", "f")).sections]

    assert texts == ["Lead.\n\nAfter.", "## f\n\n`f()`\n\nF."]


def test_symbols_nested_without_end_are_text():
    page = document("<dl><dt id=a>x<dd>" * 900 + "bottom", "devdocs")

    assert "bottom" in whole(page)


def test_empty_section_is_listed_but_not_in_the_whole():
    page = document("<h2 id=a>A</h2><h2 id=b>B</h2><p>Text.</p>")

    assert [entry.id for entry in page.available()[0]] == ["", "a", "b"]
    assert ids_of(page) == ["b"]
    assert rendered(page, ("a",)).sections[0].content == "## A"


def test_list_leaves_the_deepest_sections_out_first():
    body = "".join(
        f"<h2>{n}</h2>" + "".join(f"<h3>{n}.{m}</h3><h4>x</h4>" for m in range(3))
        for n in range(10)
    )
    listed, more = document(body).available(20)

    assert len(listed) == 20
    assert more == 1 + 10 + 30 + 30 - 20
    assert sum("." not in entry.title for entry in listed) == 11
    assert [entry.title for entry in listed][:5] == ["Title", "0", "0.0", "0.1", "0.2"]


def test_budget_cuts_the_whole_document_between_sections():
    found = rendered(document(SECTIONS), (), len("## A\n\nFirst.") + 5)

    assert [part.id for part in found.sections] == ["a"]
    assert found.truncated


def test_budget_that_just_fits_is_not_truncated():
    page = document(SECTIONS)
    size = sum(len(part.content) for part in rendered(page).sections)

    assert not rendered(page, (), size).truncated
    assert rendered(page, (), size - 1).truncated


def test_section_larger_than_the_budget_is_cut_between_paragraphs():
    page = document("<h2 id=a>A</h2>" + "<p>Ten chars.</p>" * 10)
    found = rendered(page, (), 39)

    assert found.sections[0].content == "## A\n\nTen chars.\n\nTen chars."
    assert found.truncated


def test_table_is_cut_between_rows():
    rows = "".join(f"<tr><td>{n}</td><td>cell</td></tr>" for n in range(50))
    page = document(f"<table><tr><th>N</th><th>C</th></tr>{rows}</table>")
    lines = rendered(page, (), 100).sections[0].content.split("\n")

    assert lines[:3] == ["| N | C |", "| --- | --- |", "| 0 | cell |"]
    assert all(line.endswith(" |") for line in lines)


def test_listing_too_long_for_any_budget_keeps_its_fence_closed():
    page = document("<pre>" + "line of code\n" * 100 + "</pre>")
    content = rendered(page, (), 100).sections[0].content

    assert content.startswith("```\nline of code\n")
    assert content.endswith("\nline of code\n```")
    assert len(content) <= 100


def test_listing_that_does_not_fit_is_left_out_after_text():
    page = document("<p>Text.</p><p>More.</p><pre>" + "line of code\n" * 100 + "</pre>")

    assert rendered(page, (), 100).sections[0].content == "Text.\n\nMore."


def test_formula_is_never_cut():
    page = document(
        "<p>" + "word " * 18 + '<math alttext="a b c d e f g h i j k"><mi>a</mi></math> end</p>' * 9
    )
    content = rendered(page, (), 100).sections[0].content

    assert content.count("$") % 2 == 0
    assert content.startswith("word word")


def test_size_grows_with_the_page():
    assert document("<p>x</p>" * 1000).size > document("<p>x</p>").size > 0


def test_rendering_yields_between_sections():
    steps = sum(1 for _ in document(SECTIONS).render((), LARGE))

    assert steps == 5


TAGS = ["p", "div", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "code", "b", "i", "a",
        "h1", "h2", "h3", "dl", "dt", "dd", "blockquote", "sup", "sub", "span", "br", "details",
        "summary", "math", "section", "q", "ruby", "rt", "caption", "thead", "hr"]  # fmt: skip
ATTRIBUTES = ["", ' id="x"', ' class="infobox"', ' class="mw-heading reference"', ' colspan="3"',
              ' rowspan="0"', ' href="http://e.org/a(b"', ' style="display:none"',
              ' class="lang-py"', ' start="9"', ' class="answer accepted-answer" data-score="3"',
              ' id="question"', ' class="js-post-body"']  # fmt: skip
OPENERS = st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES))
CLOSERS = st.builds("</{}>".format, st.sampled_from(TAGS))
TEXTS = st.text(alphabet="ab *_`[]()<>&#|$\\~!-+.1\n\t\u00a0é北", max_size=12)
MARKUP = st.lists(st.one_of(OPENERS, CLOSERS, TEXTS), max_size=40).map("".join)
ADAPTER_NAMES = st.sampled_from(sorted(ADAPTERS))


@settings(max_examples=300, deadline=None)
@given(adapter=ADAPTER_NAMES, content=st.binary(max_size=300))
def test_any_bytes_become_a_document(adapter: str, content: bytes):
    try:
        found = ADAPTERS[adapter].parse(Page("p", "T", "text/html", content))
    except CorpusError:
        return

    assert whole(found) == whole(found)


@settings(max_examples=400, deadline=None)
@given(adapter=ADAPTER_NAMES, body=MARKUP)
def test_any_markup_keeps_the_invariants(adapter: str, body: str):
    found = document(body, adapter)
    broken = [line for line in problems(found) if not line.startswith("raw tag")]

    assert broken == []


@settings(max_examples=300, deadline=None)
@given(body=MARKUP, max_chars=st.integers(1, 400))
def test_any_budget_is_kept_and_no_fence_stays_open(body: str, max_chars: int):
    found = rendered(document(body), (), max_chars)

    assert sum(len(part.content) for part in found.sections) <= max_chars
    assert all(outside_code(part.content)[1] for part in found.sections)


@settings(max_examples=200, deadline=None)
@given(body=MARKUP)
def test_sections_together_are_the_whole_document(body: str):
    found = document(body)
    parts = {part.id: part.content for part in rendered(found).sections}
    tops = [section.id for section in found.sections if section.parent is None]
    together = "\n\n".join(part.content for part in rendered(found, tuple(tops)).sections)
    lines = {line for content in parts.values() for line in content.split("\n")}

    assert lines - {"", *together.split("\n")} == set()
