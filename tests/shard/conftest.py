"""Fixtures of the shard's tests: a socket path, and peers that connect to it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.shard.peers import Peer, zmq_context


@pytest.fixture
def endpoint(tmp_path: Path) -> str:
    return f"ipc://{tmp_path}/s.0"


@pytest.fixture
def connect() -> Iterator[Callable[..., Peer]]:
    peers: list[Peer] = []
    with zmq_context() as context:

        def connect(endpoint: str, *keys) -> Peer:
            peers.append(Peer(context, endpoint, *keys))
            return peers[-1]

        yield connect
        for peer in peers:
            peer.close()
