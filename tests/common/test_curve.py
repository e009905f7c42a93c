import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st
from zmq.utils import z85

from common import curve, settings
from common.errors import ConfigError

PUBLIC, SECRET = (key.decode() for key in zmq.curve_keypair())
OTHER = zmq.curve_keypair()[0].decode()


@pytest.fixture
def configured(tmp_path):
    """Write the key files that are given and return the settings that name them."""

    def configure(secret=None, peers=None, **changes):
        environment = {}
        for setting, content in (("CURVE_SECRET_FILE", secret), ("CURVE_PEERS_FILE", peers)):
            if content is not None:
                path = tmp_path / setting.lower()
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
                environment[setting] = str(path)
        return settings.load(environment | changes)

    return configure


@given(st.binary(min_size=32, max_size=32))
def test_every_32_bytes_make_a_key(raw):
    assert curve.is_key(z85.encode(raw).decode())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(PUBLIC[:-1], id="too short"),
        pytest.param(PUBLIC + "0", id="too long"),
        pytest.param(PUBLIC[:-1] + "~", id="another alphabet"),
        pytest.param("#" * 40, id="group beyond four bytes"),
    ],
)
def test_other_text_is_no_key(text):
    assert not curve.is_key(text)


def test_keys_are_read(configured):
    keys = curve.keys(configured(f"{SECRET}\n", f"{PUBLIC}\n\n  {OTHER}\r\n{PUBLIC}\n"))

    assert keys == curve.Keys(SECRET, (PUBLIC, OTHER))


def test_keys_do_not_show_their_secret():
    assert SECRET not in repr(curve.Keys(SECRET, (PUBLIC,)))


def test_without_keys_tcp_is_refused(configured):
    with pytest.raises(ConfigError, match=r"CURVE_SECRET_FILE: .*SHARD_TCP_PLAIN"):
        curve.keys(configured())


def test_without_keys_tcp_may_be_plain_if_that_is_said(configured):
    assert curve.keys(configured(SHARD_TCP_PLAIN="true")) is None


def test_keys_are_used_also_where_plain_is_allowed(configured):
    assert curve.keys(configured(SECRET, PUBLIC, SHARD_TCP_PLAIN="true")) is not None


@pytest.mark.parametrize(
    ("secret", "peers", "named"),
    [
        pytest.param(SECRET, None, "CURVE_PEERS_FILE", id="no peers"),
        pytest.param(None, PUBLIC, "CURVE_SECRET_FILE", id="no secret"),
        pytest.param("", PUBLIC, "CURVE_SECRET_FILE", id="empty secret"),
        pytest.param(SECRET, "\n", "CURVE_PEERS_FILE", id="empty peers"),
        pytest.param(f"{SECRET}\n{SECRET}", PUBLIC, "CURVE_SECRET_FILE", id="two secrets"),
        pytest.param(SECRET[:-1], PUBLIC, "got 39 characters", id="short secret"),
        pytest.param(SECRET, f"{PUBLIC}\n{OTHER} ?", "key 2 of", id="bad peer"),
        pytest.param(b"\xff" * 40, PUBLIC, "CURVE_SECRET_FILE", id="binary secret"),
        pytest.param(SECRET, b"0" * 70_000, "at most 65536 bytes", id="huge peers"),
    ],
)
def test_bad_key_file_is_named_and_not_shown(configured, secret, peers, named):
    with pytest.raises(ConfigError, match=named) as caught:
        curve.keys(configured(secret, peers, SHARD_TCP_PLAIN="true"))

    assert SECRET[:-1] not in str(caught.value)


@pytest.mark.parametrize("setting", ["CURVE_SECRET_FILE", "CURVE_PEERS_FILE"])
def test_missing_key_file_is_named(configured, tmp_path, setting):
    missing = tmp_path / "missing"

    with pytest.raises(ConfigError, match=f"{setting}: expected a readable file, got {missing}"):
        curve.keys(configured(SECRET, PUBLIC, **{setting: str(missing)}))


def test_folder_is_no_key_file(configured, tmp_path):
    with pytest.raises(ConfigError, match="CURVE_PEERS_FILE: expected a readable file"):
        curve.keys(configured(SECRET, CURVE_PEERS_FILE=str(tmp_path)))
