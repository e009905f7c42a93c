"""Eight libraries of four families, and what the agents ask of them.

Every library tells of the river Ister in its own way, so that a search brings hits of several, and
has words that nobody else has.
"""

import random
from collections.abc import Callable
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

from common.refs import format_ref
from tests.support import pages
from tests.support.pages import Answer
from tests.support.zims import Entry, build_zim

SNAPSHOT = "2026-11"
NEWER = "2026-12"

LARGE = "Trades"
"""The library whose index is too large to be held in memory as a whole."""

FILLERS = 300
"""Pages of made-up words in it, which no query finds."""

_WORDS_OF_FILLER = 60


class Page(NamedTuple):
    """A page: its title, what it says, and what its one section says."""

    title: str
    lead: str
    more: str


class Family(NamedTuple):
    """How the pages of one family are written.

    Attributes:
        entry: Makes the entry of a page, by its number in the archive.
        section: Id of the section that every page has.
        adapter: Who reads them.
    """

    entry: Callable[[int, Page], Entry]
    metadata: dict[str, str]
    section: str
    adapter: str


def _article(_: int, page: Page) -> Entry:
    body = (
        f"<p>{page.lead}</p>"
        '<div class="mw-heading mw-heading2"><h2 id="Details">Details</h2></div>'
        f"<p>{page.more}</p>"
    )
    return Entry(page.title.replace(" ", "_"), page.title, pages.article(page.title, body))


def _documentation(_: int, page: Page) -> Entry:
    path = f"library/{page.title}"
    body = f'<h1>{page.title}</h1><p>{page.lead}</p><h2 id="details">Details</h2><p>{page.more}</p>'
    return Entry(path, page.title, pages.devdocs_page(path, page.title, body))


def _thread(number: int, page: Page) -> Entry:
    slug = "-".join(page.title.lower().rstrip("?").split())
    answer = Answer(100 + number, f"<p>{page.more}</p>", score=3, accepted=True)
    html = pages.stack_question(
        number, page.title, f"<p>{page.lead}</p>", slug=slug, score=number, answers=(answer,)
    )
    return Entry(f"questions/{number}/{slug}", page.title, html)


def _site_page(_: int, page: Page) -> Entry:
    body = f'<p>{page.lead}</p><h2 id="details">Details</h2><p>{page.more}</p>'
    return Entry(f"{page.title}.html", page.title, pages.site_page(page.title, body))


WIKI = Family(_article, {"Creator": "Wikipedia"}, "Details", "mediawiki")
DOCS = Family(_documentation, {"Creator": "DevDocs"}, "details", "devdocs")
THREADS = Family(_thread, {"Creator": "Stack Exchange"}, "accepted-answer", "stackexchange")
SITE = Family(_site_page, {}, "details", "generic")
Corpus = dict[str, Path]
"""Archives by library name."""

LIBRARIES: dict[str, tuple[Family, list[Page]]] = {
    "Rivers": (
        WIKI,
        [
            Page("Ister", "The Ister rises in a fir wood.", "Nineteen bridges cross it."),
            Page("Ferry", "A ferry carries carts over a river.", "The cable is of hemp."),
            Page("Flood", "A flood follows the thaw in the hills.", "Gauges stand at each weir."),
            Page("Weir", "A weir holds the water of the mill back.", "Eels pass it at night."),
        ],
    ),
    "Trades": (
        WIKI,
        [
            Page("Miller", "The miller lives from the river and the wind.", "Toll was a tenth."),
            Page("Cooper", "A cooper makes casks of oak staves.", "The hoops are of ash."),
            Page("Tanner", "Tanners need bark, lime and running water.", "It smells downstream."),
            Page("Ferryman", "The ferryman of the Ister has a horn.", "He sleeps on the bank."),
        ],
    ),
    "Sluice Docs": (
        DOCS,
        [
            Page(
                "sluice", "Opens and closes gates of a weir.", "A gate is closed when it is lost."
            ),
            Page("gauge", "Reads the level of a river.", "The level of the Ister is in ells."),
            Page("alarm", "Rings when a flood comes.", "A bell is rung once per ell."),
            Page("ledger", "Writes down what the gauge has read.", "Old lines are kept a year."),
        ],
    ),
    "Loom Docs": (
        DOCS,
        [
            Page("loom", "Weaves threads into cloth.", "Warp threads are counted first."),
            Page("shuttle", "Carries the weft as a ferry carries carts.", "It must be waxed."),
            Page("pattern", "Repeats a motif, such as the waves of a river.", "Waves are blue."),
            Page("dye", "Colours yarn in running water.", "Woad is blue, madder is red."),
        ],
    ),
    "Angling": (
        THREADS,
        [
            Page("Which bait for eels?", "Eels in the Ister ignore my worms.", "Use liver."),
            Page("Is night fishing legal?", "At the weir, in summer.", "Only from the bank."),
            Page("How to cross the ford?", "The river is high.", "Take the ferry, it is free."),
            Page("Why do chub rise?", "They rise at dusk near the mill.", "Flies hatch there."),
        ],
    ),
    "Baking": (
        THREADS,
        [
            Page("How fine should flour be?", "The miller asked me.", "As fine as snow for cake."),
            Page("Why is my rye bread wet?", "It was baked in a flood of steam.", "Open the door."),
            Page("Can I bake in a cask?", "The cooper sold me one.", "No, oak burns."),
            Page("What is river salt?", "The label says Ister salt.", "It is rock salt."),
        ],
    ),
    "Parish": (
        SITE,
        [
            Page("News", "The ferry runs again after the flood.", "The bell was mended."),
            Page("Chapel", "The chapel stands on the bank of the Ister.", "Its bell is of 1602."),
            Page("Market", "Cloth, casks and bread on Fridays.", "The toll goes to the miller."),
            Page("Graves", "Ferrymen lie on the north side.", "Lichen covers the stones."),
        ],
    ),
    "Observatory": (
        SITE,
        [
            Page("Telescope", "The telescope stands above the river fog.", "Its mirror is cold."),
            Page("Comets", "A comet was seen over the weir.", "Its tail was split."),
            Page("Eclipse", "During the eclipse the bell was rung.", "Birds fell silent."),
            Page("Meteors", "Meteors come from the north in August.", "Sixty an hour were seen."),
        ],
    ),
}
"""By library name: the family and the pages."""


def write(
    folder: Path, *, snapshot: str = SNAPSHOT, extra: dict[str, Page] | None = None
) -> Corpus:
    """Write all archives into ``folder``; ``extra`` adds a page to some libraries."""
    return {
        name: write_library(name, folder, snapshot=snapshot, extra=(extra or {}).get(name))
        for name in LIBRARIES
    }


def write_library(
    name: str, folder: Path, *, snapshot: str = SNAPSHOT, extra: Page | None = None
) -> Path:
    """Write one archive, named by library and snapshot; every page tells its snapshot."""
    family, written = LIBRARIES[name]
    listed = [*written, extra] if extra else written
    if name == LARGE:
        listed = [*listed, *_fillers()]
    dated = [page._replace(more=f"{page.more} Printed in {snapshot}.") for page in listed]
    return build_zim(
        folder / f"{name.lower().replace(' ', '-')}_{snapshot}.zim",
        [family.entry(number, page) for number, page in enumerate(dated, start=1)],
        metadata={"Title": name, "Date": f"{snapshot}-28", **family.metadata},
    )


def _fillers() -> list[Page]:
    chance = random.Random(5)

    def words() -> str:
        # Of all initials, or the words of the other pages would lie together in one block.
        return " ".join(
            f"{chance.choice(ascii_lowercase)}q{chance.randrange(10**6):06d}"
            for _ in range(_WORDS_OF_FILLER)
        )

    return [Page(f"X{number:03d}", words(), words()) for number in range(FILLERS)]


def path_of(name: str, page: Page) -> str:
    """Return the path of a page in its archive."""
    family, written = LIBRARIES[name]
    return family.entry([*written, page].index(page) + 1, page).path


def ref_of(name: str, page: Page) -> str:
    """Return the ref of a page."""
    return format_ref(name, path_of(name, page))


def ref_start(name: str) -> str:
    """Return what every ref of a library begins with."""
    return format_ref(name, "")
