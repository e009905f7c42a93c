"""Threads of Stack Exchange as sotoki packs them: 1.x, 2.x and 3.x.

A question page becomes the sections ``question``, ``accepted-answer`` and ``answer-<id>``, each
with its score; comments stand as a short list below their post. Other pages (lists, tags, users)
can be fetched and are read as any page.
"""

import re
from typing import Final

from lxml.html import HtmlElement

from common.frames import Kind
from shard.adapters.base import Guarded, is_html, title_of
from shard.adapters.generic import Generic
from shard.archive import EntryHead, Page
from shard.document import Document
from shard.html import math
from shard.html.anchors import Ids
from shard.html.code import drop_line_numbers
from shard.html.dom import PARAGRAPH, Marked, Node, classes, contents, visible_text
from shard.html.parse import parse
from shard.html.passes import characters, hidden, images
from shard.html.sections import Metadata, Section

_QUESTION = re.compile(r"(?:A/)?questions?/(\d+)(?:/|\.html|$)")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?\Z")
_NUMBER = re.compile(r"[-−]?\d+")
_SITE_SUFFIX = re.compile(r"\s[-–]\s[^-–]*Stack Exchange\Z")

_BODIES: Final = ("js-post-body", "post-text", "body")


class StackExchange(Guarded):
    """Every site of Stack Exchange."""

    name = "stackexchange"
    kind: Kind = "thread"

    def accepts(self, head: EntryHead) -> bool:
        """Accept question pages only: the index is full of users, tags and lists."""
        return is_html(head.mimetype) and _QUESTION.match(head.path) is not None

    def _read(self, page: Page) -> Document:
        root = parse(page.content)
        marked = Marked(root)
        question = marked.with_id("question")
        if question is None:
            return Generic().parse(page)
        title = _SITE_SUFFIX.sub("", title_of(root, page))
        self._clean(marked)
        sections = _sections(marked, question)
        return Document(page.path, title, sections, page_bytes=len(page.content))

    def _clean(self, marked: Marked) -> None:
        math.mark_formulas(marked)
        hidden.drop_never_shown(marked.root)
        hidden.drop_hidden(marked)
        drop_line_numbers(marked.root)
        images.drop_images(marked.root)
        characters.drop_word_breaks(marked.root)


def _sections(marked: Marked, question: HtmlElement) -> list[Section]:
    sections = [_question(marked, question)]
    sections += [_answer(element) for element in _answers(marked)]
    sections.sort(key=_order)
    linked = _linked(marked)
    sections += [linked] if linked else []
    _make_unique(sections)
    return sections


def _make_unique(sections: list[Section]) -> None:
    """Give each section an id of its own, whatever ids a page repeats."""
    ids = Ids()
    for section in sections:
        section.id = ids.give(section.id)
    for section in sections:
        section.aliases = tuple(ids.give(alias) for alias in section.aliases)


def _order(section: Section) -> tuple[int, int]:
    """Question first, then the accepted answer, then answers by score (stable)."""
    if section.id == "question":
        return (0, 0)
    if section.id == "accepted-answer":
        return (1, 0)
    score = section.metadata.get("score", 0)
    return (2, -score if isinstance(score, int) else 0)


def _question(marked: Marked, element: HtmlElement) -> Section:
    metadata: Metadata = {"score": _score(element)}
    tags = _tags(marked)
    if tags:
        metadata["tags"] = tags
    date = _asked(marked.root)
    if date:
        metadata["date"] = date
    section = Section("question", "Question", 2, metadata)
    section.nodes += _notices(marked)
    section.nodes += _post(element)
    if tags:
        section.nodes += [PARAGRAPH, "Tags: " + ", ".join(tags)]
    section.nodes += _comments(element)
    return section


def _answers(marked: Marked) -> list[HtmlElement]:
    answers = list(marked.with_class("answer"))
    if answers:
        return answers
    holder = marked.with_id("answers")
    if holder is None:
        return []
    return [child for child in holder.iter("div") if re.fullmatch(r"a\d+", child.get("id") or "")]


def _answer(element: HtmlElement) -> Section:
    number = element.get("data-answerid") or "".join(_NUMBER.findall(element.get("id") or "")[:1])
    number = number.lstrip("-")
    accepted = _is_accepted(element)
    score = _score(element)
    metadata: Metadata = {"score": score, "accepted": accepted}
    if number.isascii() and number.isdigit():
        metadata["answer_id"] = int(number)
    title = f"{'Accepted answer' if accepted else 'Answer'} (score {score})"
    name = f"answer-{number}"
    section = Section("accepted-answer" if accepted else name, title, 2, metadata)
    if accepted:
        section.aliases = (name,)
    section.nodes += [*_post(element), *_comments(element)]
    return section


def _is_accepted(element: HtmlElement) -> bool:
    if "accepted-answer" in classes(element) or element.get("itemprop") == "acceptedAnswer":
        return True
    return any("accepted" in classes(child) for child in element.iter("div"))


def _score(element: HtmlElement) -> int:
    value = element.get("data-score")
    if value is None:
        for child in element.iter("div", "span"):
            if {"js-vote-count", "score", "vote-count-post"}.intersection(classes(child)):
                value = child.get("data-value") or visible_text([child])
                break
    match = _NUMBER.search(value or "")
    return int(match.group().replace("−", "-")) if match else 0


def _tags(marked: Marked) -> list[str]:
    tags = [visible_text([link]) for link in marked.with_class("post-tag")]
    if not tags:
        tags = [visible_text([link]) for holder in marked.with_class("tags")
                for link in holder.iter("a")]  # fmt: skip
    return list(dict.fromkeys(tag for tag in tags if tag))


def _asked(root: HtmlElement) -> str:
    for element in root.iter("time"):
        date = element.get("datetime") or ""
        if element.get("itemprop") == "dateCreated" and _ISO_DATE.match(date):
            return date
    return ""


def _post(element: HtmlElement) -> list[Node]:
    for name in _BODIES:
        for child in element.iter("div"):
            if name in classes(child):
                math.mark_raw_formulas(child)
                return [*contents(child)]
    return []


def _comments(element: HtmlElement) -> list[Node]:
    """Return the comments of a post as one list: text, and the score if there is one."""
    holder = element.makeelement("ul", {})
    for comment in element.iter("li", "div"):
        if "comment" in classes(comment):
            item = _comment(comment)
            if item is not None:
                holder.append(item)
    if not len(holder):
        return []
    return [PARAGRAPH, _bold(element, "Comments:"), PARAGRAPH, holder]


def _bold(element: HtmlElement, text: str) -> HtmlElement:
    bold: HtmlElement = element.makeelement("b", {})
    bold.text = text
    return bold


def _comment(comment: HtmlElement) -> HtmlElement | None:
    texts = [child for child in comment.iter("span", "div")
             if {"comment-copy", "text"}.intersection(classes(child))]  # fmt: skip
    if not texts or not visible_text([texts[0]]):
        return None
    item: HtmlElement = comment.makeelement("li", {})
    copy = texts[0]
    math.mark_raw_formulas(copy)
    item.text = copy.text
    for child in list(copy):
        item.append(child)
    score = _comment_score(comment)
    if score:
        mark = comment.makeelement("span", {})
        mark.text = f" ({score})"
        item.append(mark)
    return item


def _comment_score(comment: HtmlElement) -> int:
    value = comment.get("data-comment-score")
    if value is None:
        scores = [child for child in comment.iter("span") if "score" in classes(child)]
        value = visible_text([scores[0]]) if scores else ""
    match = _NUMBER.search(value)
    return int(match.group().replace("−", "-")) if match else 0


def _notices(marked: Marked) -> list[Node]:
    """Return why a question was closed, as one paragraph."""
    found: list[Node] = []
    for element in marked.with_class(
        "s-notice", "closed-banner", "question-status", "js-post-notice"
    ):
        text = visible_text([element])
        if text:
            found += [f"{text}", PARAGRAPH]
    return found


def _linked(marked: Marked) -> Section | None:
    """Return the linked questions as a last section, if there are any."""
    holders = marked.with_class("sidebar-linked", "linked", "sidebar-related")
    titles = dict.fromkeys(
        visible_text([link])
        for holder in holders
        for link in holder.iter("a")
        if "question-hyperlink" in classes(link)
    )
    items = marked.root.makeelement("ul", {})
    for title in filter(None, titles):
        item = items.makeelement("li", {})
        item.text = title
        items.append(item)
    return Section("linked", "Linked questions", 2, nodes=[items]) if len(items) else None
