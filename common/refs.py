"""References: ``corpus://<library>/<path>``, opaque to the agent, byte for byte the same both ways.

Both parts are percent-encoded UTF-8; ``/`` stays in the path. The path is exactly libzim's entry
path (``A/…`` in archives of the old namespace scheme). No snapshot stands in it, so that a ref
survives a newer edition.
"""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from common.errors import InvalidRef

SCHEME = "corpus://"

MAX_REF_CHARS = 8192
"""Longer ones are refused unread: ZIM paths are far shorter, also when every byte is encoded."""

_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Ref(NamedTuple):
    """A document of a library."""

    library: str
    path: str

    def __str__(self) -> str:
        return format_ref(self.library, self.path)


def format_ref(library: str, path: str) -> str:
    """Return the reference of an entry; `parse_ref` gives exactly these two back."""
    return f"{SCHEME}{quote(library, safe='')}/{quote(path, safe='/')}"


def parse_ref(text: str) -> Ref:
    """Return the library and the path that a reference names.

    Any percent-spelling of the same bytes is accepted, and so are characters that need not have
    been left unencoded (a space, Cyrillic letters).

    Raises:
        InvalidRef: Another scheme, no path part, a broken percent-encoding, or not UTF-8.
    """
    if len(text) > MAX_REF_CHARS:
        raise InvalidRef(f"invalid reference: longer than {MAX_REF_CHARS} characters")
    if not text.startswith(SCHEME):
        raise InvalidRef(
            f"invalid reference: expected {SCHEME}<library>/<path> as search returned it, "
            f"got {_shortened(text)!r}"
        )
    library, slash, path = text[len(SCHEME) :].partition("/")
    if not slash or not library:
        raise InvalidRef(
            f"invalid reference: expected a library and a path after {SCHEME}, "
            f"got {_shortened(text)!r}"
        )
    return Ref(_decoded(library, text), _decoded(path, text))


def _decoded(part: str, whole: str) -> str:
    if _BROKEN_PERCENT.search(part):
        raise InvalidRef(f"invalid reference: broken percent-encoding in {_shortened(whole)!r}")
    try:
        return unquote_to_bytes(part).decode("utf-8")
    except UnicodeError:
        raise InvalidRef(f"invalid reference: {_shortened(whole)!r} is not UTF-8") from None


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
