"""The sources of an archive: its plan, its page fragments, its templates."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

import lxml.html
import msgspec
from lxml import etree

from common.errors import ConfigError

PLAN = "archive.toml"


class User(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who asks or answers; only of the family ``stackexchange``."""

    id: int
    reputation: int = 1
    about: str = ""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ``archive.toml`` of a folder.

    Attributes:
        family: Whose scraper to imitate.
        templates: Folder of the templates, relative to this one.
        metadata: ``Title``, ``Name``, ``Date``, … as they stand in the archive.
        language: ISO 639-3 code.
        redirects: Title of the redirect to the path it leads to.
        navigation: Path to its text in the menu (generic), or folder to the name of that type of
            symbols (devdocs).
        users: By name (stackexchange).
    """

    family: str
    main: str
    metadata: dict[str, str]
    templates: str = "../templates"
    language: str = "eng"
    redirects: dict[str, str] = {}
    navigation: dict[str, str] = {}
    users: dict[str, User] = {}


@dataclass(frozen=True, slots=True)
class Source:
    """One fragment.

    Attributes:
        path: Of the file in its folder, with ``/`` and without ``.html``.
        body: The fragment under a ``div`` of its own, without its ``h1``.
        title: The text of its ``h1``, else the path with spaces for underscores.
    """

    path: str
    title: str
    body: etree._Element


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of sources."""

    path: Path
    plan: Plan

    def sources(self) -> Iterator[Source]:
        """Yield the fragments, sorted by path."""
        names = {file.relative_to(self.path).as_posix(): file for file in self.path.rglob("*.html")}
        for name in sorted(names):
            yield _source(name.removesuffix(".html"), _text(names[name]))

    def fill(self, template: str, **values: str) -> str:
        """Return a template of this family with its ``$names`` filled in.

        ``title`` is text and is escaped; every other value is HTML.
        """
        name = f"{self.plan.family}.{template}.html" if template else f"{self.plan.family}.html"
        text = _text(self.path / self.plan.templates / name)
        if "title" in values:
            values["title"] = escape(values["title"])
        return Template(text).substitute(values)


def open_folder(path: Path) -> Folder:
    """Read the plan of a folder.

    Raises:
        ConfigError: There is none, or it breaks a rule.
    """
    try:
        plan = msgspec.toml.decode((path / PLAN).read_bytes(), type=Plan)
    except OSError as exc:
        raise ConfigError(f"{path}: expected a folder with an {PLAN}, got {exc}") from exc
    except msgspec.DecodeError as exc:
        raise ConfigError(f"{path / PLAN}: {exc}") from exc
    return Folder(path, plan)


def inner_html(element: etree._Element) -> str:
    """Return what stands inside an element, as HTML."""
    children = (lxml.html.tostring(child, encoding="unicode") for child in element)
    return escape(element.text or "", quote=False) + "".join(children)


def plain_text(element: etree._Element) -> str:
    """Return the text of an element, its white space collapsed."""
    return " ".join(
        str(etree.tostring(element, encoding="unicode", method="text", with_tail=False)).split()
    )


def elements(markup: str) -> list[etree._Element]:
    """Return the elements of a piece of HTML."""
    return list(lxml.html.fragment_fromstring(markup, create_parent="div"))


def replace(element: etree._Element, markup: str) -> None:
    """Put the one element of ``markup`` in the place of another; what follows it stays."""
    (new,) = elements(markup)
    new.tail = element.tail
    parent = element.getparent()
    if parent is not None:
        parent.replace(element, new)


def up(path: str) -> str:
    """Return the relative address of the archive's root, seen from ``path``."""
    return "../" * path.count("/")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as exc:
        raise ConfigError(f"expected a readable UTF-8 file {file}, got {exc}") from exc


def _source(path: str, text: str) -> Source:
    body = lxml.html.fragment_fromstring(text, create_parent="div")
    title = path.rpartition("/")[2].replace("_", " ")
    heading = body.find(".//h1")
    if heading is not None:
        title = plain_text(heading)
        heading.drop_tree()
    return Source(path, title, body)
