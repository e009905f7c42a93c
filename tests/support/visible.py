"""The words a page shows, counted on the raw page and without the shard's passes.

This is the second opinion on what a document keeps: its own walk over the tree, its own list of
what is no content, each entry with the reason. Words are runs of letters or of digits, so that
``H2O`` and ``H_2O``, ``foo_bar`` and ``foo\\_bar`` count alike.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml import etree, html

from shard.document import Document
from tests.support.markdown import rendered


class Drop(NamedTuple):
    """What may be missing in the Markdown: a selector (or an XPath), and why."""

    selector: str
    reason: str


EVERYWHERE = (
    Drop("head", "metadata of the page; the title is part of the answer"),
    Drop("script", "code of the page"),
    Drop("style", "style of the page"),
    Drop("template", "never shown"),
    Drop("noscript", "shown without scripts only"),
    Drop("svg", "image"),
    Drop("button", "control"),
    Drop("input", "control"),
    Drop("select", "control"),
    Drop("textarea", "control"),
    Drop("video", "media"),
    Drop("audio", "media"),
    Drop("object", "media"),
    Drop("iframe", "another page"),
    Drop("[style~=display:none]", "hidden"),
    Drop("[hidden]", "hidden"),
)

BY_ADAPTER = {
    "mediawiki": (
        Drop(".thumbinner::text", "file name of a missing image"),
        Drop("[id^=annotation_]", "label on a missing image"),
        Drop(".geo-nondefault", "the same coordinates in another notation"),
        Drop(".geo-multi-punct", "the same coordinates in another notation"),
        Drop("span.subpages", "link to the page above"),
        Drop(".gallerybox div.thumb", "file name of a missing image"),
        Drop(".sortkey", "hidden key that sorts a column"),
        Drop(".noprint", "control that MediaWiki itself leaves out of print"),
        Drop(".mw-editsection", "edit link"),
        Drop("sup.reference", "footnote mark"),
        Drop(".mw-ref", "footnote mark"),
        Drop("[id^=cite_ref]", "footnote mark"),
        Drop("sup.noprint", "mark of an editor: citation needed"),
        Drop("sup.Inline-Template", "mark of an editor: citation needed"),
        Drop("sup.Template-Fact", "mark of an editor: citation needed"),
        Drop("div.reflist", "reference list"),
        Drop("ol.references", "reference list"),
        Drop("ul.references", "reference list"),
        Drop("div.references", "reference list"),
        Drop("ol.mw-references", "reference list"),
        Drop(".mw-ext-cite-error", "error message of MediaWiki"),
        Drop("div.mw-references", "reference list"),
        Drop("table.navbox", "navigation between articles"),
        Drop("div.navbox", "navigation between articles"),
        Drop("table.vertical-navbox", "navigation between articles"),
        Drop("table.sidebar", "navigation between articles"),
        Drop("div.toc", "contents list; the sections are listed in the answer"),
        Drop("#toc", "contents list; the sections are listed in the answer"),
        Drop("table.ambox", "banner for editors"),
        Drop("div.ambox", "banner for editors"),
        Drop("table.metadata", "banner for editors"),
        Drop("div.metadata", "banner for editors"),
        Drop("table.mbox-small", "link to a sister project"),
        Drop("div.portal", "link to a portal"),
        Drop("h1.firstHeading", "title, part of the answer"),
        Drop("#mw-navigation", "navigation of the site, in a page saved by a browser"),
        Drop("#footer", "footer of the site, in a page saved by a browser"),
        Drop("#siteNotice", "notice of the site, in a page saved by a browser"),
        Drop("div.printfooter", "address of the page, shown in print"),
        Drop("#catlinks", "categories"),
        Drop("#siteSub", "name of the site"),
        Drop("#contentSub", "name of the site"),
        Drop("#jump-to-nav", "navigation within the page"),
        Drop("a.mw-jump-link", "navigation within the page"),
        Drop("div.zim-footer", "notice of the archive"),
        Drop("div[style~=clear:both]", "notice of the archive, styled inline until 2019"),
        Drop("div.magnify", "control"),
        Drop("span.mw-cite-backlink", "link back from a footnote"),
    ),
    "devdocs": (
        Drop("devdocs-navbar", "navigation"),
        Drop("section._sidebar", "navigation"),
        Drop("div._attribution", "licence; the source stays as a link"),
        Drop("div.t-navbar", "navigation"),
        Drop("table.t-nv-begin", "navigation"),
        Drop(
            "//*[self::ul or self::ol][not(preceding::h2)][.//a[starts-with(@href, '#')]]"
            "[not(.//a[not(starts-with(@href, '#'))])]"
            "[not(.//text()[normalize-space()][not(ancestor::a)])]",
            "contents list; the sections are listed in the answer",
        ),
        Drop("a.headerlink", "link of a heading to itself"),
    ),
    "stackexchange": (
        Drop("header", "navigation of the site"),
        Drop("footer", "navigation of the site"),
        Drop("nav", "navigation of the site"),
        Drop("#left-sidebar", "navigation of the site"),
        Drop("#question-header", "title, part of the answer"),
        Drop("div.grid--cell", "when asked, when active, how often viewed; the date is metadata"),
        Drop("#answers-header", "number of answers"),
        Drop("div.votecell", "vote buttons; the score is metadata"),
        Drop("div.post-signature", "user card"),
        Drop("a.comment-user", "name of a user"),
        Drop("span.comment-date", "date of a comment"),
        Drop("span.comment-score", "score; written after the comment"),
        Drop("div.comment-score", "score; written after the comment"),
    ),
    "generic": (
        Drop("nav", "navigation of the site"),
        Drop("[role=navigation]", "navigation of the site"),
        Drop("[role=banner]", "header of the site"),
        Drop("[role=contentinfo]", "footer of the site"),
    ),
}

_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd",
    "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "menu", "nav",
    "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead",
    "tr", "ul", "sup", "sub", "rt", "rp",
})  # fmt: skip
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF, *range(0x202A, 0x202F)])
_SIMPLE = re.compile(r"([.#])([\w-]+)|\[([\w-]+)(?:([~^]?)=([^\]]+))?\]|^(\w[\w-]*)")
_MARKUP = re.compile(r"[*`~\\]")
_LINK = re.compile(r"\]\((?:https?|ftp|mailto):[^\s)]*(?:\([^\s)]*\)[^\s)]*)*\)")
_STYLES = re.compile(r"\\(?:displaystyle|textstyle)\b")
_LONG = 12
"""Characters of a text that hardly occurs twice by chance."""

_WORD = re.compile(r"[^\W\d_]+|\d+")


def words_in(text: str) -> Counter[str]:
    """Count the words of a text, marks of Markdown taken away."""
    text = _MARKUP.sub("", text.translate(_INVISIBLE))
    return Counter(_WORD.findall(text.casefold()))


class Shown(NamedTuple):
    """The words a page shows, and how many each reason took away."""

    words: Counter[str]
    dropped: Counter[str]


def shown(content: bytes, adapter: str) -> Shown:
    """Count the words of a raw page after the declared drops."""
    root = _tree(content)
    _leave_tex(root)
    dropped: Counter[str] = Counter()
    for selector, reason in (*EVERYWHERE, *BY_ADAPTER[adapter]):
        simple, _, only_text = selector.partition("::text")
        for element in root.xpath(xpath(simple)):
            if only_text:
                dropped[reason] += words_in(element.text or "").total()
                element.text = None
            elif element.getparent() is not None:
                dropped[reason] += words_in(_text(element)).total()
                element.drop_tree()
    return Shown(words_in(_text(root)), dropped)


def _tree(content: bytes) -> html.HtmlElement:
    try:
        return html.document_fromstring(content, parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError):
        return html.document_fromstring("<html></html>")


def _leave_tex(root: html.HtmlElement) -> None:
    """Leave of each formula the TeX that the page has of it, since that is what a reader gets."""
    for element in root.xpath("//math[.//annotation]"):
        tex = element.xpath("string(.//annotation)")
        tail = element.tail
        element.clear()
        element.text, element.tail = f" {_STYLES.sub(' ', tex)} ", tail
        element.tag = "span"
        _show(element)
    for element in root.xpath(xpath(".texerror")):
        element.text = element.text_content().rpartition("):")[2]


def _show(element: html.HtmlElement) -> None:
    """Take away that MathML is hidden behind an image."""
    parent = element.getparent()
    if parent is not None and "mwe-math-mathml" in (parent.get("class") or ""):
        parent.attrib.pop("style", None)


def hidden_texts(content: bytes) -> set[str]:
    """Return what a page says in hidden elements only: texts of some length, words apart."""
    root = _tree(content)
    hidden = {
        " ".join(_text(element).split())
        for element in root.xpath(xpath("[style~=display:none]"))
        if not element.xpath(".//math")
    }
    for element in root.xpath(xpath("[style~=display:none]")):
        if element.getparent() is not None:
            element.drop_tree()
    seen = " ".join(_text(root).split())
    return {text for text in hidden if len(text) >= _LONG and text not in seen}


def xpath(selector: str) -> str:
    """Return the XPath of a selector of tags, ``.class``, ``#id``, ``[name=value]`` and spaces.

    ``^=`` asks for a beginning, ``~=`` for a part without regard to spaces.
    """
    if selector.startswith("//"):
        return selector
    return "".join(f"//{_step(compound)}" for compound in selector.split())


def _step(compound: str) -> str:
    tag, conditions = "*", ""
    for kind, name, attribute, how, value, own in _SIMPLE.findall(compound):
        tag = own or tag
        if kind == ".":
            conditions += f"[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]"
        elif kind == "#":
            conditions += f"[@id='{name}']"
        elif attribute:
            conditions += _FORMS[how if value else "?"].format(attribute, value)
    return tag + conditions


_FORMS = {
    "": "[@{}='{}']",
    "^": "[starts-with(@{}, '{}')]",
    "~": "[contains(translate(@{}, ' ', ''), '{}')]",
    "?": "[@{}]",
}


def _text(root: html.HtmlElement) -> str:
    return "".join(_pieces(root))


def _pieces(root: html.HtmlElement) -> Iterator[str]:
    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        if event == "comment":
            yield element.tail or ""
            continue
        if element.tag in _BLOCKS:
            yield " "
        if event == "start":
            yield element.text or ""
        elif element is not root:
            yield element.tail or ""


def answer(document: Document) -> str:
    """Return what an agent gets: the title, each section, the titles of empty ones."""
    sections = rendered(document).sections
    given = {part.id for part in sections}
    titles: Iterable[str] = (s.title for s in document.sections if s.id not in given)
    return "\n\n".join([document.title, *titles, *(part.content for part in sections)])


def answered(document: Document) -> Counter[str]:
    """Count the words of what an agent gets."""
    return words_of_markdown(answer(document))


def words_of_markdown(text: str) -> Counter[str]:
    """Count the words of a Markdown text, without the targets of its links."""
    return words_in(_LINK.sub("]", text).replace("^", " "))


def share_kept(words: Counter[str], found: Counter[str]) -> float:
    """Return the share of ``words`` (each as often as it occurs) that is in ``found``."""
    total = words.total()
    return (words & found).total() / total if total else 1.0
