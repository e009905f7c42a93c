"""Code: fences with their language, and code spans."""

import re
from typing import Final

from lxml.html import HtmlElement

from shard.html.dom import classes, contents, drop

_RUN = re.compile(r"`+")
_FENCE_RUN = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)

_PREFIXES: Final = ("language-", "lang-", "mw-highlight-lang-", "highlight-source-", "highlight-")
_ATTRIBUTES: Final = ("data-language", "data-lang", "data-lexer", "lang-name")
_NO_LANGUAGE: Final = frozenset(
    {"", "none", "default", "text", "plain", "plaintext", "txt", "nohighlight", "auto", "code"}
)
_NAMES: Final = {"python3": "python", "py": "python", "ipython3": "python", "c++": "cpp",
                 "pycon3": "pycon", "sh": "shell", "js": "javascript"}  # fmt: skip
_LANGUAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#.-]{0,30}\Z")
_HIGHLIGHTERS_PARENTS = 6
"""How far up a highlighter puts the language: div > table > tbody > tr > td > pre."""

LINE_NUMBERS: Final = frozenset(
    {"lineno", "linenos", "linenodiv", "line-number", "line-numbers", "lineos", "ln"}
)


def code_span(text: str) -> str:
    """Return ``text`` (one line) as a code span, with more backticks than it has in a row."""
    longest = max((len(run) for run in _RUN.findall(text)), default=0)
    if longest == 0:
        return f"`{text}`"
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence(element: HtmlElement) -> str:
    """Return a ``pre`` as a fenced block, empty if there is no code in it."""
    text = code_text(element)
    if not text.strip():
        return ""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language(element)}\n{text}\n{ticks}"


def code_text(element: HtmlElement) -> str:
    """Return the text of a ``pre`` with its white space, without line numbers."""
    pieces: list[str] = []
    todo: list[HtmlElement | str] = [element]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif node.tag == "br":
            pieces.append("\n")
        elif node is element or not LINE_NUMBERS.intersection(classes(node)):
            todo.extend(list(contents(node))[::-1])
    return _trimmed("".join(pieces))


def _trimmed(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    text = text.replace("\u200b", "").replace("\ufeff", "")
    first, last = 0, len(lines := text.split("\n"))
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return "\n".join(lines[first:last])


def language(element: HtmlElement) -> str:
    """Return the language of a ``pre`` as its highlighter names it, or an empty string."""
    candidates = [element, *element.iter("code")]
    parent = element.getparent()
    for _ in range(_HIGHLIGHTERS_PARENTS):
        if parent is None or parent.tag not in {"div", "figure", "td", "tr", "tbody", "table"}:
            break
        candidates.append(parent)
        parent = parent.getparent()
    for candidate in candidates:
        name = _own_language(candidate)
        if name:
            return name
    return ""


def _own_language(element: HtmlElement) -> str:
    for attribute in _ATTRIBUTES:
        name = _known(element.get(attribute, ""))
        if name:
            return name
    names = classes(element)
    for place, name in enumerate(names):
        found = _from_class(name, names[place + 1] if place + 1 < len(names) else "")
        if found:
            return found
    return _after_source_code(names)


def _from_class(name: str, following: str) -> str:
    if name == "brush:":
        return _known(following.rstrip(";"))
    if name.startswith("brush:"):
        return _known(name[6:].rstrip(";"))
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return _known(name[len(prefix) :])
    return ""


def _after_source_code(names: list[str]) -> str:
    """Pandoc writes ``sourceCode python``, highlight.js ``hljs python``."""
    if len(names) >= 2 and names[0] in {"sourceCode", "hljs", "prettyprint", "code"}:
        return _known(names[1])
    return ""


def _known(name: str) -> str:
    name = name.strip().lower()
    if name in _NO_LANGUAGE or not _LANGUAGE.match(name):
        return ""
    return _NAMES.get(name, name)


def drop_line_numbers(root: HtmlElement) -> None:
    """Take the column of line numbers out of highlighted listings."""
    for cell in list(root.iter("td")):
        if LINE_NUMBERS.intersection(classes(cell)):
            drop(cell)
