import asyncio
import json
import os
import signal
import socket
import sys

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from common.errors import ConfigError
from common.frames import DescribeRequest
from gateway.app import listen
from tests.gateway.scripted import WAIT, described, run, sound
from tests.gateway.serving import HEADERS, environment, http, process, rpc


@pytest.fixture
def lib(sockets, replica):
    (sockets / "s").mkdir()
    return replica("s/lib.0", sound("Lib", "Bell test"))


@pytest.fixture
def gateway(sockets, lib):
    """Start a gateway as a process; yields it and its URL once it is ready."""
    started = []

    def start(**changes):
        running = process("serve", environment(sockets, ["Lib"], **changes))
        started.append(running)
        for line in running.stderr:
            event = json.loads(line)
            if event["event"] == "listening":
                url = f"http://127.0.0.1:{event['port']}"
            if event.get("state") == "ready":
                return running, url
        raise AssertionError("the gateway ended before it was ready")

    yield start
    for running in started:
        running.kill()
        running.wait(WAIT)
        running.stderr.close()


def test_taken_port_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(ConfigError, match=f"MCP_PORT.*{port}"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        pytest.param({"MCP_PORT": "x"}, "MCP_PORT", id="setting"),
        pytest.param({"CORPUS_CONFIG": "/nowhere.toml"}, "CORPUS_CONFIG", id="manifest"),
        pytest.param({"MCP_HOST": "0.0.0.0"}, "MCP_TOKEN", id="public"),
        pytest.param({"CORPUS_DISCOVERY": "dns"}, "CURVE_SECRET_FILE", id="no keys"),
    ],
)
def test_wrong_configuration_ends_the_process_and_is_named(sockets, changes, named):
    running = process("serve", environment(sockets, ["Lib"], **changes))
    _, said = running.communicate(timeout=WAIT)

    assert running.returncode == 2
    assert named in said
    assert "Traceback" not in said


def test_idle_gateway_ends_well_at_the_signal(gateway):
    running, _ = gateway(GATEWAY_DRAIN="30")
    running.send_signal(signal.SIGTERM)

    assert running.wait(WAIT) == 0


def test_draining_gateway_ends_calls_in_flight_and_says_it_drains(gateway, lib):
    def slowly(request):
        if isinstance(request, DescribeRequest):
            return described(request)
        lib.released.wait(WAIT)
        return sound("Lib", "Bell test")(request)

    async def main():
        running, url = await asyncio.to_thread(gateway, GATEWAY_DRAIN="2")
        lib.script = slowly
        async with http(url) as client, http(url) as other:
            body = rpc("search", {"query": "bell"})
            call = asyncio.create_task(client.post("/mcp", json=body, headers=HEADERS))
            while not lib.asked:  # noqa: ASYNC110 - another process has no event
                await asyncio.sleep(0.005)
            running.send_signal(signal.SIGTERM)
            while (await other.get("/readyz")).status_code == 200:
                pass
            readiness = await other.get("/readyz")
            # It serves on: a new call during the drain is answered like the old one.
            late = asyncio.create_task(other.post("/mcp", json=body, headers=HEADERS))
            lib.released.set()
            answers = [await call, await late]
        return readiness, answers, await asyncio.to_thread(running.wait, WAIT)

    readiness, answers, status = run(main())
    assert (readiness.status_code, readiness.json()["status"]) == (503, "draining")
    assert [answer.json()["result"]["isError"] for answer in answers] == [False, False]
    assert status == 0


def test_second_signal_ends_the_gateway_now(gateway, lib):
    lib_silent = lambda r: described(r) if isinstance(r, DescribeRequest) else None  # noqa: E731

    async def main():
        running, url = await asyncio.to_thread(gateway, GATEWAY_DRAIN="600", SEARCH_DEADLINE="600")
        lib.script = lib_silent
        async with http(url) as client:
            body = rpc("search", {"query": "bell"})
            call = asyncio.create_task(client.post("/mcp", json=body, headers=HEADERS))
            while not lib.asked:  # noqa: ASYNC110 - another process has no event
                await asyncio.sleep(0.005)
            running.send_signal(signal.SIGTERM)
            while (await client.get("/readyz")).status_code == 200:
                pass
            running.send_signal(signal.SIGTERM)
            status = await asyncio.to_thread(running.wait, WAIT)
            await asyncio.gather(call, return_exceptions=True)
        return status

    assert run(main()) == 0


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_stdio_serves_the_same_tools(sockets, lib, mode):
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "gateway", "stdio"],
        env={**os.environ, **environment(sockets, ["Lib"])},
    )

    async def main():
        with open(os.devnull, "w") as silence:  # noqa: ASYNC230, PTH123 - a sink for the log
            transport = stdio_client(parameters, errlog=silence)
            async with Client(transport, mode=mode) as client:
                tools = await client.list_tools()
                found = await client.call_tool("search", {"query": "bell"})
                ref = found.structured_content["results"][0]["ref"]
                return tools, await client.call_tool("fetch", {"ref": ref})

    tools, document = run(main())
    assert [tool.name for tool in tools.tools] == ["search", "fetch"]
    assert document.structured_content["title"] == "Bell test"


def test_stdio_ends_when_its_client_leaves(sockets, lib):
    running = process("stdio", environment(sockets, ["Lib"]), stdin=-1, stdout=-1)
    said, _ = running.communicate(input="", timeout=WAIT)

    assert running.returncode == 0
    assert said == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stdio_ends_at_a_signal(sockets, lib, number):
    with process("stdio", environment(sockets, ["Lib"]), stdin=-1, stdout=-1) as running:
        for line in running.stderr:
            if json.loads(line).get("state") == "ready":
                break
        running.send_signal(number)

        assert running.wait(WAIT) == -number
        running.communicate()
