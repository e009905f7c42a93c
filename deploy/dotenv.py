"""The file ``.env``, which Docker Compose reads in the folder that it is called in.

Pure functions on its text. It is the operator's: what we write stands in a block between two
comments, and a line of their own outside of it wins over ours.
"""

import re
from collections.abc import Mapping

_BEGIN = "# corpus-mcp: written by `make start`"
_END = "# corpus-mcp: end"

_LINE = re.compile(r"\s*(?:export\s+)?(?P<name>\w+)\s*=(?P<value>.*)")
_BLOCK = re.compile(rf"^{re.escape(_BEGIN)}\n.*?^{re.escape(_END)}\n?", re.DOTALL | re.MULTILINE)


def own(text: str) -> dict[str, str]:
    """Return what the operator's own lines set, without quotes around values."""
    return _read(_BLOCK.sub("", text))


def ours(text: str) -> dict[str, str]:
    """Return what our block sets; nothing if there is none."""
    block = _BLOCK.search(text)
    return _read(block[0]) if block else {}


def written(text: str, values: Mapping[str, str]) -> str:
    """Return ``text`` with our block at its end, instead of the one that it may have had.

    Names that the operator's own lines set are left out of it.
    """
    rest = _BLOCK.sub("", text)
    if rest and not rest.endswith("\n"):
        rest += "\n"
    theirs = own(rest)
    lines = [f"{name}={_quoted(values[name])}\n" for name in values if name not in theirs]
    return rest + "".join([f"{_BEGIN}\n", *lines, f"{_END}\n"])


def _read(text: str) -> dict[str, str]:
    lines = (_LINE.fullmatch(line) for line in text.splitlines())
    return {line["name"]: _bare(line["value"].strip()) for line in lines if line}


def _bare(value: str) -> str:
    if len(value) > 1 and value[0] in "'\"" and value[0] in value[1:]:
        return value[1 : value.index(value[0], 1)]
    return re.split(r"\s#", value, maxsplit=1)[0].strip()


def _quoted(value: str) -> str:
    # Between single quotes everything is taken as it stands.
    return value if re.fullmatch(r"[\w./:@-]*", value) else f"'{value}'"
