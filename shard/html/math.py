"""Formulas: each once, as ``$…$`` or ``$$…$$``, whatever the page shows it with.

`mark_formulas` replaces every formula of a tree by an element `TAG` that holds its TeX; the
renderers write that down and nobody else looks at MathML. What has no TeX (bare MathML) is
written as TeX as far as a reader needs it.
"""

import re
from typing import Final

from lxml.html import HtmlElement

from shard.html.dom import Marked, classes, drop, replace, tag_of

TAG: Final = "corpus-formula"

_DISPLAY: Final = "display"
_TEX_TYPES: Final = ("application/x-tex", "text/tex", "latex", "tex", "application/x-latex")
_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle|scriptstyle)\b\s*(.*)\}\Z", re.DOTALL)
_STYLE_PREFIX = re.compile(r"\\(?:displaystyle|textstyle)\b\s*")
_SPACES = re.compile(r"\s+")

_WRAPPERS: Final = ("mwe-math-element", "katex-display", "katex", "MathJax_Display", "MathJax",
                    "mjx-container", "mjx-chtml")  # fmt: skip
_IMAGES: Final = ("mwe-math-fallback-image-inline", "mwe-math-fallback-image-display", "tex",
                  "latex", "math", "mathimage", "mwe-math-fallback-png-inline",
                  "mwe-math-fallback-png-display")  # fmt: skip
_PREVIEWS: Final = ("MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG",
                    "MathJax_CHTML", "MathJax_SVG_Display")  # fmt: skip

_RAW = re.compile(
    r"\\\((?P<inline>.+?)\\\)|\\\[(?P<display>.+?)\\\]"
    r"|(?<![\\$])\$\$(?P<dollars>[^$]+?)\$\$"
    r"|(?<![\\$\w])\$(?=[^\s$])(?P<dollar>[^$\n]{0,1000}?)(?<=[^\s\\])\$(?![\d$\w])",
    re.DOTALL,
)
_FAILED = re.compile(r"Failed to parse \((?:[^()]|\([^()]*\))*\):(.+)", re.DOTALL)
"""MediaWiki shows this, then the TeX, where its renderer could not be reached."""

_LITERAL: Final = frozenset({"code", "pre", "kbd", "samp", "tt", "script", "style", "xmp", TAG})


def markdown(element: HtmlElement) -> str:
    """Return the formula as it stands in Markdown."""
    tex = element.text or ""
    return f"$${tex}$$" if element.get(_DISPLAY) else f"${tex}$"


def is_display(element: HtmlElement) -> bool:
    """Tell whether the formula stands on a line of its own."""
    return element.get(_DISPLAY) is not None


def mark_formulas(marked: Marked) -> None:
    """Replace each formula of the tree by one `TAG` element with its TeX.

    Case: MediaWiki shows hidden MathML and an image, KaTeX MathML and styled spans, MathJax a
    preview and a script; a text renderer that takes all of them writes the formula three times.
    """
    for element in marked.with_class(*_WRAPPERS):
        _replace_wrapper(element)
    root = marked.root
    for element in list(root.iter("math", "{http://www.w3.org/1998/Math/MathML}math")):
        _replace_by(element, _tex_of_math(element), display=element.get("display") == "block")
    for element in list(root.iter("script")):
        if (element.get("type") or "").startswith("math/tex"):
            _drop_previews(element)
            _replace_by(
                element, element.text or "", display="display" in (element.get("type") or "")
            )
    for element in marked.with_class("texerror"):
        match = _FAILED.match("".join(element.itertext()))
        if match:
            _replace_by(element, match.group(1), display=False)
    for element in marked.with_class(*_IMAGES):
        if element.tag == "img" and element.getparent() is not None:
            display = any("display" in name for name in classes(element))
            _replace_by(element, element.get("alt") or "", display=display)


def _replace_wrapper(element: HtmlElement) -> None:
    if element.getparent() is None:
        return
    inner = next((child for child in element.iter() if _local(child) == "math"), None)
    image = next((child for child in element.iter("img") if child.get("alt")), None)
    tex = _tex_of_math(inner) if inner is not None else ""
    if not tex and image is not None:
        tex = image.get("alt") or ""
    if not tex and inner is None:
        return
    display = (inner is not None and inner.get("display") == "block") or any(
        "display" in name.lower() or name.endswith("-block") for name in classes(element)
    )
    _replace_by(element, tex, display=display)


def _replace_by(element: HtmlElement, tex: str, *, display: bool) -> None:
    parent = element.getparent()
    if parent is None:
        return
    tex = bare_tex(tex)
    if not tex:
        drop(element)
        return
    formula: HtmlElement = parent.makeelement(TAG, {_DISPLAY: "1"} if display else {})
    formula.text = tex
    replace(element, formula)


def _drop_previews(script: HtmlElement) -> None:
    before = script.getprevious()
    while before is not None and set(classes(before)).intersection(_PREVIEWS):
        if before.tail and before.tail.strip():
            return
        earlier = before.getprevious()
        drop(before)
        before = earlier


def bare_tex(tex: str) -> str:
    """Return TeX without delimiters and without the style wrapper that MediaWiki adds."""
    tex = _SPACES.sub(" ", tex).strip()
    for begin, end in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
        if len(tex) > len(begin) + len(end) and tex.startswith(begin) and tex.endswith(end):
            tex = tex[len(begin) : -len(end)].strip()
            break
    match = _STYLE.match(tex)
    if match and _balanced(match.group(1)):
        tex = match.group(1).strip()
    return _STYLE_PREFIX.sub("", tex).strip()


def _balanced(tex: str) -> bool:
    depth = 0
    for char in tex:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def _tex_of_math(element: HtmlElement) -> str:
    for annotation in element.iter():
        if _local(annotation) == "annotation" and _is_tex(annotation.get("encoding")):
            return annotation.text or ""
    return element.get("alttext") or _linear(element)


def _is_tex(encoding: str | None) -> bool:
    return (encoding or "").lower() in _TEX_TYPES


def _local(element: HtmlElement) -> str:
    tag = tag_of(element)
    return tag.rpartition("}")[2] if "}" in tag else tag.rpartition(":")[2]


_MAX_LINEAR = 4000
"""Nodes of a MathML tree that are worth writing down."""


def _linear(element: HtmlElement) -> str:
    """Return MathML without TeX as simple TeX, children first."""
    done: dict[HtmlElement, str] = {}
    nodes = [node for node in element.iter() if isinstance(node.tag, str)]
    if len(nodes) > _MAX_LINEAR:
        return " ".join("".join(element.itertext()).split())
    for node in reversed(nodes):
        done[node] = _linear_node(node, [done.get(child, "") for child in node])
    return done.get(element, "")


def _linear_node(node: HtmlElement, parts: list[str]) -> str:
    kind = _local(node)
    text = " ".join((node.text or "").split())
    if kind in {"annotation", "annotation-xml", "mspace", "mphantom"}:
        return ""
    if kind in _TWO and len(parts) == 2:
        return _TWO[kind].format(*parts)
    if kind in {"msubsup", "munderover"} and len(parts) == 3:
        return "{}_{{{}}}^{{{}}}".format(*parts)
    if kind == "msqrt":
        return f"\\sqrt{{{''.join(parts)}}}"
    if kind in {"mtd", "mtr"}:
        return " ".join(parts) + (" & " if kind == "mtd" else " \\\\ ")
    return text + "".join(parts)


_TWO: Final = {
    "mfrac": "\\frac{{{}}}{{{}}}",
    "msup": "{}^{{{}}}",
    "msub": "{}_{{{}}}",
    "mover": "{}^{{{}}}",
    "munder": "{}_{{{}}}",
    "mroot": "\\sqrt[{1}]{{{0}}}",
}


def mark_raw_formulas(root: HtmlElement) -> None:
    r"""Replace ``\(…\)``, ``\[…\]``, ``$…$`` and ``$$…$$`` in text by `TAG` elements.

    Where the page leaves them to MathJax. A dollar that is money stays: an opening one is
    followed, a closing one preceded by something that is no space, and no letter or digit touches
    them outside.
    """
    for element in list(root.iter("*")):
        if element.tag in _LITERAL or _is_in_literal(element, root):
            continue
        if element.text and _may_hold(element.text):
            _split_text(element, element, at_start=True)
        for child in list(element):
            if child.tail and _may_hold(child.tail):
                _split_text(element, child, at_start=False)


def mark_left_formulas(marked: Marked) -> None:
    """Replace raw formulas where a page says that it has them: by MathJax or a class."""
    if any("mathjax" in (s.get("src") or "").lower() for s in marked.root.iter("script")):
        mark_raw_formulas(marked.root)
        return
    for element in marked.with_class("math", "tex2jax_process", "math-inline", "math-display"):
        mark_raw_formulas(element)


def _may_hold(text: str) -> bool:
    return ("$" in text and text.count("$") > 1) or "\\(" in text or "\\[" in text


def _is_in_literal(element: HtmlElement, root: HtmlElement) -> bool:
    for ancestor in element.iterancestors():
        if ancestor is root:
            return False
        if ancestor.tag in _LITERAL:
            return True
    return False


def _split_text(parent: HtmlElement, holder: HtmlElement, *, at_start: bool) -> None:
    text = (holder.text if at_start else holder.tail) or ""
    matches = list(_RAW.finditer(text))
    if not matches:
        return
    place = 0 if at_start else parent.index(holder) + 1
    first = text[: matches[0].start()]
    if at_start:
        holder.text = first
    else:
        holder.tail = first
    for number, match in enumerate(matches):
        following = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        formula = _raw_formula(parent, match)
        formula.tail = text[match.end() : following]
        parent.insert(place + number, formula)


def _raw_formula(parent: HtmlElement, match: re.Match[str]) -> HtmlElement:
    kind = match.lastgroup or "inline"
    display = kind in {"display", "dollars"}
    formula: HtmlElement = parent.makeelement(TAG, {_DISPLAY: "1"} if display else {})
    formula.text = " ".join((match.group(kind) or "").split())
    return formula
