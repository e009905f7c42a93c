"""ZIM files for tests, out of a few values."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from shard.build import Contents, Entry, Redirect, write_archive
from tests.support import pages
from tests.support.pages import Answer, Comment

__all__ = ["Entry", "Redirect", "build_zim", "devdocs_zim", "site_zim", "stack_zim", "wiki_zim"]

ODD_PATHS = (
    "With space",
    "C#",
    "What?",
    "100%",
    "Percent%20sign",
    'Quote"d',
    "Apostrophe's",
    "Москва",
    "🦊",
    "AC/DC",
    "A/B&C=D+E;F",
    "Trailing/",
)
"""Paths that an address would spell in another way."""


def build_zim(
    path: Path,
    entries: Iterable[Entry],
    *,
    redirects: Iterable[Redirect] = (),
    metadata: Mapping[str, str | bytes] | None = None,
    language: str = "eng",
    index: bool = True,
    main: str = "",
) -> Path:
    """Write an archive and return its path; ``metadata`` goes over the usual one."""
    usual = {"Title": path.stem, "Name": path.stem, "Date": "2026-11-30", "Creator": "tests"}
    write_archive(
        path,
        Contents(
            entries=list(entries),
            redirects=list(redirects),
            metadata={**usual, **(metadata or {})},
            language=language,
            index=index,
            main=main,
        ),
    )
    return path


def wiki_zim(path: Path, **changes: object) -> Path:
    """Write an archive of encyclopaedia articles; see `wiki_entries`."""
    return build_zim(
        path,
        wiki_entries(),
        redirects=[
            Redirect("Red_fox", "Red fox", "Fox"),
            Redirect("Vulpes_vulpes", "Vulpes vulpes", "Red_fox"),
            Redirect("Кремль", "Кремль", "Москва"),
        ],
        metadata={
            "Title": "Test wiki",
            "Creator": "Wikipedia",
            "Scraper": "mwoffliner 2.0.0",
            "Tags": "_category:wikipedia;wikipedia;_ftindex:yes",
        },
        main="Fox",
        **changes,  # type: ignore[arg-type]
    )


def wiki_entries() -> list[Entry]:
    """Return the entries of `wiki_zim`.

    Articles with sections four deep, an infobox, tables, code and formulas; one page per odd path;
    an empty HTML entry; a style sheet and a picture.
    """
    articles = [
        Entry("Fox", "Fox", pages.article("Fox", FOX)),
        Entry("Ranking", "Ranking", pages.article("Ranking", RANKING)),
        Entry("Hen", "Hen", pages.article("Hen", "<p>A <b>hen</b> is a female chicken.</p>")),
    ]
    odd = [Entry(name, name, pages.article(name, _odd_body(name))) for name in ODD_PATHS]
    others = [
        Entry("Empty", "Empty", ""),
        Entry("_res_/style.css", "", "body { color: fox }", "text/css", front=False),
        Entry("_assets_/fox.png", "", b"\x89PNG\r\n\x1a\n", "image/png", front=False),
    ]
    return [*articles, *odd, *others]


def devdocs_zim(path: Path, **changes: object) -> Path:
    """Write an archive of DevDocs pages: two of modules with symbols, one of a command."""
    entries = [
        Entry("index", "Burrow Documentation", pages.devdocs_page("index", "Burrow", BURROW)),
        Entry("library/den", "den", pages.devdocs_page("library/den", "den", DEN)),
        Entry("command/dig", "dig()", pages.devdocs_page("command/dig", "dig()", DIG)),
        Entry("navbar.json", "", pages.NAVBAR, "application/json", front=False),
        Entry("licenses.txt", "", "All rights reversed.", "text/plain", front=False),
        Entry("application.css", "", "body {}", "text/css", front=False),
    ]
    return build_zim(
        path,
        entries,
        metadata={
            "Title": "Burrow Docs",
            "Creator": "DevDocs",
            "Scraper": "devdocs2zim v0.2.1",
            "Name": "devdocs.io_en_burrow",
            "Tags": "devdocs;burrow",
        },
        main="index",
        **changes,  # type: ignore[arg-type]
    )


def stack_zim(path: Path, **changes: object) -> Path:
    """Write an archive of questions: three threads, and the tag, user and list pages around."""
    fox = "questions/11/how-do-foxes-dig-a-den"
    hen = "questions/12/why-does-a-hen-brood"
    lone = "questions/13/who-hears-an-owl"
    entries = [
        Entry(fox, "How do foxes dig a den?", FOX_THREAD),
        Entry(hen, "Why does a hen brood?", HEN_THREAD),
        Entry(lone, "Who hears an owl?", LONE_THREAD),
        Entry(
            "questions",
            "Highest Voted Questions",
            pages.stack_list([("How do foxes dig a den?", fox), ("Why does a hen brood?", hen)]),
        ),
        Entry(
            "questions/tagged/fox",
            "Highest Voted 'fox' Questions",
            pages.stack_list([("How do foxes dig a den?", fox)]),
        ),
        Entry("users/7/vixen", "User vixen", pages.stack_user("vixen", 7)),
        Entry("tags", "Tags", pages.stack_shell("Tags", "<p>fox hen owl</p>")),
        Entry("about", "About", pages.stack_shell("About", "<p>About this site</p>")),
    ]
    return build_zim(
        path,
        entries,
        redirects=[
            Redirect("questions/11", "questions/11", fox),
            Redirect("a/21", "a/21", fox),
            Redirect("questions/12", "questions/12", hen),
        ],
        metadata={
            "Title": "Test Questions",
            "Creator": "Stack Exchange",
            "Scraper": "sotoki v3.1.1",
            "Name": "tests.stackexchange.com_en_all",
            "Tags": "stack_exchange;_category:stack_exchange",
        },
        main="questions",
        **changes,  # type: ignore[arg-type]
    )


def site_zim(path: Path, **changes: object) -> Path:
    """Write an archive of a small site of no known kind."""
    entries = [
        Entry("index.html", "Farm", pages.site_page("Farm", "<p>Welcome to the farm.</p>")),
        Entry("visit us.html", "Visit us", pages.site_page("Visit us", VISIT)),
        Entry("notes.txt", "Notes", "Feed the hens.\nLock the coop.", "text/plain", front=False),
        Entry("menu.pdf", "Menu", b"%PDF-1.4", "application/pdf", front=False),
    ]
    return build_zim(
        path,
        entries,
        redirects=[Redirect("home", "Home", "index.html")],
        main="index.html",
        **changes,  # type: ignore[arg-type]
    )


def _odd_body(name: str) -> str:
    return f"<p>The page about {pages.escaped(name)} has an odd address.</p>"


FOX = """
<table class="infobox"><tbody>
<tr><th class="infobox-above" colspan="2">Fox</th></tr>
<tr><th class="infobox-label" scope="row">Family</th><td class="infobox-data">Canidae</td></tr>
<tr><th class="infobox-label" scope="row">Diet</th><td class="infobox-data">mice<br>eggs</td></tr>
</tbody></table>
<p><b>Foxes</b> are small omnivorous mammals.<sup class="reference" id="cite_ref-1"><a
href="#cite_note-1">[1]</a></sup> They hunt a <a href="Hen" title="Hen">hen</a> at night.</p>
<div class="mw-heading mw-heading2"><h2 id="Habitat">Habitat</h2></div>
<p>Foxes live on every continent but Antarctica.</p>
<div class="mw-heading mw-heading3"><h3 id="Den">Den</h3><span class="mw-editsection">[<a
href="./edit">edit</a>]</span></div>
<p>A den is a burrow with several entrances.</p>
<div class="mw-heading mw-heading4"><h4 id="Chambers">Chambers</h4></div>
<p>The nursery chamber lies one metre below the surface.</p>
<div class="mw-heading mw-heading3"><h3 id="Territory">Territory</h3></div>
<p>A territory measures between two and five square kilometres.</p>
<div class="mw-heading mw-heading2"><h2 id="Species">Species</h2></div>
<table class="wikitable"><caption>Some species</caption><tbody>
<tr><th>Species</th><th>Weight</th></tr>
<tr><td rowspan="2">Red fox</td><td>3 kg | female</td></tr>
<tr><td>14 kg</td></tr>
<tr><td>Fennec</td><td>1 kg</td></tr>
</tbody></table>
<div class="mw-heading mw-heading2"><h2 id="References">References</h2></div>
<ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><a
href="#cite_ref-1">↑</a></span> <span class="reference-text">The vulpine compendium</span></li></ol>
"""

RANKING = """
<p>The weight of a word is <span class="mwe-math-element"><span class="mwe-math-mathml-inline"
style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\displaystyle
\\log N}"><semantics><mrow><mi>log</mi><mi>N</mi></mrow><annotation
encoding="application/x-tex">{\\displaystyle \\log N}</annotation></semantics></math></span><img
src="./_assets_/math.svg" class="mwe-math-fallback-image-inline"
alt="{\\displaystyle \\log N}"></span> where N counts the documents.</p>
<div class="mw-heading mw-heading2"><h2 id="Code">Code</h2></div>
<div class="mw-highlight mw-highlight-lang-python mw-content-ltr" dir="ltr"><pre><span
class="k">def</span> <span class="nf">rank</span><span class="p">(</span>hits<span
class="p">)</span>:
    <span class="k">return</span> <span class="nb">sorted</span>(hits)
</pre></div>
<div class="mw-heading mw-heading2"><h2 id="Сложность">Сложность</h2></div>
<p>Sorting takes H<sub>2</sub>O and n<sup>2</sup> steps.</p>
"""

BURROW = """
<h1>Burrow</h1> <p>Burrow is a library for digging.</p>
<ul> <li><a class="reference internal" href="library/den">den</a></li> </ul>
"""

DEN = """
<span id="den-shelter"></span><h1>den — Shelter</h1> <p>This module keeps foxes.</p>
<section id="functions"> <h2>Functions</h2>
<dl class="py function"> <dt class="sig sig-object py" id="den.open">
<code>den.open(path, *, depth=1)</code> </dt> <dd>
<p>Open the den at <em>path</em> and return a <code>Den</code>.</p>
<pre data-language="python">import den

with den.open("here") as home:
    home.sleep()
</pre> </dd> </dl>
<dl class="py function"> <dt class="sig sig-object py" id="den.close">
<code>den.close(home)</code> </dt> <dd> <p>Close a den for the winter.</p> </dd> </dl> </section>
<section id="constants"> <h2>Constants</h2>
<dl class="py data"> <dt class="sig sig-object py" id="den.MAX_DEPTH"> <code>den.MAX_DEPTH</code>
</dt> <dd> <p>Nine, in metres.</p> </dd> </dl> </section>
"""

DIG = """
<h1 id="command:dig">dig</h1> <p>Dig a hole.</p> <h2>Synopsis</h2>
<pre data-language="cmake">dig(&lt;name&gt; [DEEP | SHALLOW]
    [&lt;source&gt;...])
</pre> <h2 id="options">Options</h2> <dl class="std option">
<dt id="cmdoption-depth"> <code>--depth &lt;metres&gt;</code> </dt> <dd> <p>How deep.</p> </dd>
</dl>
"""

FOX_THREAD = pages.stack_question(
    11,
    "How do foxes dig a den?",
    "<p>I watched one with <code>forelegs</code> only. Is that usual?</p>",
    slug="how-do-foxes-dig-a-den",
    score=9,
    tags=("fox", "digging"),
    comments=(Comment(31, "Which species was it?", score=2),),
    answers=(
        Answer(22, "<p>They take over the burrow of a badger.</p>", score=12),
        Answer(
            21,
            "<p>Yes: the forelegs dig, the hind legs throw.</p>"
            '<pre class="lang-py s-code-block"><code>while digging:\n    dig()\n</code></pre>',
            score=5,
            accepted=True,
            comments=(Comment(32, "Thanks, seen it now."),),
        ),
        Answer(23, "<p>They never dig.</p>", score=-3),
    ),
)

HEN_THREAD = pages.stack_question(
    12,
    "Why does a hen brood?",
    "<p>Mine sits on $n^2$ eggs.</p>",
    slug="why-does-a-hen-brood",
    score=-1,
    tags=("hen",),
    answers=(Answer(24, "<p>Prolactin makes her broody.</p>", score=3),),
)

LONE_THREAD = pages.stack_question(
    13, "Who hears an owl?", "<p>Nobody answered yet.</p>", slug="who-hears-an-owl", tags=("owl",)
)

VISIT = """
<p>We open at nine.</p> <h2 id="prices">Prices</h2>
<table><thead><tr><th>Who</th><th>Price</th></tr></thead>
<tbody><tr><td>Adults</td><td>5</td></tr><tr><td>Children</td><td>free</td></tr></tbody></table>
<h2>How to get here</h2> <p>By the <a href="index.html">old road</a> or
<a href="https://example.org/bus">by bus</a>.</p>
"""
