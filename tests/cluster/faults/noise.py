"""Peers of a shard that speak no sense: garbage, frames too large, other versions, silence."""

import contextlib
import itertools
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import zmq

from common.codec import encode
from common.endpoints import endpoint
from common.frames import PROTOCOL_TAG, DescribeRequest
from tests.cluster.faults.form import Form
from tests.cluster.faults.report import Report
from tests.cluster.faults.trial import Trial

PER_SECOND = 100
"""Messages to every shard."""

LARGE_EVERY = 50
"""Each of so many messages is of a megabyte, after which the shard closes the connection."""

HALF_OPEN = 16
"""Connections to every shard on which nothing is ever said."""

UNREADABLE = "unreadable message"
"""The line that a shard writes into its log, once in a while."""

_MEGABYTE = 1024 * 1024


async def noisy_peers(trial: Trial, form: Form) -> Report:
    """Every shard gets garbage, from peers that hold connections open beside it."""
    sockets = trial.shard_sockets()
    before = await _workers(trial)
    async with trial.under_load() as agents:
        with _half_open(sockets), _noise(sockets) as sent:
            await agents.pause(form.noise)

    report = await trial.report()
    report.demand_none_failed_or_wrong()
    report.demand(not report.blamed, f"{report.blamed} named")
    least = PER_SECOND * form.noise * len(sockets) * 0.5
    report.demand(sum(sent) > least, f"only {sum(sent)} messages of garbage were sent")
    report.demand(await _workers(trial) == before, "a worker was ended by it")
    told = [path for path in trial.cluster.run_dir.glob("logs/*") if UNREADABLE in path.read_text()]
    report.demand(len(told) >= len(sockets), f"only {told} tell of messages that nobody can read")
    report.notes["garbage"] = f"{sum(sent)} messages"
    return report


async def _workers(trial: Trial) -> list[int]:
    status = await trial.status()
    return [row["pid"] for library in status["libraries"] for row in library["replicas"]]


def garbage() -> Iterator[list[bytes]]:
    """Yield messages without end, one worse than the other."""
    chance = random.Random(3)
    sound = encode(DescribeRequest(request_id=1, library="Rivers"))
    kinds = itertools.cycle(
        [
            lambda: [chance.randbytes(chance.randrange(1, 200))],
            lambda: [PROTOCOL_TAG, chance.randbytes(100)],
            lambda: [PROTOCOL_TAG, sound[1][: chance.randrange(1, len(sound[1]))]],
            lambda: [b"corpus/0", sound[1]],
            lambda: [PROTOCOL_TAG, sound[1], b"one part too many"],
            lambda: [b"", b"", b""],
        ]
    )
    for number in itertools.count(1):
        yield [PROTOCOL_TAG, bytes(_MEGABYTE + 1)] if number % LARGE_EVERY == 0 else next(kinds)()


@contextlib.contextmanager
def _noise(sockets: list[Path]) -> Iterator[list[int]]:
    """Send garbage to all sockets from a thread; yields the numbers of messages of each round."""
    sent: list[int] = []
    stop = threading.Event()
    thread = threading.Thread(target=_send, args=(sockets, stop, sent))
    thread.start()
    try:
        yield sent
    finally:
        stop.set()
        thread.join()


def _send(sockets: list[Path], stop: threading.Event, sent: list[int]) -> None:
    with zmq.Context() as context:
        peers = [context.socket(zmq.DEALER) for _ in sockets]
        for peer, path in zip(peers, sockets, strict=True):
            peer.setsockopt(zmq.LINGER, 0)
            peer.setsockopt(zmq.RECONNECT_IVL, 10)
            peer.connect(endpoint(path))
        began = time.monotonic()
        for message in garbage():
            count = 0
            for peer in peers:
                with contextlib.suppress(zmq.Again):
                    peer.send_multipart(message, zmq.DONTWAIT)
                    count += 1
            sent.append(count)
            if stop.wait(max(0.0, began + len(sent) / PER_SECOND - time.monotonic())):
                break
        for peer in peers:
            peer.close()


@contextlib.contextmanager
def _half_open(sockets: list[Path]) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for path in sockets:
            for number in range(HALF_OPEN):
                raw = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                raw.setblocking(False)
                # A backlog that is full is as good as a connection.
                with contextlib.suppress(BlockingIOError):
                    raw.connect(str(path))
                    if number % 2:
                        raw.send(b"\xff\0\0")
        yield
