"""Every message between a gateway and a shard, in words.

A message is two ZeroMQ parts: the protocol tag (`PROTOCOL_TAG`, so that a reader knows the version
before it decodes anything) and one msgpack map, whose ``type`` names the struct. `common.codec`
turns structs into parts and back.

A gateway asks, a shard answers each request exactly once with the same ``request_id``: with the
reply that belongs to the request, or with an `ErrorReply`. A request that outlived its budget may
get no answer: its asker has gone.

* ``describe``: who are you? Asked after every connect. Carries no archive, since it asks for it.
* ``query`` (scatter 1): a ranked OR over the full-text index, plus what the titles say.
* ``spell`` (only when no library, or strangely few documents, have a word): what it may have been.
* ``preview`` (scatter 2, the fetch phase of query-then-fetch): snippet, section hints and passage
  evidence of the best candidates.
* ``document``: one document, whole or by sections.

``budget`` is the number of seconds left when the request was sent; clocks are never compared
between processes. Every request but ``describe`` carries library and archive UUID: whoever
serves something else at that address answers ``wrong_archive``.
"""

from typing import Literal

import msgspec

PROTOCOL_VERSION = 1
"""Raised by any change that an older reader would misread."""

PROTOCOL_TAG = b"corpus/%d" % PROTOCOL_VERSION
"""First part of every message."""

Kind = Literal["article", "documentation", "thread", "page"]
"""What a document is, told by the adapter (mediawiki, devdocs, stackexchange, anything else)."""

IndexKind = Literal["xapian", "libzim", "titles"]
"""What a shard searches with: the embedded database, libzim's search, or titles alone."""


class Frame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """Base of every message; ``request_id`` is unique per connection."""

    request_id: int


# Requests


class DescribeRequest(Frame, frozen=True, kw_only=True, tag="describe"):
    """Ask a replica what it is."""

    library: str


class QueryRequest(Frame, frozen=True, kw_only=True, tag="query"):
    """Ask for the best ``limit`` light hits.

    Attributes:
        text: The whole query, normalised (NFKC), for look-ups among titles.
        words: Its distinct words, casefolded, in query order; at most 32 of 64 characters.
    """

    library: str
    archive: str
    budget: float
    text: str
    words: list[str]
    limit: int


class SpellRequest(Frame, frozen=True, kw_only=True, tag="spell"):
    """Ask which words these may have been, if they are misspelt.

    Attributes:
        words: Suspicious words of a query, casefolded; at most 4 of them are looked at.
        beside: The other words of the query, to tell which corrections go together with them.
    """

    library: str
    archive: str
    budget: float
    words: list[str]
    beside: list[str]


class PreviewRequest(Frame, frozen=True, kw_only=True, tag="preview"):
    """Ask for snippet, section hints and passage evidence of these documents.

    Attributes:
        paths: Entry paths as a `QueryReply` gave them.
        words: As in the query.
        weights: The global inverse document frequency of each word, aligned with ``words``.
        text: As in the query, for the names of symbols; a gateway may leave it out.
    """

    library: str
    archive: str
    budget: float
    paths: list[str]
    words: list[str]
    weights: list[float]
    text: str = ""


class DocumentRequest(Frame, frozen=True, kw_only=True, tag="document"):
    """Ask for one document.

    Attributes:
        sections: Section ids; empty means the whole document.
        max_chars: Budget of the rendered content, in characters.
    """

    library: str
    archive: str
    budget: float
    path: str
    sections: list[str]
    max_chars: int


Request = DescribeRequest | QueryRequest | SpellRequest | PreviewRequest | DocumentRequest


# Replies


class DescribeReply(Frame, frozen=True, kw_only=True, tag="described"):
    """What a replica is.

    Attributes:
        protocol: Its `PROTOCOL_VERSION`.
        archive: UUID of the archive.
        snapshot: ``YYYY-MM``, or empty if neither metadata nor file name tell.
        language: Language of the archive as an ISO 639-1 code where known, else empty.
        documents: Documents in the full-text index, or pages if there is none.
        total_length: Words in all of them; an estimate, or 0, where the index does not tell.
        index_reason: Why it is not ``xapian``; empty when it is.
        keeper_pid: 0 where a worker runs without a keeper.
        uptime: Seconds since the worker bound its endpoint.
        restarts: Workers that this keeper forked before this one.
        memory: Resident bytes of the worker.
        quarantined: Requests that this replica refuses at the moment.
    """

    protocol: int
    library: str
    archive: str
    snapshot: str
    title: str
    language: str
    kind: Kind
    adapter: str
    documents: int
    total_length: int
    index: IndexKind
    index_reason: str = ""
    pid: int
    keeper_pid: int = 0
    uptime: float = 0.0
    restarts: int = 0
    memory: int = 0
    draining: bool = False
    quarantined: int = 0


class LightHit(msgspec.Struct, frozen=True, array_like=True):
    """One candidate, light enough to send thirty.

    Attributes:
        path: Entry path of the content page, redirects resolved.
        title: Its title.
        length: Words in the document as the index counts them, or an estimate; 0 if unknown.
        counts: How often each query word occurs, aligned with ``QueryRequest.words``; at least 1
            for a word that matches where the index only knows that it does.
        alias: Title of the redirect under which the title look-up found it, else empty.
    """

    path: str
    title: str
    length: int
    counts: list[int]
    alias: str = ""


class QueryReply(Frame, frozen=True, kw_only=True, tag="hits"):
    """The statistics of this archive for these words, and its best candidates.

    Counting invariants: ``len(frequencies) == len(words)``; every hit has ``len(counts) ==
    len(words)``; no path occurs twice in ``hits`` nor in ``titles``.

    Attributes:
        documents: As in `DescribeReply`.
        total_length: As in `DescribeReply`.
        frequencies: Documents that contain each word (after stemming); 0 for a stop word.
        counted: Whether ``counts`` and ``length`` are true counts; otherwise they are estimates.
        hits: In the order of the archive's own score, best first.
        titles: What the look-up among titles and redirects found, exact matches first; a page may
            stand both here and in ``hits``.
        whole: False if the archive has an index that cannot be read: pages are missing here.
    """

    documents: int
    total_length: int
    frequencies: list[int]
    counted: bool
    hits: list[LightHit]
    titles: list[LightHit]
    whole: bool = True


class Suggestion(msgspec.Struct, frozen=True, array_like=True):
    """A word of the archive that a misspelt one may have been, and what speaks for it.

    Attributes:
        word: In small letters, written as in a title or a page; two words with a space between
            if that was left out; the suspicious word itself, first in its list, if the archive
            has it.
        errors: Typing errors between the two: letters left out, added or changed, neighbours
            swapped; 0 for the word itself.
        documents: Documents that have it in any form; at least the titles that have it.
        together: Documents that have it and all of ``SpellRequest.beside``.
        titles: Titles that have it and all of those.
    """

    word: str
    errors: int
    documents: int
    together: int = 0
    titles: int = 0


class SpellReply(Frame, frozen=True, kw_only=True, tag="suggestions"):
    """Suggestions for each word asked for, in that order, each list the likeliest first.

    There may be fewer lists than words: those behind the fourth are not looked at.
    """

    suggestions: list[list[Suggestion]]


class SectionEntry(msgspec.Struct, frozen=True):
    """A section in a list: its id (empty for the lead) and its title."""

    id: str
    title: str


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What the result list shows of one document.

    Attributes:
        path: As asked for.
        snippet: Plain text, at most 300 characters; empty if the page has none.
        sections: At most three that clearly match, best first.
        passage: Share (0 to 1) of the query's weight that one window of about 60 words holds.
        failed: The entry cannot be opened or is no content: leave the hit out.
        quarantined: It is left out because it ended two workers, which is to be told.
    """

    path: str
    title: str = ""
    snippet: str = ""
    sections: list[SectionEntry] = []
    passage: float = 0.0
    failed: bool = False
    quarantined: bool = False


class PreviewReply(Frame, frozen=True, kw_only=True, tag="previews"):
    """One preview per path asked for, in that order."""

    previews: list[Preview]


class SectionContent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rendered section.

    Attributes:
        content: Markdown of the section itself and, if it was asked for, of its subtree.
        metadata: Of a thread's post: ``score``, ``accepted``, ``tags``, …; else empty.
    """

    id: str
    title: str
    content: str
    metadata: dict[str, int | bool | str | list[str]] = {}


class DocumentReply(Frame, frozen=True, kw_only=True, tag="rendered"):
    """A document, whole or in part.

    Attributes:
        path: Path of the content page, redirects resolved.
        available: The document's sections, at most 100, in document order.
        more_sections: Sections that ``available`` leaves out (the deepest first).
        truncated: The budget cut something off.
    """

    path: str
    title: str
    sections: list[SectionContent]
    available: list[SectionEntry]
    more_sections: int = 0
    truncated: bool = False


class ErrorReply(Frame, frozen=True, kw_only=True, tag="error"):
    """The request failed; ``code`` is one of `common.errors`.

    Attributes:
        missing: Of ``section_not_found``: the ids that are not there.
        available: Of ``section_not_found``: the sections there are, at most 100.
    """

    code: str
    message: str
    missing: list[str] = []
    available: list[SectionEntry] = []


Reply = DescribeReply | QueryReply | SpellReply | PreviewReply | DocumentReply | ErrorReply
