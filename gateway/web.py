"""What stands between the network and MCP: the checks that the SDK does not make.

A plain ASGI wrapper, outermost first: header values are stripped, Host and Origin checked, then
the token, the method, the size of the body, and whether it is one JSON-RPC message. Then the
application runs, and is cancelled when the client hangs up, since nobody wants its answer any more.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from common import logs
from gateway.mcp_server import MAX_BODY_BYTES, PATH

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Asked by orchestrators, which send addresses as Host and know no token; they tell nothing."""

BODY_DEADLINE = 10.0
"""Seconds for a client to send a body of at most 64 KiB."""

_INVALID_REQUEST = -32600

Refusal = Callable[[Request], Awaitable[Response | None]]
"""Returns the answer to a request from a Host or Origin that is not accepted."""

_SETTING_FOR = {421: "MCP_ALLOWED_HOSTS", 403: "MCP_ALLOWED_ORIGINS"}

logger = logs.get_logger()


class _Envelope(msgspec.Struct):
    """What every message has; an ``id`` that is none of these would never be answered."""

    jsonrpc: Literal["2.0"]
    id: int | str | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET


_envelopes = msgspec.json.Decoder(_Envelope)


class Front:
    """The outermost ASGI application."""

    def __init__(self, app: ASGIApp, refusal: Refusal, token: str) -> None:
        self._app = app
        self._stranger = refusal
        self._token = token.encode("utf-8")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection's request; lifespan events pass through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # httptools keeps blanks at the end of a value, which breaks the comparison of Mcp-Name.
        scope = {**scope, "headers": [(name, value.strip()) for name, value in scope["headers"]]}
        answer = await self._refusal(Request(scope))
        if answer is None and scope["path"] == PATH:
            body = await _body(receive)
            answer = _malformed(body) if isinstance(body, bytes) else body
            if isinstance(body, bytes) and answer is None:
                await _serve(self._app, scope, body, receive, send)
                return
        await (answer or self._app)(scope, receive, send)

    async def _refusal(self, request: Request) -> Response | None:
        path = request.url.path
        if path in OPEN_PATHS:
            return None
        answer = await self._stranger(request)
        if answer is not None:
            _log_refusal(request, answer.status_code)
            return answer
        if not self._authorised(request):
            return _error(401, "a bearer token is needed", {"WWW-Authenticate": "Bearer"})
        if path == PATH and request.method != "POST":
            return _error(405, "only POST is served here", {"Allow": "POST"})
        return None

    def _authorised(self, request: Request) -> bool:
        if not self._token:
            return True
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        # latin-1 is how the header was decoded; it gives the very bytes back.
        same = hmac.compare_digest(given.strip().encode("latin-1"), self._token)
        return same and scheme.lower() == "bearer"


async def _body(receive: Receive) -> bytes | Response:
    """Return the whole body, or the answer to a client whose body is too large or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_DEADLINE):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return _error(400, "the body ended early")
                body += message.get("body", b"")
                if len(body) > MAX_BODY_BYTES:
                    return _error(413, f"expected at most {MAX_BODY_BYTES} bytes")
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        return _error(408, "the body did not come in time")


def _malformed(body: bytes) -> Response | None:
    """Answer JSON that is no JSON-RPC message; the SDK would speak of its own classes."""
    try:
        _envelopes.decode(body)
    except msgspec.ValidationError as exc:
        message = f"expected one JSON-RPC 2.0 message, batches are not served: {exc}"
        error = {"code": _INVALID_REQUEST, "message": message}
        return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status_code=400)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        # Not JSON at all: the SDK says where it ends to be.
        return None
    return None


async def _serve(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Run ``app``, and cancel it when the client hangs up before it is done."""
    hung_up = asyncio.create_task(_until_hang_up(receive))
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        if messages:
            return messages.pop()
        await asyncio.shield(hung_up)
        return {"type": "http.disconnect"}

    answering = asyncio.ensure_future(app(scope, replay, send))
    try:
        await asyncio.wait({answering, hung_up}, return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            answering.result()
    finally:
        answering.cancel()
        hung_up.cancel()
        # Whatever the answer ends with now, nobody is there to be told.
        await asyncio.gather(answering, hung_up, return_exceptions=True)


async def _until_hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _log_refusal(request: Request, status: int) -> None:
    logger.warning(
        "request refused",
        status=status,
        host=request.headers.get("host", "")[:200],
        origin=request.headers.get("origin", "")[:200],
        setting=_SETTING_FOR.get(status, ""),
    )


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": message}, status_code=status, headers=headers)
