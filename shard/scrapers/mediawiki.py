"""Encyclopaedia articles, as mwoffliner of today writes them.

A source may hold, besides HTML: ``<math>`` with TeX, ``<pre lang>`` with code, ``<ref>`` with a
footnote, ``<table class="infobox">`` with a caption and plain rows.
"""

from html import escape

from lxml import etree

from shard.scrapers.contents import Entry, Redirect
from shard.scrapers.source import Folder, Source, elements, inner_html, plain_text, replace


def pages(folder: Folder) -> tuple[list[Entry], list[Redirect]]:
    """Return one article per source, and the redirects of the plan."""
    articles = [
        Entry(source.path, source.title, _article(folder, source)) for source in folder.sources()
    ]
    style = Entry("_res_/style.css", "", "table { border: thin solid }\n", "text/css", front=False)
    aliases = [
        Redirect(title.replace(" ", "_"), title, target)
        for title, target in folder.plan.redirects.items()
    ]
    return [*articles, style], aliases


def _article(folder: Folder, source: Source) -> str:
    body = source.body
    for step in (_formulas, _code, _infoboxes, _footnotes, _links, _headings):
        step(body)
    return folder.fill(
        "",
        title=source.title,
        path=escape(source.path),
        body=inner_html(body),
        date=folder.plan.metadata.get("Date", ""),
    )


def _formulas(body: etree._Element) -> None:
    for element in body.findall(".//math"):
        kind = "display" if element.get("display") == "block" else "inline"
        tex = escape(" ".join((element.text or "").split()))
        replace(
            element,
            f'<span class="mwe-math-element mwe-math-element-{kind}">'
            f'<span class="mwe-math-mathml-{kind} mwe-math-mathml-a11y" style="display: none;">'
            f'<math alttext="{{\\displaystyle {tex}}}"><semantics><mrow><mtext>{tex}</mtext></mrow>'
            f'<annotation encoding="application/x-tex">{{\\displaystyle {tex}}}</annotation>'
            f'</semantics></math></span><img src="./_assets_/{kind}.svg" aria-hidden="true" '
            f'class="mwe-math-fallback-image-{kind}" alt="{{\\displaystyle {tex}}}"></span>',
        )


def _code(body: etree._Element) -> None:
    for element in body.findall(".//pre[@lang]"):
        language = element.get("lang")
        replace(
            element,
            f'<div class="mw-highlight mw-highlight-lang-{language} mw-content-ltr" dir="ltr">'
            f"<pre><span></span>{inner_html(element)}</pre></div>",
        )


def _infoboxes(body: etree._Element) -> None:
    for table in body.findall(".//table[@class='infobox']"):
        rows = "".join(
            f'<tr><th class="infobox-label" scope="row">{inner_html(row[0])}</th>'
            f'<td class="infobox-data">{inner_html(row[1])}</td></tr>'
            for row in table.findall(".//tr")
        )
        caption = table.findtext("caption") or ""
        replace(
            table,
            '<table class="infobox vcard"><tbody><tr><th class="infobox-above" colspan="2">'
            f"{escape(caption)}</th></tr>{rows}</tbody></table>",
        )


def _footnotes(body: etree._Element) -> None:
    notes: list[str] = []
    for number, element in enumerate(body.findall(".//ref"), start=1):
        notes.append(_note(number, inner_html(element)))
        replace(
            element,
            f'<sup class="reference" id="cite_ref-{number}"><a href="#cite_note-{number}">'
            f'<span class="cite-bracket">[</span>{number}<span class="cite-bracket">]</span></a>'
            "</sup>",
        )
    if notes:
        wrapped = f'<div><ol class="references">{"".join(notes)}</ol></div>'
        body.extend(elements(f"<h2>References</h2>{wrapped}"))


def _note(number: int, html: str) -> str:
    back = f'<span class="mw-cite-backlink"><b><a href="#cite_ref-{number}">^</a></b></span>'
    text = f'<span class="reference-text">{html}</span>'
    return f'<li id="cite_note-{number}">{back} {text}</li>'


def _links(body: etree._Element) -> None:
    for link in body.iterfind(".//a[@href]"):
        href = link.get("href", "")
        if "://" in href:
            link.set("class", "external text")
            link.set("rel", "nofollow")
        elif not href.startswith("#"):
            link.set("title", href.partition("#")[0].replace("_", " "))


def _headings(body: etree._Element) -> None:
    for level in ("2", "3", "4"):
        for element in body.findall(f".//h{level}"):
            text = inner_html(element)
            name = element.get("id") or plain_text(element).replace(" ", "_")
            replace(
                element,
                f'<div class="mw-heading mw-heading{level}"><h{level} id="{escape(name)}">{text}'
                f"</h{level}></div>",
            )
