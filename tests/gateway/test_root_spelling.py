"""A search whose words no library has, through a gateway over scripted replicas."""

import msgspec
import pytest
from mcp.client.client import Client

from common.errors import ShardFault
from common.frames import PreviewRequest, QueryRequest
from tests.gateway.scripted import described, found, read, run
from tests.gateway.serving import serving


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", speller({"thoroughbred": 3}))


def speller(known, *, proposes=True):
    """Return the script of a replica that has these words, and proposes them for any other."""

    def answer(request):
        if isinstance(request, PreviewRequest):
            return read(request)
        if not isinstance(request, QueryRequest):
            return described(request)
        if request.misspelt:
            if not proposes:
                return ShardFault("no proposals")
            reply = found(request)
            return msgspec.structs.replace(reply, spellings=[known] * len(request.misspelt))
        return found(request, *(["A horse"] if set(request.words) & set(known) else []))

    return answer


def search(sockets, query):
    async def main():
        async with serving(sockets) as (url, _), Client(f"{url}/mcp") as client:
            return await client.call_tool("search", {"query": query})

    return run(main()).structured_content


def test_a_word_that_no_library_has_is_corrected(sockets, lib):
    answer = search(sockets, "thorughbred")

    assert [hit["title"] for hit in answer["results"]] == ["A horse"]
    assert answer["note"] == "showing results for thoroughbred"


def test_a_word_that_nothing_is_close_to_finds_nothing(sockets, lib):
    lib.script = speller({})

    answer = search(sockets, "thorughbred")

    assert answer["results"] == []
    assert answer["note"] == "no page has all the words; without: thorughbred"


def test_a_search_goes_on_without_proposals(sockets, lib):
    lib.script = speller({"thoroughbred": 3}, proposes=False)

    answer = search(sockets, "thorughbred")

    assert answer["results"] == []
    assert "thorughbred" in answer["note"]
