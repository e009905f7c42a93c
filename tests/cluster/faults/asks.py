"""The fixed list of calls that every trial makes."""

from itertools import chain, zip_longest
from typing import Any, NamedTuple

from tests.cluster.faults.corpus import LIBRARIES, ref_of


class Ask(NamedTuple):
    """One call of an agent.

    Attributes:
        text: The query of a search, the ref of a fetch.
        section: The section of a fetch; empty for the whole document.
        library: Whom a fetch goes to; empty for a search.
    """

    tool: str
    text: str
    section: str = ""
    library: str = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the call."""
        if self.tool == "search":
            return {"query": self.text}
        return {"ref": self.text, **({"sections": [self.section]} if self.section else {})}


QUERIES = (
    "river Ister",
    "ferry over the river",
    "what follows a flood",
    "weir",
    "how does the miller live",
    "casks of a cooper",
    "where do eels go",
    "when is the bell rung",
    "weave cloth from threads",
    "how fine should flour be",
    "gauge the level of the river",
    "comet over the weir",
    "toll of a tenth",
    "why do chub rise at dusk",
    "running water for tanners",
    "chapel on the bank",
)

SEARCHES = [Ask("search", query) for query in QUERIES]

FETCHES = [
    Ask("fetch", ref_of(name, page), section, name)
    for number in range(2)
    for name, (family, pages) in LIBRARIES.items()
    for page, section in [(pages[number], family.section if number else "")]
]
"""A whole document and a section from every library."""

ASKS = [ask for ask in chain.from_iterable(zip_longest(SEARCHES, FETCHES)) if ask is not None]
"""Searches and fetches in turn."""


def without_fetches_from(library: str) -> list[Ask]:
    """Return the calls that do not depend on one library alone."""
    return [ask for ask in ASKS if ask.library != library]
