"""The tables of README.md that the code generates.

``python -m tests.docs.generate`` rewrites them; `test_readme` compares.
"""

import re
from pathlib import Path

from common import errors, settings

README = Path(__file__).parents[2] / "README.md"


def error_table() -> str:
    """Return the codes an agent can see, each with whether trying again may help."""
    lines = ["| error | retryable | comes from |", "|---|---|---|"]
    sources = {error.code: (error.__doc__ or "").splitlines()[0] for error in errors.walk()}
    by_error: dict[str, list[tuple[str, bool]]] = {}
    for code, row in errors.AGENT_ERRORS.items():
        by_error.setdefault(row.error, []).append((code, row.retryable))
    for error, rows in by_error.items():
        retryable = {again for _, again in rows}
        word = {True: "yes", False: "no"}[retryable.pop()] if len(retryable) == 1 else "it says"
        lines.append(f"| `{error}` | {word} | {' '.join(sources[code] for code, _ in rows)} |")
    return "\n".join(lines)


def tables() -> dict[str, str]:
    """Return every generated table by the name of its markers in README.md."""
    return {"errors": error_table(), "settings": settings.markdown_table()}


def rewritten(text: str) -> str:
    """Return README.md with every generated table as it should be."""
    for name, table in tables().items():
        pattern = rf"(?s)(<!-- {name}: generated -->\n).*?(<!-- /{name} -->)"
        block = rf"\g<1>{table}\n\g<2>"
        text, count = re.subn(pattern, block, text)
        assert count == 1, f"README.md: expected one block {name!r}, got {count}"
    return text


if __name__ == "__main__":
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")
