import pytest

from common.errors import RequestError, walk
from gateway.failures import failure, internal, printable
from gateway.schemas import fetch_spec

ERRORS = sorted(walk(), key=lambda error: error.code)
SECRET = "/srv/corpus/x.zim Xapian ipc:///run/s/x.0 Traceback"


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_every_error_has_words_for_the_agent(error):
    told = failure(error(SECRET)) or internal("abc")

    properties = fetch_spec().output_schema["properties"]
    assert set(told) <= set(properties)
    assert told["error"] in properties["error"]["description"]
    assert told["message"]


@pytest.mark.parametrize(
    "error",
    [error for error in ERRORS if not issubclass(error, RequestError)],
    ids=lambda error: error.code,
)
def test_what_a_shard_says_never_reaches_the_agent(error):
    told = failure(error(SECRET)) or internal("abc")

    assert SECRET not in told["message"]


def test_message_is_always_sendable():
    assert printable("a\ud800b" + "x" * 5000).encode("utf-8").startswith(b"a?bxx")
    assert len(printable("x" * 5000)) == 2000
