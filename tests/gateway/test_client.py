import asyncio
import gc
import socket
from contextlib import asynccontextmanager

import pytest

from common.codec import MAX_FRAME_BYTES, encode
from common.deadline import Deadline
from common.errors import DeadlineExceeded, InvalidArguments, Overloaded, ShardUnavailable
from common.frames import PROTOCOL_TAG, DescribeReply, DescribeRequest, QueryRequest
from gateway import client, handshakes
from gateway.client import MAX_REQUEST_BYTES, Wire
from shard import server
from tests.gateway.scripted import described, found, run, until

ASK = DescribeRequest(request_id=0, library="Lib")

GREETING = "ff00000000000000017f" + "0300" + b"NULL".ljust(20, b"\0").hex() + "00" * 32
"""What a ZeroMQ peer says first, for the mechanism NULL."""


class Watcher:
    def __init__(self):
        self.events = []

    def connected(self):
        self.events.append("connected")

    def disconnected(self):
        self.events.append("disconnected")

    def not_admitted(self, reason):
        self.events.append(reason)

    def spoke_foreign(self, tag):
        self.events.append(tag)


@asynccontextmanager
async def connected(endpoint, *, alive=True):
    wire, watcher = Wire(), Watcher()
    connection = wire.connect(endpoint, watcher)
    try:
        if alive:
            await until(lambda: connection.alive)
        yield connection, watcher
    finally:
        connection.close()
        wire.close()


def soon():
    return Deadline.after(10)


def test_ask_returns_the_reply(replica):
    async def main():
        async with connected(replica().endpoint) as (connection, _):
            return await connection.ask(ASK, soon())

    assert isinstance(run(main()), DescribeReply)


def test_every_one_of_many_requests_gets_its_own_reply(replica):
    def echo(request):
        return described(request, title=request.library)

    async def main():
        async with connected(replica(script=echo).endpoint) as (connection, _):
            asks = [DescribeRequest(request_id=0, library=str(i)) for i in range(200)]
            replies = await asyncio.gather(*(connection.ask(ask, soon()) for ask in asks))
            return [reply.title for reply in replies]

    assert run(main()) == [str(i) for i in range(200)]


def test_ask_without_a_peer_fails_at_once(sockets):
    async def main():
        async with connected(f"ipc://{sockets / 'nobody'}", alive=False) as (connection, _):
            with pytest.raises(ShardUnavailable):
                await connection.ask(ASK, soon())

    run(main())


def test_disconnect_fails_what_is_in_flight(replica):
    silent = replica(script=lambda request: None)

    async def main():
        async with connected(silent.endpoint) as (connection, watcher):
            ask = asyncio.create_task(connection.ask(ASK, soon()))
            await asyncio.sleep(0)
            await asyncio.to_thread(silent.stop)
            with pytest.raises(ShardUnavailable):
                await ask
            return watcher.events

    assert run(main()) == ["connected", "disconnected"]


def test_connection_comes_back_with_the_peer_and_delivers_nothing_stale(replica):
    silent = replica(script=lambda request: None)

    async def main():
        async with connected(silent.endpoint) as (connection, _):
            ask = asyncio.create_task(connection.ask(ASK, soon()))
            await asyncio.sleep(0)
            await asyncio.to_thread(silent.stop)
            with pytest.raises(ShardUnavailable):
                await ask
            fresh = await asyncio.to_thread(replica)
            seen = []
            fresh.script = lambda request: seen.append(request) or described(request)
            await until(lambda: connection.alive)
            await connection.ask(ASK, soon())
            return seen

    assert [request.request_id for request in run(main())] == [2]


def test_silence_ends_at_the_deadline(replica):
    async def main():
        async with connected(replica(script=lambda request: None).endpoint) as (connection, _):
            with pytest.raises(DeadlineExceeded):
                await connection.ask(ASK, Deadline.after(0.05))

    run(main())


def test_requests_in_flight_are_bounded(replica, monkeypatch):
    monkeypatch.setattr(client, "MAX_PENDING", 3)

    async def main():
        async with connected(replica(script=lambda request: None).endpoint) as (connection, _):
            asks = [asyncio.create_task(connection.ask(ASK, soon())) for _ in range(3)]
            await asyncio.sleep(0)
            with pytest.raises(Overloaded):
                await connection.ask(ASK, soon())
            for ask in asks:
                ask.cancel()
            await asyncio.gather(*asks, return_exceptions=True)
            with pytest.raises(DeadlineExceeded):
                await connection.ask(ASK, Deadline.after(0.01))

    run(main())


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([b""], id="one empty part"),
        pytest.param([PROTOCOL_TAG, b"\xff\xfe"], id="no msgpack"),
        pytest.param([PROTOCOL_TAG, b"\x81\xa4type\xa7unknown"], id="unknown type"),
        pytest.param([b"x", b"y", b"z"], id="three parts"),
    ],
)
def test_garbage_is_counted_and_dropped(replica, parts):
    async def main():
        async with connected(replica(script=lambda request: parts).endpoint) as (connection, _):
            with pytest.raises(DeadlineExceeded):
                await connection.ask(ASK, Deadline.after(0.1))
            return connection.garbage, connection.alive

    assert run(main()) == (1, True)


def test_other_protocol_is_told_to_the_watcher(replica):
    script = lambda request: [b"corpus/99", b""]  # noqa: E731

    async def main():
        async with connected(replica(script=script).endpoint) as (connection, watcher):
            with pytest.raises(DeadlineExceeded):
                await connection.ask(ASK, Deadline.after(0.1))
            return watcher.events

    assert run(main()) == ["connected", b"corpus/99"]


def test_reply_that_nobody_waits_for_is_dropped(replica):
    late = replica()

    def slowly(request):
        late.released.wait(5)
        return described(request)

    late.script = slowly

    async def main():
        async with connected(late.endpoint) as (connection, _):
            with pytest.raises(DeadlineExceeded):
                await connection.ask(ASK, Deadline.after(0.05))
            late.released.set()
            await until(lambda: connection.late)
            return await connection.ask(ASK, soon())

    assert isinstance(run(main()), DescribeReply)


def test_cancelled_asker_leaves_nothing_behind(replica):
    silent = replica(script=lambda request: None)

    async def main():
        complaints = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
        async with connected(silent.endpoint) as (connection, _):
            ask = asyncio.create_task(connection.ask(ASK, soon()))
            await asyncio.sleep(0)
            ask.cancel()
            await asyncio.gather(ask, return_exceptions=True)
            await asyncio.to_thread(silent.stop)
            await until(lambda: not connection.alive)
        gc.collect()
        return complaints

    assert run(main()) == []


def test_peer_that_has_just_gone_is_known_to_be_gone_after_one_try(replica):
    lib = replica()

    async def main():
        async with connected(lib.endpoint) as (connection, watcher):
            # Blocks the event loop, so that the monitor cannot be read before the request is sent.
            lib.stop()
            with pytest.raises(ShardUnavailable):
                await connection.ask(ASK, soon())
            return connection.alive, watcher.events

    assert run(main()) == (False, ["connected", "disconnected"])


def query(request_id=0, text="den"):
    return QueryRequest(
        request_id=request_id,
        library="Lib",
        archive="",
        budget=0.0,
        text=text,
        words=["den"],
        limit=5,
    )


def test_duplicate_of_a_reply_is_dropped(replica):
    lib = replica()

    async def main():
        async with connected(lib.endpoint) as (connection, _):
            again = []
            lib.script = lambda request: again.append(encode(described(request))) or again[0]
            await connection.ask(ASK, soon())
            with pytest.raises(DeadlineExceeded):
                await connection.ask(ASK, Deadline.after(0.1))
            return connection.late

    assert run(main()) == 1


def test_reply_that_is_too_large_is_not_read_and_the_connection_comes_back(replica):
    lib = replica(script=lambda request: [PROTOCOL_TAG, bytes(MAX_FRAME_BYTES + 1)])

    async def main():
        async with connected(lib.endpoint) as (connection, _):
            with pytest.raises(ShardUnavailable):
                await connection.ask(ASK, soon())
            lib.script = described
            await until(lambda: connection.alive)
            return await connection.ask(ASK, soon())

    assert isinstance(run(main()), DescribeReply)


def test_request_that_is_too_large_is_not_sent(replica):
    lib = replica()

    async def main():
        async with connected(lib.endpoint) as (connection, watcher):
            with pytest.raises(InvalidArguments, match="at most 1048576 bytes"):
                await connection.ask(query(text="x" * MAX_REQUEST_BYTES), soon())
            await connection.ask(ASK, soon())
            return watcher.events

    assert run(main()) == ["connected"]
    assert lib.asked == []


def test_largest_request_is_what_a_shard_reads():
    assert MAX_REQUEST_BYTES == server.MAX_REQUEST_BYTES


def test_peer_that_speaks_another_protocol_is_told_and_tried_again(sockets):
    path = sockets / "lib.0"

    async def main():
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen()
        listener.setblocking(False)
        wire, watcher = Wire(), Watcher()
        connection = wire.connect(f"ipc://{path}", watcher)
        loop = asyncio.get_running_loop()
        try:
            for _ in range(2):
                peer, _ = await loop.sock_accept(listener)
                # A greeting of ZeroMQ, then a frame where its handshake would be.
                await loop.sock_sendall(peer, bytes.fromhex(GREETING) + b"\x00\x01x")
                await until(lambda: watcher.events)
                peer.close()
        finally:
            connection.close()
            wire.close()
            listener.close()
        return watcher.events[0]

    assert run(main()) == handshakes.FOREIGN


def test_abandoned_request_is_owed_until_its_answer_comes(replica):
    slow = replica()
    slow.script = lambda request: slow.released.wait(5) and found(request, "Den")
    late = []

    async def main():
        async with connected(slow.endpoint) as (connection, _):
            ask = asyncio.create_task(connection.ask(query(), soon(), late.append))
            await until(lambda: slow.asked)
            ask.cancel()
            await asyncio.gather(ask, return_exceptions=True)
            owed = connection.outstanding
            slow.released.set()
            await until(lambda: late)
            return owed, connection.outstanding

    assert run(main()) == (1, 0)


def test_abandoned_requests_are_bounded_with_the_others(replica, monkeypatch):
    monkeypatch.setattr(client, "MAX_PENDING", 3)

    async def main():
        async with connected(replica(script=lambda request: None).endpoint) as (connection, _):
            asks = [
                asyncio.create_task(connection.ask(query(), soon(), lambda _: None))
                for _ in range(3)
            ]
            await asyncio.sleep(0)
            for ask in asks:
                ask.cancel()
            await asyncio.gather(*asks, return_exceptions=True)
            with pytest.raises(Overloaded):
                await connection.ask(query(), soon(), lambda _: None)

    run(main())
