import asyncio
import os
import socket
import subprocess
import sys
import threading

import pytest

from common import settings
from common.errors import ConfigError
from gateway.health import Unhealthy, check
from tests.gateway.scripted import WAIT, run
from tests.gateway.serving import serving


@pytest.fixture
def answering():
    """Listen on a port and answer one request with raw bytes; none: say nothing."""
    opened = []

    def start(answer):
        listening = socket.create_server(("127.0.0.1", 0))
        opened.append(listening)

        def serve():
            peer, _ = listening.accept()
            opened.append(peer)
            peer.recv(4096)
            if answer is not None:
                peer.sendall(answer)
                peer.shutdown(socket.SHUT_WR)

        threading.Thread(target=serve, daemon=True).start()
        return listening.getsockname()[1]

    yield start
    for each in opened:
        each.close()


def asked(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "gateway", "health", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )


def configured(**environment):
    return settings.load(environment)


def test_gateway_that_serves_is_healthy_also_before_its_libraries_are(sockets):
    async def main():
        async with serving(sockets, ready=0, MCP_TOKEN="geheim") as (url, _):
            port = url.rpartition(":")[2]
            return await asyncio.to_thread(asked, MCP_PORT=port, MCP_HOST="0.0.0.0")

    ended = run(main())
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_port_without_a_gateway_is_unhealthy_and_named():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    ended = asked("--port", port)

    assert ended.returncode == 1
    assert ended.stderr.startswith(f"gateway: 127.0.0.1:{port}: ")
    assert ended.stderr.count("\n") == 1


def test_wrong_settings_are_unhealthy_and_named():
    ended = asked(MCP_PORT="x")

    assert ended.returncode == 1
    assert "MCP_PORT" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_port_that_is_left_to_chance_has_to_be_told():
    with pytest.raises(ConfigError, match="MCP_PORT"):
        check(configured(MCP_PORT="0"))


def test_gateway_that_says_nothing_is_unhealthy(answering):
    with pytest.raises(Unhealthy, match="timed out|TimeoutError"):
        check(configured(), answering(None), patience=0.05)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        pytest.param(b"HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n", "got 503", id="status"),
        pytest.param(b"SSH-2.0\r\n\r\n", "BadStatusLine", id="no HTTP"),
        pytest.param(b"", "RemoteDisconnected|closed", id="nothing"),
    ],
)
def test_other_answer_than_200_is_unhealthy(answering, answer, told):
    with pytest.raises(Unhealthy, match=told):
        check(configured(), answering(answer))


def test_health_imports_nothing_heavy():
    script = (
        "import sys\nfrom gateway.__main__ import main\nmain(['health', '--port', '1'])\n"
        "print(*sys.modules)"
    )
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT, check=True
    ).stdout.split()

    assert not {"zmq", "mcp", "uvicorn", "starlette", "asyncio", "structlog"}.intersection(said)
