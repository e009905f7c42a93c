import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.frames import Preview, SectionEntry
from shard.snippets import MAX_SNIPPET_CHARS, preview
from tests.shard.test_document import document

LEAD = "<p>Coffee is a drink. It is brewed from roasted beans. People like it a lot.</p>"
BODY = f"""{LEAD}<h2 id="Growing">Growing</h2><p>The plant needs warm rain.</p>
<h2 id="Brewing">Brewing methods</h2><p>Many ways exist. An espresso machine forces hot water
through fine grounds under pressure. It takes half a minute.</p>
<h2 id="Prices">Prices</h2><table><tr><th>Grade</th><th>Cost</th></tr>
<tr><td>arabica espresso</td><td>5</td></tr></table>"""


def seen(body: str, *words: str, title: str = "Coffee", stem=lambda word: word) -> Preview:
    page = document(body, title=title)
    return preview(page, "path", words, [1.0] * len(words), stem)


def test_snippet_is_the_sentence_around_the_words_with_its_neighbours():
    found = seen(BODY, "espresso", "pressure")

    assert found.snippet == (
        "Many ways exist. An espresso machine forces hot water through fine grounds under "
        "pressure. It takes half a minute."
    )


def test_snippet_without_a_match_is_the_beginning_of_the_lead():
    found = seen(BODY, "submarine")

    assert found.snippet.startswith("Coffee is a drink. It is brewed")


def test_snippet_takes_prose_before_tables():
    assert "espresso machine" in seen(BODY, "espresso").snippet


def test_snippet_takes_a_table_where_nothing_else_matches():
    assert "arabica" in seen(BODY, "arabica").snippet


def test_snippet_of_a_long_sentence_is_shortened():
    found = seen("<p>" + "very long words " * 60 + "end.</p>", "words")

    assert len(found.snippet) <= MAX_SNIPPET_CHARS
    assert found.snippet.endswith("…")


def test_snippet_is_plain_text():
    found = seen(
        "<p>A <b>bold</b> <a href='http://x.org'>link</a> &amp; <code>code_x</code>.</p>", "bold"
    )

    assert found.snippet == "A bold link & code_x."


def test_snippet_of_an_empty_page_is_empty():
    found = seen("", "word")

    assert (found.snippet, found.sections, found.passage) == ("", [], 0.0)


def test_hint_is_the_section_that_holds_the_query():
    assert seen(BODY, "espresso", "pressure").sections == [
        SectionEntry("Brewing", "Brewing methods")
    ]


def test_hints_are_none_where_the_query_only_names_the_page():
    assert seen(BODY, "coffee").sections == []


def test_hints_are_none_where_the_lead_says_it_as_well():
    assert seen(BODY, "brewed", "beans").sections == []


def test_hint_is_given_for_a_whole_title_in_a_longer_question():
    body = BODY + "<h2>Box office</h2><p>The office sold each box.</p>"
    found = seen(body, "money", "film", "earned", "reckoned", "box", "office")

    assert [entry.title for entry in found.sections] == ["Box office"]


def test_hints_are_three_at_most():
    body = "".join(f"<h2>Part {n}</h2><p>The same rare word.</p>" for n in range(9))

    assert len(seen(body, "rare").sections) == 3


def test_words_match_by_their_stem():
    found = seen(BODY, "brew", stem=lambda word: word.removesuffix("ed").removesuffix("ing"))

    assert found.passage == 1.0


def test_words_match_without_accents():
    assert seen("<p>Un café noir.</p>", "café").passage == 1.0
    assert seen("<p>Un café noir.</p>", "cafe").passage == 1.0


def test_words_of_scripts_without_spaces_match_in_pairs():
    found = seen("<p>北京是中华人民共和国的首都。上海是最大的城市。</p>", "首都", title="北京")

    assert found.passage == 1.0
    assert "首都" in found.snippet


def test_passage_is_the_share_of_one_window():
    near = "alpha beta " + "x " * 10
    far = "alpha " + "x " * 80 + "beta"

    assert seen(f"<p>{near}</p>", "alpha", "beta").passage == 1.0
    assert seen(f"<p>{far}</p>", "alpha", "beta").passage == 0.5


def test_passage_weighs_words():
    page = document("<p>the rare</p>")
    weights = [1.0, 3.0, 6.0]
    found = preview(page, "p", ["the", "rare", "gone"], weights, lambda word: word)

    assert found.passage == 0.4


def test_passage_does_not_cross_sections():
    body = "<h2>A</h2><p>alpha</p><h2>B</h2><p>beta</p>"

    assert seen(body, "alpha", "beta").passage == 0.5


@settings(max_examples=200, deadline=None)
@given(
    texts=st.lists(st.text(alphabet="ab .!?é北京\nAB", max_size=400), max_size=5),
    words=st.lists(st.sampled_from(["a", "ab", "b", "é", "北京", "c++"]), max_size=4, unique=True),
)
def test_preview_of_any_text_keeps_its_bounds(texts: list[str], words: list[str]):
    body = "".join(f"<h2>h {n}</h2><p>{text}</p>" for n, text in enumerate(texts))
    found = seen(body, *words)

    assert len(found.snippet) <= MAX_SNIPPET_CHARS
    assert 0.0 <= found.passage <= 1.0
    assert len(found.sections) <= 3


@pytest.mark.parametrize(
    ("text", "first"),
    [
        pytest.param("See p. 5 for it. Then go.", "See p. 5 for it.", id="before a digit"),
        pytest.param("It is e.g. small. Then go.", "It is e.g. small.", id="before a small letter"),
        pytest.param('He said "no." Then left.', 'He said "no."', id="closing quote"),
    ],
)
def test_sentence_ends_where_a_capital_follows(text: str, first: str):
    long = "This sentence is here to be long " + "and longer " * 22
    found = seen(f"<p>{text} {long}.</p>", *first.rstrip('."').split()[-1:])

    assert found.snippet.startswith(first)


TERMS = """<p>Beans are roasted.</p>
<p><i>Main article: Espresso machine</i></p><p><b>Espresso machine</b></p><h3>Espresso machine</h3>
<dl><dt>espresso machine</dt><dd>Forces water through an espresso puck.</dd></dl>
<ul><li><a href="x">Espresso machine</a></li></ul>
<p><code>espresso.machine(water, beans, x)</code></p>"""


def test_snippet_is_no_heading_term_label_or_signature():
    assert seen(TERMS, "espresso", "machine").snippet == "Forces water through an espresso puck."


@pytest.mark.parametrize("body", ["<p><code>ESPRESSO</code></p>", "<dl><dt>Espresso</dt></dl>"])
def test_snippet_is_the_lead_where_only_a_term_matches(body: str):
    assert seen(LEAD + body, "espresso").snippet.startswith("Coffee is a drink.")


def test_snippet_is_never_the_tags_of_a_question():
    thread = """<div id="question"><div class="js-post-body"><p>Why does it stop?</p></div>
    <a class="post-tag">crash</a><a class="post-tag">cluster</a><a class="post-tag">up</a></div>"""
    page = document(thread, "stackexchange")

    found = preview(page, "path", ["crash", "cluster"], [1.0, 1.0], lambda word: word)

    assert found.snippet == "Why does it stop?"
    assert found.passage == 1.0


def test_snippet_is_never_the_link_to_the_source():
    page = document(
        """<p>Sets the standard of a target.</p><div class="_attribution"><a
        class="_attribution-link" href="https://example.org/CXX_STANDARD.html">x</a></div>""",
        "devdocs",
    )

    found = preview(page, "path", ["cxx_standard"], [1.0], lambda word: word)

    assert found.snippet == "Sets the standard of a target."


def test_snippet_is_the_item_without_the_list_inside_it():
    body = "<ul><li>Ways of brewing coffee with pressure.<ul><li>espresso</li></ul></li></ul>"

    assert seen(body, "pressure").snippet == "Ways of brewing coffee with pressure."


def test_snippet_ends_before_a_sentence_that_announces_a_list():
    body = "<p>An espresso is short. It is made from:</p><ul><li>water</li></ul>"

    assert seen(body, "espresso").snippet == "An espresso is short."
