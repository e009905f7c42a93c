"""A page of the gateway, over plain HTTP: what is no tool is no affair of MCP."""

import urllib.request


def read(address: str, token: str, *, seconds: float) -> bytes:
    """Return the body of the page at ``address``.

    Raises:
        OSError: Nobody answers, or with `urllib.error.HTTPError` another status than 2xx.
        http.client.HTTPException: Whoever answers does not speak HTTP.
    """
    request = urllib.request.Request(address)  # noqa: S310 - the scheme is ours
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    # A proxy of the environment has no business with this machine's own gateway.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=seconds) as response:
        body: bytes = response.read()
    return body
