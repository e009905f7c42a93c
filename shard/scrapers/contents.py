"""What goes into an archive, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Entry:
    """What one path of an archive holds.

    Attributes:
        front: Whether it is a page for readers, listed among the titles (not an asset).
    """

    path: str
    title: str
    content: str | bytes
    mimetype: str = "text/html"
    front: bool = True


@dataclass(frozen=True, slots=True)
class Redirect:
    """A second name of an entry: ``path`` leads to ``target``."""

    path: str
    title: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that goes into one archive.

    Attributes:
        entries: In the order in which they are written.
        redirects: Their targets must be among the entries or the other redirects.
        metadata: Besides ``Language``.
        language: ISO 639-3 code, of the metadata and of the full-text index.
        index: Whether to write a full-text index; the title index is written in any case.
        main: Path of the main page; none if empty.
    """

    entries: Sequence[Entry]
    redirects: Sequence[Redirect] = ()
    metadata: Mapping[str, str | bytes] = field(default_factory=dict)
    language: str = "eng"
    index: bool = True
    main: str = ""
