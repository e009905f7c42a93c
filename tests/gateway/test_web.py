import asyncio
import json

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from structlog.testing import capture_logs

from gateway.breaker import BAD_ENDS
from gateway.mcp_server import MAX_BODY_BYTES
from tests.gateway.scripted import run, sound, until
from tests.gateway.serving import HEADERS, http, rpc, serving

SEARCH = rpc("search", {"query": "bell"})


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", sound("Lib", "Bell test"))


@pytest.fixture
def ask(sockets, lib):
    """Send one HTTP request to a gateway; returns its answer."""

    def ask(method, path, *, names=("Lib",), ready=None, env=None, **options):
        async def main():
            async with (
                serving(sockets, names, ready=ready, **(env or {})) as (url, _),
                http(url) as client,
            ):
                return await client.request(method, path, **options)

        return run(main())

    return ask


def test_call_is_answered_in_json(ask):
    answer = ask("POST", "/mcp", json=SEARCH, headers=HEADERS)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_endpoint_serves_only_post(ask, method):
    answer = ask(method, "/mcp", headers=HEADERS)

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_body_over_the_limit_is_refused(ask):
    answer = ask("POST", "/mcp", content=b" " * (MAX_BODY_BYTES + 1), headers=HEADERS)

    assert answer.status_code == 413


def test_body_over_the_limit_is_refused_also_in_chunks(ask):
    async def chunks():
        for _ in range(10):
            yield b" " * (MAX_BODY_BYTES // 8)

    answer = ask("POST", "/mcp", content=chunks(), headers=HEADERS)

    assert answer.status_code == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 50000, b'{"id":1}'])
def test_body_that_is_no_call_is_refused(ask, body):
    answer = ask("POST", "/mcp", content=body, headers=HEADERS)

    assert 400 <= answer.status_code < 500
    assert "Traceback" not in answer.text


def test_blanks_after_header_values_do_no_harm(sockets, lib):
    # Clients refuse to send them, so this one is written by hand.
    body = rpc("search", {"query": "bell"})
    body["params"]["_meta"] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    content = json.dumps(body)
    modern = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"}
    headers = {
        **HEADERS,
        **modern,
        "mcp-name": "search  ",
        "authorization": "Bearer geheim\t",
        "host": "localhost",
        "content-length": str(len(content)),
        "connection": "close",
    }
    lines = [f"{name}: {value}" for name, value in headers.items()]
    request = "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", content])

    async def main():
        async with serving(sockets, MCP_TOKEN="geheim") as (url, _):
            reader, writer = await asyncio.open_connection("127.0.0.1", httpx2.URL(url).port)
            writer.write(request.encode())
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
            return answer

    assert run(main()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("headers", "status", "setting"),
    [
        pytest.param({"host": "evil.example"}, 421, "MCP_ALLOWED_HOSTS", id="host"),
        pytest.param({"host": "localhost.evil.example"}, 421, "MCP_ALLOWED_HOSTS", id="prefix"),
        pytest.param({"origin": "https://evil.example"}, 403, "MCP_ALLOWED_ORIGINS", id="origin"),
    ],
)
@pytest.mark.parametrize("path", ["/mcp", "/status", "/"])
def test_stranger_is_refused_and_the_setting_named(ask, headers, status, setting, path):
    method = "POST" if path == "/mcp" else "GET"
    with capture_logs() as logged:
        answer = ask(method, path, headers={**HEADERS, **headers})

    assert answer.status_code == status
    assert [entry["setting"] for entry in logged if entry["event"] == "request refused"] == [
        setting
    ]


@pytest.mark.parametrize("host", ["corpus.example", "corpus.example:8000", "localhost", "[::1]:9"])
def test_named_host_is_accepted_with_any_port(ask, host):
    answer = ask(
        "POST",
        "/mcp",
        json=SEARCH,
        headers={**HEADERS, "host": host, "origin": "https://app.example:444"},
        env={"MCP_ALLOWED_HOSTS": "corpus.example", "MCP_ALLOWED_ORIGINS": "https://app.example"},
    )

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param({}, 401, id="none"),
        pytest.param({"authorization": "Bearer wrong"}, 401, id="wrong"),
        pytest.param({"authorization": "Basic geheim"}, 401, id="scheme"),
        pytest.param({"authorization": "Bearer geheim"}, 200, id="right"),
        pytest.param({"authorization": "bearer geheim"}, 200, id="small letters"),
    ],
)
def test_token_is_demanded(ask, given, status):
    answer = ask(
        "POST", "/mcp", json=SEARCH, headers={**HEADERS, **given}, env={"MCP_TOKEN": "geheim"}
    )

    assert answer.status_code == status


@pytest.mark.parametrize("path", ["/status", "/metrics", "/"])
def test_pages_demand_the_token_too(ask, path):
    assert ask("GET", path, env={"MCP_TOKEN": "geheim"}).status_code == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_orchestrators_need_neither_token_nor_name(ask, path):
    answer = ask("GET", path, env={"MCP_TOKEN": "geheim"}, headers={"host": "10.0.0.7:8000"})

    assert answer.status_code == 200


def test_ready_gateway_says_so(ask):
    answer = ask("GET", "/readyz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})


def test_starting_gateway_names_what_it_waits_for(ask):
    answer = ask("GET", "/readyz", names=("Lib", "Absent"), ready=1)

    assert answer.status_code == 503
    assert answer.json() == {"status": "starting", "libraries": ["Absent"]}


def test_degraded_gateway_is_ready_while_a_library_answers(sockets, lib, replica):
    other = replica("s/other.0", sound("Other"))

    async def main():
        names = ("Lib", "Other")
        async with serving(sockets, names) as (url, gateway), http(url) as client:
            await client.get("/readyz")
            await asyncio.to_thread(other.stop)
            await until(lambda: len(gateway.pool.ready()) == 1)
            degraded = await client.get("/readyz")
            await asyncio.to_thread(lib.stop)
            await until(lambda: not gateway.pool.ready())
            return degraded, await client.get("/readyz")

    degraded, gone = run(main())
    assert degraded.status_code == 200
    assert degraded.json() == {"status": "degraded", "libraries": ["Other"]}
    assert gone.status_code == 503
    assert gone.json()["libraries"] == ["Lib", "Other"]


def test_status_tells_of_every_replica(sockets, lib):
    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            await client.post("/mcp", json=SEARCH, headers=HEADERS)
            return (await client.get("/status")).json()

    status = run(main())
    assert status["state"] == "ready"
    assert status["calls"] == {"total": 1, "search.ok": 1}
    (library,) = status["libraries"]
    assert (library["name"], library["slug"], library["state"]) == ("Lib", "lib", "ready")
    assert (library["index"], library["documents"], library["snapshot"]) == ("xapian", 3, "2026-06")
    (only,) = library["replicas"]
    assert (only["endpoint"], only["state"], only["pid"]) == (lib.endpoint, "ready", 1234)


def test_metrics_can_be_read_by_prometheus(sockets, lib):
    async def main():
        async with serving(sockets) as (url, _), http(url) as client:
            await client.post("/mcp", json=SEARCH, headers=HEADERS)
            return (await client.get("/metrics")).text

    families = {family.name: family for family in text_string_to_metric_families(run(main()))}
    (ready,) = [
        sample.value
        for sample in families["corpus_replicas"].samples
        if sample.labels == {"library": "Lib", "state": "ready"}
    ]
    assert ready == 1
    assert families["corpus_tool_calls"].samples[0].labels == {"tool": "search", "outcome": "ok"}
    assert "corpus_shard_request_duration_seconds" in families


def test_breakers_are_told_and_counted(sockets, lib):
    async def main():
        async with serving(sockets) as (url, gateway), http(url) as client:
            (one,) = gateway.pool.shards["Lib"].replicas.values()
            before = (await client.get("/status")).json()["libraries"][0]["replicas"][0]["breaker"]
            for _ in range(BAD_ENDS):
                one.breaker.ended_badly(one.breaker.sent())
            after = (await client.get("/status")).json()["libraries"][0]["replicas"][0]["breaker"]
            texts = [(await client.get("/metrics")).text for _ in range(2)]
            return before, after, texts

    before, after, texts = run(main())
    assert (before, after) == ("closed", "open")
    assert all('corpus_breaker_openings_total{library="Lib"} 1.0' in text for text in texts)


def test_front_page_escapes_what_archives_say(ask, lib):
    answer = ask("GET", "/")

    assert answer.status_code == 200
    assert "The Lib" in answer.text


@pytest.mark.parametrize("logged_queries", ["true", "false"])
def test_call_is_logged_once_and_its_words_only_if_wanted(ask, logged_queries):
    with capture_logs() as logged:
        ask("POST", "/mcp", json=SEARCH, headers=HEADERS, env={"LOG_QUERIES": logged_queries})

    (line,) = [entry for entry in logged if entry["event"] == "tool call"]
    assert (line["tool"], line["outcome"], line["log_level"]) == ("search", "ok", "info")
    assert ("bell" in json.dumps(line)) == (logged_queries == "true")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("[]", id="empty batch"),
        pytest.param([SEARCH], id="batch"),
        pytest.param({**SEARCH, "jsonrpc": "1.0"}, id="version"),
        pytest.param({**SEARCH, "id": None}, id="no id"),
        pytest.param({**SEARCH, "id": 1.5}, id="fraction"),
        pytest.param({**SEARCH, "method": ["tools/call"]}, id="method"),
        pytest.param("null", id="null"),
    ],
)
def test_message_that_could_never_be_answered_is_refused(ask, body):
    content = body if isinstance(body, str) else json.dumps(body)
    answer = ask("POST", "/mcp", content=content, headers=HEADERS)

    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, -32600)
    assert "expected one JSON-RPC 2.0 message" in error["message"]
    assert "JSONRPC" not in error["message"]


def test_notification_is_taken_without_an_answer(ask):
    body = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = ask("POST", "/mcp", json=body, headers=HEADERS)

    assert (answer.status_code, answer.content) == (202, b"")
