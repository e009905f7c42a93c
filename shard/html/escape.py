"""Escaping of text that Markdown would read as markup, and of nothing else."""

import re

_SUSPECT = re.compile(r"[\\`*_\[\]<&~$!]")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_STARS = re.compile(r"\*+")
_UNDERSCORES = re.compile(r"_+")
_TILDES = re.compile(r"~{2,}")
_TAG_OPEN = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)")
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")

_LINE_START = re.compile(
    r"(?m)^(?: {0,3})(?:"
    r"(?P<hash>#)(?=#{0,5}(?:[ \t]|$))"
    r"|(?P<number>\d{1,9})(?=[.)](?:[ \t]|$))"
    r"|(?P<bullet>[-+*])(?=[ \t]|$)"
    r"|(?P<rule>[-=_])(?=[-=_ \t]*$)"
    r"|(?P<quote>>)"
    r"|(?P<fence>~~~)"
    r"|(?P<definition>\[)(?=[^\[\]]+\]:)"
    r")"
)


def escape(text: str, before: str, after: str, *, in_link: bool, with_math: bool) -> str:
    """Return ``text`` so that Markdown shows it as it is, wherever in a line it stands.

    ``before`` and ``after`` are the characters around it, since ``_`` and ``*`` are markup only
    at the edge of a word. ``with_math`` says that the same paragraph has formulas, among which a
    plain ``$`` would be misread.
    """
    if not _SUSPECT.search(text):
        return text
    text = _BACKSLASH.sub(r"\\\\", text)
    text = text.replace("`", "\\`")
    text = _escape_runs(_STARS, text, before, after, inside_words=True)
    text = _escape_runs(_UNDERSCORES, text, before, after, inside_words=False)
    text = _TILDES.sub(lambda match: "\\~" * len(match.group()), text)
    text = _TAG_OPEN.sub(r"\\<", text)
    text = _ENTITY.sub(r"\\&", text)
    text = text.replace("$", "\\$") if with_math else text
    if in_link:
        return text.replace("[", "\\[").replace("]", "\\]")
    return _LINK.sub(r"\\[", text)


def _escape_runs(
    pattern: re.Pattern[str], text: str, before: str, after: str, *, inside_words: bool
) -> str:
    """Escape runs of a delimiter that could open or close emphasis."""
    if not pattern.search(text):
        return text

    def escaped(match: re.Match[str]) -> str:
        left = text[match.start() - 1] if match.start() else before
        right = text[match.end()] if match.end() < len(text) else after
        alone = (not left or left.isspace()) and (not right or right.isspace())
        word = left.isalnum() and right.isalnum()
        if alone or (word and not inside_words):
            return match.group()
        return "".join("\\" + char for char in match.group())

    return pattern.sub(escaped, text)


def escape_line_starts(text: str) -> str:
    """Escape what makes a line a heading, a list item, a quote, a rule or a fence."""
    return _LINE_START.sub(_escaped_start, text)


def _escaped_start(match: re.Match[str]) -> str:
    whole = match.group()
    if match.group("number"):
        return whole + "\\"
    kind = match.lastgroup
    mark = match.group(kind) if kind else ""
    return whole[: len(whole) - len(mark)] + "\\" + mark
