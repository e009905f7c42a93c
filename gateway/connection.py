"""One HTTP connection: HTTP/1.1 whatever else a client offers, and never idle for ever.

uvicorn's connection over httptools, but for two things. Clients of several languages (Java,
Kotlin) offer to go on in HTTP/2 with every request (``Upgrade: h2c``); a server may ignore that,
but httptools takes the offer as accepted and gives the body away. And a connection on which no
request comes, or only the beginning of one, would stay open until the client ends.
"""

import asyncio

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0
"""For the head of a request to come once it has begun, as for a body."""

_OF_THE_OFFER = frozenset({b"connection", b"upgrade", b"http2-settings"})


class Connection(HttpToolsProtocol):
    """Serves one connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._close_after(self.timeout_keep_alive)

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            self._decline(data[offer.args[0] :])
        except httptools.HttpParserError:
            message = "Invalid HTTP request received."
            self.logger.warning(message)
            self.send_400_response(message)

    def on_message_begin(self) -> None:
        """Give the rest of the head its time."""
        super().on_message_begin()
        if self.cycle is None or self.cycle.response_complete:
            self._close_after(HEAD_SECONDS)

    def on_headers_complete(self) -> None:
        """Start the request, unless it is read again without its offer."""
        self._unset_keepalive_if_required()
        if not self._offers_another_protocol():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Note the end of the body."""
        if not self._offers_another_protocol():
            super().on_message_complete()

    def _offers_another_protocol(self) -> bool:
        # CONNECT has no body, and is refused like any other method.
        return self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"

    def _decline(self, rest: bytes) -> None:
        """Read the request again as if it had offered nothing; ``rest`` came after its head."""
        if not self._offers_another_protocol():
            return
        version = self.parser.get_http_version().encode("ascii")
        head = [self.parser.get_method() + b" " + self.url + b" HTTP/" + version]
        head += [name + b": " + value for name, value in self.headers if name not in _OF_THE_OFFER]
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(b"\r\n".join([*head, b"", b""]) + rest)

    def _close_after(self, seconds: float) -> None:
        self._unset_keepalive_if_required()
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )
