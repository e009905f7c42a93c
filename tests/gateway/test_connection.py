"""Connections as clients open them: with offers, half open, slow, one request after another."""

import asyncio
import json

import httpx2
import pytest

from gateway import connection
from tests.gateway.scripted import WAIT, run, sound
from tests.gateway.serving import HEADERS, rpc, serving

OFFERS = [
    pytest.param(
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
        id="http2",
    ),
    pytest.param(
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        id="websocket",
    ),
]


@pytest.fixture
def talk(sockets, replica):
    """Hold a conversation over one raw connection with a gateway."""
    (sockets / "s").mkdir()
    replica("s/lib.0", sound("Lib", "Bell test"))

    def talk(conversation):
        async def main():
            async with serving(sockets) as (url, _):
                reader, writer = await asyncio.open_connection("127.0.0.1", httpx2.URL(url).port)
                try:
                    async with asyncio.timeout(WAIT):
                        return await conversation(reader, writer)
                finally:
                    writer.close()

        return run(main())

    return talk


def request(id_, more="", *, framing="content-length"):
    """Return head and body of a search."""
    body = json.dumps(rpc("search", {"query": "bell"}, id_=id_))
    length = f"content-length: {len(body)}\r\n"
    if framing == "chunked":
        length = "transfer-encoding: chunked\r\n"
        body = f"5\r\n{body[:5]}\r\n{len(body) - 5:x}\r\n{body[5:]}\r\n0\r\n\r\n"
    headers = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    head = f"POST /mcp HTTP/1.1\r\nhost: localhost\r\n{headers}{length}{more}\r\n"
    return head.encode(), body.encode()


async def answered(reader):
    """Return the id and the outcome of the next answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    answer = json.loads(await reader.readexactly(length))
    return answer["id"], answer["result"]["isError"]


@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize("framing", ["content-length", "chunked"])
@pytest.mark.parametrize("pieces", ["whole", "head and body", "bytes"])
def test_offer_of_another_protocol_is_passed_over(talk, offer, framing, pieces):
    async def twice(reader, writer):
        answers = []
        for id_ in (1, 2):
            head, body = request(id_, offer, framing=framing)
            whole = head + body
            cuts = {"whole": [whole], "head and body": [head, body]}
            for piece in cuts.get(pieces, [whole[at : at + 1] for at in range(len(whole))]):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
            answers.append(await answered(reader))
        return answers

    assert talk(twice) == [(1, False), (2, False)]


def test_requests_that_do_not_wait_for_their_answers_are_all_answered(talk):
    async def at_once(reader, writer):
        writer.write(b"".join(b"".join(request(id_)) for id_ in (1, 2, 3)))
        return [await answered(reader) for _ in range(3)]

    assert talk(at_once) == [(1, False), (2, False), (3, False)]


@pytest.mark.parametrize("method", [b"CONNECT localhost:1", b"FOO /mcp"])
def test_method_that_is_not_served_is_refused(talk, method):
    async def refused(reader, writer):
        writer.write(method + b" HTTP/1.1\r\nhost: localhost\r\n\r\n")
        return await reader.readuntil(b"\r\n")

    assert talk(refused).startswith((b"HTTP/1.1 405 ", b"HTTP/1.1 400 "))


@pytest.mark.parametrize("begun", [b"", b"POST /mcp HTTP/1.1\r\nhost: loc"], ids=["mute", "begun"])
def test_connection_on_which_no_request_comes_is_closed(talk, monkeypatch, begun):
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.05)
    monkeypatch.setattr("gateway.app.KEEP_ALIVE", 0.05)

    async def silent(reader, writer):
        writer.write(begun)
        return await reader.read()

    assert talk(silent) == b""
