"""The gateway process: wiring, listening, and leaving in good order."""

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import NamedTuple

import uvicorn
from starlette.types import ASGIApp

from common import logs
from common import settings as settings_table
from common.errors import ConfigError
from common.settings import Settings
from gateway import mcp_server
from gateway.client import Wire
from gateway.connection import Connection
from gateway.discovery import Discovery, DnsDiscovery, LocalDiscovery
from gateway.manifest_file import ManifestFile
from gateway.metrics import Metrics
from gateway.pages import Pages
from gateway.pool import Pool
from gateway.root import Root
from gateway.tools import Tools
from gateway.web import Front

STDIO_WAIT = 3.0
"""Seconds that a gateway on stdio waits for its libraries before the first message is read: a
client asks at once, and would be told that everything is starting."""

QUIET = 1.0
"""Seconds without an open connection after which a draining gateway need not wait any longer."""

KEEP_ALIVE = 30
"""Seconds an idle connection stays open: agents think between two calls."""

BACKLOG = 512

logger = logs.get_logger()


class Gateway(NamedTuple):
    """The parts of one gateway that the transports need."""

    pool: Pool
    tools: Tools
    pages: Pages


def assemble(settings: Settings, discovery: Discovery | None = None) -> Gateway:
    """Wire a gateway for the manifest that ``settings`` name; nothing is connected yet.

    Raises:
        ConfigError: The manifest is wrong, or a network is to be spoken to without good keys.
    """
    file = ManifestFile(settings.corpus_config)
    discovery = discovery or discovery_of(settings)
    wire = Wire.from_settings(settings)
    pool = Pool(file.manifest, discovery, reread=file.reread, wire=wire)
    metrics = Metrics()
    root = Root(pool, settings, metrics)
    tools = Tools(root, settings, metrics)
    return Gateway(pool, tools, Pages(pool, metrics, root, settings))


def discovery_of(settings: Settings) -> Discovery:
    """Return how ``settings`` want shards to be found."""
    if settings.corpus_discovery == "dns":
        return DnsDiscovery(settings.shard_service, settings.shard_port)
    return LocalDiscovery(settings.corpus_run_dir)


def http_app(gateway: Gateway, settings: Settings) -> ASGIApp:
    """Return the ASGI application: MCP, the pages beside it, and the checks before both.

    Raises:
        ConfigError: The token is not to be had.
    """
    guard = mcp_server.security(
        settings.mcp_host, settings.mcp_allowed_hosts, settings.mcp_allowed_origins
    )
    app = mcp_server.http_app(mcp_server.build(gateway.tools), guard, gateway.pages.routes())
    return Front(app, partial(mcp_server.refusal, guard), settings_table.token(settings))


async def serve(settings: Settings) -> None:
    """Serve MCP over HTTP until a signal, then drain and return.

    Raises:
        ConfigError: Something in the settings or the manifest is wrong, or the port is taken.
    """
    settings_table.demand_private(settings)
    gateway = assemble(settings)
    app = http_app(gateway, settings)
    listening = listen(settings.mcp_host, settings.mcp_port)
    server = Server(uvicorn_config(app, settings), gateway, settings.gateway_drain)
    async with gateway.pool.running():
        address, port = listening.getsockname()[:2]
        logger.info("listening", address=address, port=port, libraries=len(gateway.pool.shards))
        await server.serve(sockets=[listening])
    logger.info("stopped")


async def stdio(settings: Settings) -> None:
    """Serve MCP over stdin and stdout until the client closes them.

    Raises:
        ConfigError: Something in the settings or the manifest is wrong.
    """
    gateway = assemble(settings)
    async with gateway.pool.running():
        await gateway.pool.opened(within=STDIO_WAIT)
        await mcp_server.serve_stdio(mcp_server.build(gateway.tools))


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to ``host`` and ``port``; port 0 takes a free one.

    Raises:
        ConfigError: The name does not resolve, or the address is taken or not ours.
    """
    bare = host.strip("[]")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            bare, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
        except OSError:
            bound.close()
            raise
    except OSError as exc:
        raise ConfigError(
            f"MCP_HOST, MCP_PORT: expected an address to listen on, got {host}:{port}: "
            f"{exc.strerror or exc}"
        ) from exc
    return bound


class Server(uvicorn.Server):
    """Leaves in good order: uvicorn alone refuses connections at once and exits with the signal.

    The first signal turns readiness to 503 while everything is still served, so that proxies go
    elsewhere; after ``drain`` seconds, or as soon as nobody has been connected for a moment, the
    door is closed and calls in flight end. A second signal ends at once.
    """

    def __init__(self, config: uvicorn.Config, gateway: Gateway, drain: float) -> None:
        super().__init__(config)
        self._gateway = gateway
        self._drain = drain
        self._draining_since: float | None = None
        self._last_busy = 0.0
        self._told = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals as uvicorn does, but do not die of them afterwards."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to drain; at the second signal, end.

        It logs nothing: it may have interrupted a logger that holds its lock.
        """
        del sig, frame
        if self._draining_since is not None:
            self.should_exit = self.force_exit = True
            return
        self._draining_since = self._last_busy = time.monotonic()
        self._gateway.pool.drain()

    async def on_tick(self, counter: int) -> bool:
        """Close the door when draining is over; called ten times a second."""
        if self._draining_since is not None:
            self._tell()
            now = time.monotonic()
            if self.server_state.connections:
                self._last_busy = now
            quiet = now - self._last_busy >= QUIET
            self.should_exit |= quiet or now - self._draining_since >= self._drain
        return await super().on_tick(counter)

    def _tell(self) -> None:
        if not self._told:
            self._told = True
            logger.info("draining", calls=self._gateway.tools.in_flight, seconds=self._drain)


def uvicorn_config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    """Return how uvicorn serves ``app``."""
    # The SDK logs a refused host without saying which setting accepts it; `gateway.web` does.
    logging.getLogger("mcp.server.transport_security").setLevel(logging.ERROR)
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(settings.gateway_drain)),
    )
