"""The explanation of a search: asked of a gateway, and what people read of it."""

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from deploy import explaining, tables
from deploy.errors import Failed

HIT = {
    "library": "Wiki [en]",
    "ref": "corpus://Wiki/Fox",
    "title": "Red fox",
    "score": 1.75,
    "fused": 1.25,
    "evidence": 0.81,
    "bm25": 9.5,
    "matched": ["red", "fox"],
    "title_evidence": {"match": "none", "alias": "", "coverage": 0.6, "precision": 1.0},
    "passage": 0.9,
    "heading": 0.0,
    "places": {"library": 7, "fused": 2, "final": 1},
}

CONTENT = {
    "query": "red foxes in towns",
    "words": [{"word": "red", "weight": 2.04}, {"word": "fox", "weight": 5.5}],
    "hits": [HIT],
    "degraded": [{"library": "Site", "reason": "timeout"}],
    "note": "showing results for fox",
}


class Gateway(http.server.BaseHTTPRequestHandler):
    """Answers what it is told to, and remembers what it was asked."""

    def do_GET(self) -> None:
        status, body = self.server.answer  # type: ignore[attr-defined]
        self.server.asked.append((self.path, self.headers["Authorization"]))  # type: ignore[attr-defined]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def gateway() -> Iterator[Any]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway) as server:
        server.answer = (200, json.dumps(CONTENT).encode())  # type: ignore[attr-defined]
        server.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join(10)


def url(server: Any) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def test_explanation_is_asked_with_query_limit_and_token(gateway: Any) -> None:
    content = explaining.explain(url(gateway), "geheim", "red & fox?", 3)

    ((path, authorization),) = gateway.asked
    assert content == CONTENT
    assert urlsplit(path).path == "/explain"
    assert parse_qs(urlsplit(path).query) == {"query": ["red & fox?"], "limit": ["3"]}
    assert authorization == "Bearer geheim"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (400, b'{"error": "invalid_query", "message": "no word"}', "invalid_query: no word"),
        (401, b"{}", "asks for another token"),
        (404, b"Not Found", "HTTP 404"),
        (200, b"<html>", "no explanation from"),
    ],
)
def test_what_went_wrong_is_told(gateway: Any, status: int, body: bytes, message: str) -> None:
    gateway.answer = (status, body)

    with pytest.raises(Failed, match=message):
        explaining.explain(url(gateway), "", "fox", None)


def test_explanation_has_a_line_for_each_hit(capsys: pytest.CaptureFixture[str]) -> None:
    tables.print_lines(explaining.head(CONTENT))
    tables.print_table(explaining.hits(CONTENT))

    query, words, missing, note, header, row = capsys.readouterr().out.splitlines()
    assert "red foxes in towns" in query
    assert "red 2.0, fox 5.5" in words
    assert "Site (timeout)" in missing
    assert "showing results for fox" in note
    assert header.split()[-1] == "moved"
    for told in ("Wiki [en]", "Red fox", "1.25 → 1.75", "0.81", "red, fox", "0.90", "7 → 2 → 1"):
        assert told in row
    assert "covers 0.60, precision 1.00" in row


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        ({"match": "title", "alias": "", "coverage": 1, "precision": 1}, "is the query"),
        ({"match": "alias", "alias": "Fox", "coverage": 1, "precision": 1}, "redirect 'Fox'"),
        ({"match": "content", "alias": "", "coverage": 1, "precision": 1}, "has the same words"),
        ({"match": "none", "alias": "", "coverage": 0, "precision": 0}, "–"),
    ],
)
def test_title_is_told_in_words(
    capsys: pytest.CaptureFixture[str], evidence: dict[str, object], told: str
) -> None:
    tables.print_table(explaining.hits({**CONTENT, "hits": [{**HIT, "title_evidence": evidence}]}))

    assert told in capsys.readouterr().out.splitlines()[1]


def test_nothing_to_explain_is_said() -> None:
    lines = explaining.head({**CONTENT, "hits": []})

    assert lines[-1].plain == "nothing found"
