"""A whole gateway over scripted replicas, in the test's own event loop or as a process."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx2

from common import manifest, settings
from common.endpoints import socket_dir
from common.manifest import Library, Manifest
from gateway.app import Gateway, Server, assemble, http_app, listen, uvicorn_config
from tests.gateway.scripted import WAIT, until

MODERN = "2026-07-28"


def environment(run_dir: Path, names: Sequence[str], **changes: str) -> dict[str, str]:
    """Write a manifest and return the environment of a gateway that serves it."""
    socket_dir(run_dir).mkdir(exist_ok=True)
    config = run_dir / "corpus.toml"
    libraries = tuple(Library(name=name, path="x.zim") for name in names)
    config.write_text(manifest.render(Manifest(libraries)))
    return {
        "CORPUS_RUN_DIR": str(run_dir),
        "CORPUS_CONFIG": str(config),
        "MCP_PORT": "0",
        "GATEWAY_DRAIN": "0",
        **changes,
    }


@asynccontextmanager
async def serving(
    run_dir: Path, names: Sequence[str] = ("Lib",), *, ready: int | None = None, **changes: str
) -> AsyncIterator[tuple[str, Gateway]]:
    """Serve over HTTP on a free port; yields the base URL and the gateway."""
    configured = settings.load(environment(run_dir, names, **changes))
    gateway = assemble(configured)
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = Server(uvicorn_config(http_app(gateway, configured), configured), gateway, 0.0)
    # The signals of the test run are not the server's.
    server.capture_signals = nullcontext  # type: ignore[method-assign]
    async with gateway.pool.running():
        task = asyncio.create_task(server.serve(sockets=[listening]))
        wanted = len(names) if ready is None else ready
        await until(lambda: server.started and len(gateway.pool.ready()) >= wanted)
        try:
            yield f"http://127.0.0.1:{port}", gateway
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def http(url: str, **options: Any) -> AsyncIterator[httpx2.AsyncClient]:
    """Open a plain HTTP client."""
    async with httpx2.AsyncClient(base_url=url, timeout=WAIT, **options) as client:
        yield client


def rpc(name: str, arguments: Any, *, id_: int = 1) -> dict[str, Any]:
    """Return the body of a tools/call of the handshake era."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


HEADERS = {
    "accept": "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
}


def process(command: str, env: dict[str, str], **options: Any) -> "subprocess.Popen[str]":
    """Start ``python -m gateway``; the caller ends it."""
    return subprocess.Popen(
        [sys.executable, "-m", "gateway", command],
        env={**os.environ, **env},
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
