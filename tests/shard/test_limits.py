"""What no request may ask for."""

import pytest

from common.errors import ProtocolError
from common.frames import Request
from shard.limits import check
from tests.shard import requests

TOO_MANY = ["x"] * 9999


@pytest.mark.parametrize(
    ("request_", "complaint"),
    [
        pytest.param(requests.query("w " * 9999), "256 words, got 9999", id="words"),
        pytest.param(requests.query(limit=-5), "got -5", id="limit"),
        pytest.param(requests.query(limit=10**6), "got 1000000", id="hits"),
        pytest.param(requests.spell(*TOO_MANY), "words, got 9999", id="suspects"),
        pytest.param(requests.spell("w", beside=TOO_MANY), "beside, got 9999", id="words beside"),
        pytest.param(requests.preview(*TOO_MANY), "1000 paths, got 9999", id="paths"),
        pytest.param(requests.preview(words=TOO_MANY), "words, got 9999", id="words of previews"),
        pytest.param(requests.document(sections=TOO_MANY), "sections, got 9999", id="sections"),
    ],
)
def test_request_that_would_keep_everybody_waiting_is_refused(request_: Request, complaint: str):
    with pytest.raises(ProtocolError, match=complaint):
        check(request_)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(requests.describe(), id="describe"),
        pytest.param(requests.query("w " * 32, limit=30), id="query"),
        pytest.param(requests.spell("w", beside=("x",) * 32), id="spell"),
        pytest.param(requests.preview(*["page"] * 30), id="preview"),
        pytest.param(requests.document(sections=("a",) * 1000), id="document"),
    ],
)
def test_request_of_a_gateway_is_not(request_: Request):
    check(request_)
