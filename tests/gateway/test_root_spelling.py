"""A search whose words no library has, through a gateway over scripted replicas."""

import pytest
from mcp.client.client import Client

from common.errors import ShardFault
from common.frames import PreviewRequest, QueryRequest, SpellReply, SpellRequest, Suggestion
from tests.gateway.scripted import described, found, read, run
from tests.gateway.serving import serving

HORSE = Suggestion("thoroughbred", errors=1, documents=3, together=3, titles=1)


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", speller(HORSE))


def speller(*suggestions, fails=False):
    """Return the script of a replica that has these words, and suggests them for any other."""
    known = {one.word for one in suggestions}

    def answer(request):
        if isinstance(request, PreviewRequest):
            return read(request)
        if isinstance(request, SpellRequest):
            every = [list(suggestions)] * len(request.words)
            reply = SpellReply(request_id=request.request_id, suggestions=every)
            return ShardFault("no suggestions") if fails else reply
        if not isinstance(request, QueryRequest):
            return described(request)
        return found(request, *(["A horse"] if set(request.words) & known else []))

    return answer


def search(sockets, query):
    async def main():
        async with serving(sockets) as (url, _), Client(f"{url}/mcp") as client:
            return await client.call_tool("search", {"query": query})

    return run(main()).structured_content


def test_a_word_that_no_library_has_is_corrected(sockets, lib):
    answer = search(sockets, "thorughbred")

    assert [hit["title"] for hit in answer["results"]] == ["A horse"]
    assert answer["note"] == 'showing results for "thoroughbred" instead of "thorughbred"'


def test_a_word_that_nothing_is_close_to_finds_nothing(sockets, lib):
    lib.script = speller()

    answer = search(sockets, "thorughbred")

    assert answer["results"] == []
    assert answer["note"] == "no page has all the words; without: thorughbred"


def test_a_word_that_a_missing_library_may_have_is_left_as_it_is(sockets, lib, replica):
    other = replica("s/other.0", speller())
    other.script = lambda request: (
        ShardFault("damaged") if isinstance(request, QueryRequest) else described(request, "Other")
    )

    async def main():
        names = ("Lib", "Other")
        async with serving(sockets, names) as (url, _), Client(f"{url}/mcp") as client:
            return await client.call_tool("search", {"query": "thorughbred"})

    answer = run(main()).structured_content
    assert answer["results"] == []
    assert answer["degraded"] == [{"library": "Other", "reason": "fault"}]
    assert answer["note"] == "no page has all the words; without: thorughbred"


def test_a_search_goes_on_without_suggestions(sockets, lib):
    lib.script = speller(HORSE, fails=True)

    answer = search(sockets, "thorughbred")

    assert answer["results"] == []
    assert "degraded" not in answer
    assert "thorughbred" in answer["note"]


def test_a_query_of_known_words_asks_for_no_suggestions(sockets, lib):
    asked = []

    def script(request):
        asked.append(type(request))
        return speller(HORSE)(request)

    lib.script = script
    search(sockets, "thoroughbred")

    assert SpellRequest not in asked
    assert asked.count(QueryRequest) == 1
