"""What a leaf of documentation answers when a query names a symbol."""

from pathlib import Path

import pytest

from common.deadline import Deadline
from common.frames import DocumentReply, Preview, PreviewReply, QueryReply, Request
from shard.adapters.select import choose
from shard.archive import Archive
from shard.index import open_index
from shard.leaf import Leaf
from shard.symbols import read_symbols
from tests.shard import requests
from tests.support import zims


class Asking:
    """A leaf and what it is asked."""

    def __init__(self, path: Path) -> None:
        self._archive = Archive(path)
        self._leaf = Leaf(
            "Burrow",
            self._archive,
            open_index(self._archive),
            choose(self._archive).adapter,
            cache_bytes=1 << 20,
            symbols=read_symbols(self._archive),
        )

    def titles(self, text: str) -> list[tuple[str, str]]:
        request = requests.query(text, library="Burrow", archive=self._archive.uuid)
        reply = self._ask(request)
        assert isinstance(reply, QueryReply)
        return [(hit.path, hit.alias) for hit in reply.titles]

    def preview(self, text: str, path: str = "library/den") -> Preview:
        request = requests.preview(
            path,
            words=tuple(text.replace(".", " ").split()),
            library="Burrow",
            archive=self._archive.uuid,
            text=text,
        )
        reply = self._ask(request)
        assert isinstance(reply, PreviewReply)
        return reply.previews[0]

    def sections(self, *ids: str) -> list[str]:
        request = requests.document(
            "library/den", sections=ids, library="Burrow", archive=self._archive.uuid
        )
        reply = self._ask(request)
        assert isinstance(reply, DocumentReply)
        return [section.content for section in reply.sections]

    def _ask(self, request: Request) -> object:
        *_, reply = self._leaf.answer(request, Deadline.after(10.0))
        return reply


@pytest.fixture
def leaf(tmp_path: Path) -> Asking:
    return Asking(zims.devdocs_zim(tmp_path / "burrow.zim"))


def test_a_symbol_leads_to_its_page_under_its_name(leaf: Asking) -> None:
    assert leaf.titles("den.open")[0] == ("library/den", "den.open()")


def test_a_symbol_in_a_question_leads_to_its_page(leaf: Asking) -> None:
    assert ("library/den", "den.close()") in leaf.titles("when do I call den.close() on a home")


def test_plain_words_lead_to_no_symbol(leaf: Asking) -> None:
    assert leaf.titles("how do I close a den for the winter") == []


def test_the_section_of_a_symbol_is_the_first_hint(leaf: Asking) -> None:
    found = leaf.preview("den.close")

    assert found.sections[0].id == "den.close"
    assert "Close a den for the winter." in found.snippet


def test_the_hint_fetches_exactly_the_entry(leaf: Asking) -> None:
    (content,) = leaf.sections(leaf.preview("den.close").sections[0].id)

    assert "Close a den for the winter." in content
    assert "Open the den" not in content


def test_a_symbol_that_the_list_lacks_is_hinted_at(leaf: Asking) -> None:
    assert leaf.preview("den.MAX_DEPTH").sections[0].id == "den.MAX_DEPTH"
    assert leaf.preview("MAX_DEPTH").sections[0].id == "den.MAX_DEPTH"


def test_a_gateway_that_sends_no_text_gets_its_preview(leaf: Asking) -> None:
    assert leaf.preview("").path == "library/den"
