"""CURVE over TCP, against sockets that check keys as a shard does."""

import asyncio
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import zmq
from zmq.auth.thread import ThreadAuthenticator

from common import settings
from common.curve import Keys
from common.deadline import Deadline
from common.errors import ConfigError
from common.frames import DescribeReply, DescribeRequest
from gateway import handshakes
from gateway.client import Wire
from tests.gateway.scripted import ScriptedReplica, run, until

ASK = DescribeRequest(request_id=0, library="Lib")
PUBLIC, SECRET = (key.decode() for key in zmq.curve_keypair())
SHARD_PUBLIC, SHARD_SECRET = (key.decode() for key in zmq.curve_keypair())
OTHER = zmq.curve_keypair()[0].decode()


class TcpReplica(ScriptedReplica):
    """Binds a TCP port; with ``allowed`` it speaks CURVE to the holders of these keys alone.

    Attributes:
        allowed: May be changed while it runs.
    """

    def __init__(self, allowed=None, *, host="127.0.0.1", port=0):
        self.allowed = allowed
        self._host, self._port = host, port
        super().__init__(Path("unused"))

    @contextmanager
    def prepared(self, context):
        if self.allowed is None:
            yield
            return
        authenticator = ThreadAuthenticator(context)
        authenticator.start()
        authenticator.configure_curve_callback("shards", credentials_provider=self)
        try:
            yield
        finally:
            authenticator.stop()

    def callback(self, _domain, key):
        """Tell the authenticator whether a client may come in."""
        return key.decode() in self.allowed

    def bind(self, socket):
        if self.allowed is not None:
            socket.curve_server = True
            socket.curve_secretkey = SHARD_SECRET.encode()
            socket.setsockopt(zmq.ZAP_DOMAIN, b"shards")
        socket.setsockopt(zmq.IPV6, 1)
        socket.bind(f"tcp://{self._host}:{self._port or '*'}")
        self.endpoint = socket.getsockopt_string(zmq.LAST_ENDPOINT)


class Watcher:
    def __init__(self):
        self.admitted = False
        self.reasons = []

    def connected(self):
        self.admitted = True

    def disconnected(self):
        self.admitted = False

    def not_admitted(self, reason):
        self.reasons.append(reason)

    def spoke_foreign(self, tag):
        raise AssertionError(tag)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(handshakes, "PATIENCE", 0.3)


@pytest.fixture
def shard():
    """Start TCP replicas; all are stopped at the end."""
    started = []

    def start(allowed=None, **options):
        started.append(TcpReplica(allowed, **options))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@asynccontextmanager
async def connected(endpoint, keys):
    wire, watcher = Wire(keys), Watcher()
    connection = wire.connect(endpoint, watcher)
    try:
        yield connection, watcher
    finally:
        connection.close()
        wire.close()


async def described_by(endpoint, keys):
    async with connected(endpoint, keys) as (connection, watcher):
        await until(lambda: watcher.admitted)
        return await connection.ask(ASK, Deadline.after(10))


async def reason_of(endpoint, keys):
    async with connected(endpoint, keys) as (_, watcher):
        await until(lambda: watcher.reasons)
        assert not watcher.admitted
        return watcher.reasons[0]


def keys(server=SHARD_PUBLIC):
    return Keys(SECRET, (server,))


def test_gateway_with_an_allowed_key_is_answered(shard):
    replica = shard([PUBLIC])

    assert isinstance(run(described_by(replica.endpoint, keys())), DescribeReply)


def test_plain_tcp_works_without_keys(shard):
    replica = shard()

    assert isinstance(run(described_by(replica.endpoint, None)), DescribeReply)


@pytest.mark.parametrize("allowed", [None, [PUBLIC]], ids=["plain", "curve"])
def test_ipv6_is_reached(shard, allowed):
    try:
        replica = shard(allowed, host="[::1]")
    except AssertionError:
        pytest.skip("no IPv6 here")
    wanted = None if allowed is None else keys()

    assert isinstance(run(described_by(replica.endpoint, wanted)), DescribeReply)


def test_unix_sockets_do_without_keys(replica):
    assert isinstance(run(described_by(replica().endpoint, keys())), DescribeReply)


@pytest.mark.parametrize(
    ("allowed", "ours", "reason"),
    [
        pytest.param([OTHER], keys(), handshakes.REFUSED, id="key refused"),
        pytest.param(None, keys(), handshakes.PLAIN, id="shard without keys"),
        pytest.param([PUBLIC], None, handshakes.ENCRYPTED, id="gateway without keys"),
        pytest.param([PUBLIC], keys(OTHER), handshakes.SILENT_ENCRYPTED, id="other shard key"),
    ],
)
def test_failed_handshake_is_told_in_the_words_of_the_operator(shard, allowed, ours, reason):
    replica = shard(allowed)

    assert run(reason_of(replica.endpoint, ours)) == reason


def test_refused_key_is_tried_again_until_it_is_allowed(shard):
    replica = shard([OTHER])

    async def main():
        async with connected(replica.endpoint, keys()) as (connection, watcher):
            await until(lambda: watcher.reasons)
            replica.allowed = [PUBLIC]
            await until(lambda: watcher.admitted)
            return await connection.ask(ASK, Deadline.after(10))

    assert isinstance(run(main()), DescribeReply)


def test_shard_that_gets_the_right_key_is_connected(shard):
    plain = shard()
    port = int(plain.endpoint.rpartition(":")[2])

    async def main():
        async with connected(plain.endpoint, keys()) as (_, watcher):
            await until(lambda: watcher.reasons)
            await asyncio.to_thread(plain.stop)
            await asyncio.to_thread(shard, [PUBLIC], port=port)
            await until(lambda: watcher.admitted)

    run(main())


def test_other_shard_key_is_not_tried_in_a_hurry(shard):
    replica = shard([PUBLIC])

    async def main():
        attempts = []
        async with connected(replica.endpoint, keys(OTHER)) as (_, watcher):
            await until(lambda: watcher.reasons)
            watcher.reasons.clear()
            # A window, not a wait for anything: ZeroMQ alone would try fifty times in it.
            ends = time.monotonic() + 1.0
            await until(lambda: time.monotonic() > ends)
            attempts.extend(watcher.reasons)
        return attempts

    assert len(run(main())) <= 3


@pytest.fixture
def configured(tmp_path):
    """Return settings that name key files with these contents."""

    def configure(secret=None, peers=None, **changes):
        environment = {}
        for setting, content in (("CURVE_SECRET_FILE", secret), ("CURVE_PEERS_FILE", peers)):
            if content is not None:
                path = tmp_path / setting.lower()
                path.write_text(content)
                environment[setting] = str(path)
        return settings.load(environment | changes)

    return configure


def test_keys_of_the_settings_open_a_shard(shard, configured):
    replica = shard([PUBLIC])
    given = configured(SECRET, SHARD_PUBLIC, CORPUS_DISCOVERY="dns")

    async def main():
        wire, watcher = Wire.from_settings(given), Watcher()
        connection = wire.connect(replica.endpoint, watcher)
        await until(lambda: watcher.admitted)
        connection.close()
        wire.close()

    run(main())


@pytest.mark.parametrize(
    ("files", "changes", "named"),
    [
        pytest.param((), {}, "CURVE_SECRET_FILE", id="no keys"),
        pytest.param((SECRET, None), {}, "CURVE_PEERS_FILE", id="no shard key"),
        pytest.param((SECRET, f"{OTHER}\n{PUBLIC}"), {}, "CURVE_PEERS_FILE", id="two shard keys"),
        pytest.param(("short", OTHER), {}, "CURVE_SECRET_FILE", id="no key"),
    ],
)
def test_network_without_good_keys_is_refused(configured, files, changes, named):
    with pytest.raises(ConfigError, match=named):
        Wire.from_settings(configured(*files, CORPUS_DISCOVERY="dns", **changes))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"CORPUS_DISCOVERY": "local"}, id="local"),
        pytest.param({"CORPUS_DISCOVERY": "dns", "SHARD_TCP_PLAIN": "true"}, id="plain"),
    ],
)
def test_keys_are_not_demanded_where_they_are_not_needed(configured, changes):
    Wire.from_settings(configured(**changes)).close()
