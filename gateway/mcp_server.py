"""Where MCP is spoken: the SDK's low-level server over `gateway.tools`. The only user of mcp here.

Both eras of the protocol are served: the handshake one (2024-11-05 to 2025-11-25) and the
stateless one (2026-07-28), over HTTP and over stdio.
"""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gateway.schemas import INSTRUCTIONS, ToolSpec
from gateway.tools import Tools, UnknownTool, broken

NAME = "corpus-mcp"
PATH = "/mcp"

MAX_BODY_BYTES = 64 * 1024
"""Largest request: both tools' arguments are short."""

LIST_FRESH_MS = 3_600_000
"""How long a client may keep the list of tools: it changes with a new version only."""

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_Context = ServerRequestContext[Any]


def build(tools: Tools) -> Server[Any]:
    """Return a server with exactly the two tools."""
    listed = [_listed(spec) for spec in tools.specs.values()]

    async def list_tools(
        _ctx: _Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        _ctx: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            result = await tools.call(params.name, params.arguments)
        except UnknownTool as exc:
            message = f"Unknown tool: {exc}; there are: {', '.join(tools.specs)}"
            raise MCPError(types.INVALID_PARAMS, message) from None
        except Exception as exc:  # noqa: BLE001 - the SDK would send its text to the client
            result = broken(exc)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=result.text)],
            structured_content=result.content,
            is_error=result.is_error,
        )

    def input_schema(name: str) -> Mapping[str, Any] | None:
        spec = tools.specs.get(name)
        return spec.input_schema if spec else None

    hint = CacheHint(ttl_ms=LIST_FRESH_MS, scope="public")
    return Server(
        NAME,
        version=_version(),
        title="Offline library",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": hint, "server/discover": hint},
        get_tool_input_schema=input_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def security(
    host: str, allowed_hosts: tuple[str, ...], allowed_origins: tuple[str, ...]
) -> TransportSecuritySettings:
    """Return which Host and Origin headers are accepted: loopback, ``host``, and those named.

    A name without a port is accepted with any.
    """
    hosts = [*_LOOPBACK, *allowed_hosts]
    if host not in ("", "0.0.0.0", "::"):  # noqa: S104 - these name no host that anybody could send
        hosts.append(f"[{host}]" if ":" in host else host)
    origins = [f"http://{name}" for name in _LOOPBACK] + [f"https://{name}" for name in _LOOPBACK]
    return TransportSecuritySettings(
        allowed_hosts=_any_port(hosts), allowed_origins=_any_port([*origins, *allowed_origins])
    )


def http_app(server: Server[Any], guard: TransportSecuritySettings, routes: list[Route]) -> ASGIApp:
    """Return the ASGI application that serves MCP at `PATH`, and ``routes`` beside it."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=guard,
        custom_starlette_routes=routes,
    )


async def refusal(guard: TransportSecuritySettings, request: Request) -> Response | None:
    """Return the answer to a request from a host or origin that is not accepted, else None."""
    return await TransportSecurityMiddleware(guard).validate_request(request)


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client over stdin and stdout until it closes them."""
    async with stdio_server() as (receive, send):
        await server.run(receive, send, server.create_initialization_options())


def _listed(spec: ToolSpec) -> types.Tool:
    return types.Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=spec.input_schema,
        output_schema=spec.output_schema,
        annotations=types.ToolAnnotations(
            title=spec.title,
            read_only_hint=True,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _any_port(names: list[str]) -> list[str]:
    return [form for name in names for form in (name, f"{name}:*")]


def _version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:
        # The images run from a plain folder, without the project's own metadata.
        return "0"
