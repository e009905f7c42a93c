"""Which sections of a page define what a query asks for."""

from shard.adapters.devdocs import DevDocs
from shard.archive import Page
from shard.definitions import MAX_DEFINITIONS, definitions
from shard.document import Document
from shard.identifiers import asked_in
from tests.support import pages

BODY = """
<h1>den</h1> <p>This module keeps foxes.</p> <h2 id="functions">Functions</h2>
<dl class="py function"> <dt id="den.open"> <code>den.open(path)</code> </dt>
<dd> <p>Open the den.</p> </dd> </dl>
<dl class="py class"> <dt id="den.Fox"> <code>class den.Fox(name)</code> </dt> <dd> <p>A fox.</p>
<dl class="py method"> <dt id="den.Fox.open"> <code>open()</code> </dt>
<dd> <p>Open the eyes.</p> </dd> </dl> </dd> </dl>
<dl class="command"> <dt id="command:Dig_Hole"> <code>Dig_Hole(&lt;name&gt;)</code> </dt>
<dd> <p>Dig.</p> </dd> </dl>
<dl class="py function"> <dt id="den.enter"> <code>den.enter()</code> </dt>
<dt id="den.leave"> <code>den.leave()</code> </dt> <dd> <p>Go in or out.</p> </dd> </dl>
"""


def page(body: str = BODY) -> Document:
    html = pages.devdocs_page("library/den", "den", body).encode()
    return DevDocs().parse(Page("library/den", "den", "text/html", html))


def ids(query: str, *fragments: str, body: str = BODY) -> list[str]:
    return [one.id for one in definitions(page(body), asked_in(query), fragments)]


def test_fragment_of_the_list_of_symbols_leads() -> None:
    assert ids("open()", "den.Fox.open") == ["den.Fox.open"]


def test_fragment_that_the_page_lacks_leaves_it_to_the_names() -> None:
    assert ids("den.open", "gone") == ["den.open"]


def test_whole_name_is_found_without_a_list() -> None:
    assert ids("den.open()") == ["den.open"]
    assert ids("den.Fox.open") == ["den.Fox.open"]


def test_last_component_means_the_shortest_names_that_end_with_it() -> None:
    assert ids("open()") == ["den.open"]


def test_role_before_a_name_does_not_matter() -> None:
    assert ids("Dig_Hole") == ["command:Dig_Hole"]


def test_second_name_of_a_section_is_an_id_of_its_own() -> None:
    found = definitions(page(), asked_in("den.leave"), ["den.leave"])

    assert [(one.id, one.title) for one in found] == [("den.leave", "den.leave")]


def test_plain_words_define_nothing() -> None:
    assert ids("functions") == []
    assert ids("how do I open a den") == []


def test_definitions_are_few() -> None:
    entry = '<dl><dt id="c{0}.get_it"><code>c{0}.get_it()</code></dt><dd><p>Get.</p></dd></dl>'
    body = "<h1>den</h1>" + "".join(entry.format(n) for n in range(20))

    assert len(ids("get_it", body=body)) == MAX_DEFINITIONS
