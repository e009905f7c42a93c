"""The command line's own MCP client: it asks as an agent would."""

import asyncio
import http.client
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from deploy.errors import Failed, wrong_token

CALL_SECONDS = 60.0
"""For a whole call; the gateway's own deadlines are far shorter."""


def call_tool(url: str, token: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool of the gateway at ``url`` and return its structured content.

    Raises:
        Failed: Nobody answers there, or the answer is an error; its message is the gateway's.
    """
    statuses: list[int] = []
    try:
        content, is_error = asyncio.run(_call(f"{url}/mcp", token, tool, arguments, statuses))
    except (TimeoutError, OSError, MCPError, ExceptionGroup) as exc:
        if http.client.UNAUTHORIZED in statuses:
            raise wrong_token(url) from exc
        raise Failed(f"no answer from {url}/mcp: {_cause(exc)}") from exc
    if is_error:
        raise Failed(_complaint(content))
    return content


def _complaint(content: dict[str, Any]) -> str:
    lines = [f"{content.get('error', 'error')}: {content.get('message', 'no message')}"]
    if available := content.get("available_sections"):
        lines.append("sections: " + ", ".join(repr(section["id"]) for section in available))
    return "\n".join(lines)


async def _call(
    endpoint: str, token: str, tool: str, arguments: dict[str, Any], statuses: list[int]
) -> tuple[dict[str, Any], bool]:
    async def note(response: httpx2.Response) -> None:
        # The SDK says of every refusal only that there was one.
        statuses.append(response.status_code)

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        asyncio.timeout(CALL_SECONDS),
        httpx2.AsyncClient(
            headers=headers,
            timeout=CALL_SECONDS,
            event_hooks={"response": [note]},
            # A proxy of the environment has no business with this machine's own gateway.
            trust_env=False,
        ) as client,
        Client(streamable_http_client(endpoint, http_client=client)) as session,
    ):
        result = await session.call_tool(tool, arguments)
    return dict(result.structured_content or {}), bool(result.is_error)


def _cause(exc: BaseException) -> str:
    while isinstance(exc, BaseExceptionGroup):
        exc = exc.exceptions[0]
    return str(exc) or type(exc).__name__
