"""Every gateway of a Compose project, asked in its own container.

Behind the proxy one would answer for all, and a change must wait for the last.
"""

import time
from collections.abc import Callable, Iterable

import msgspec

from common.endpoints import tcp_endpoint
from deploy import docker, project
from deploy.containers import GATEWAY, GATEWAY_PORT
from deploy.errors import Failed
from deploy.status import GatewayStatus

READY_SECONDS = 90.0
"""For every library to be ready: containers start in a second, but a disk may be asleep."""

_TICK = 0.2

_ASK = (
    "import os, urllib.request as r; "
    f"q = r.Request('http://127.0.0.1:{GATEWAY_PORT}/status'); "
    "t = os.environ.get('MCP_TOKEN'); "
    "t and q.add_header('Authorization', 'Bearer ' + t); "
    "print(r.urlopen(q, timeout=5).read().decode())"
)

_ADDRESSES = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}"


def wait_serving(seconds: float = READY_SECONDS) -> None:
    """Wait until every gateway takes calls.

    Raises:
        Failed: One does not after ``seconds``.
    """
    _wait(lambda state: state.state in {"ready", "degraded"}, "a gateway takes no calls", seconds)


def wait_ready(
    containers: Iterable[str], port: int, what: str, seconds: float = READY_SECONDS
) -> None:
    """Wait until every gateway has these replicas ready.

    Raises:
        Failed: One has not after ``seconds``; the message begins with ``what``.
    """
    wanted = {tcp_endpoint(address, port) for each in containers for address in _addresses(each)}
    _wait(lambda state: _ready(state) >= wanted, what, seconds)


def _wait(holds: Callable[[GatewayStatus], bool], what: str, seconds: float) -> None:
    at = time.monotonic() + seconds
    waiting = project.containers(GATEWAY)
    said = ""
    while waiting:
        try:
            state = _status(waiting[0])
        except Failed as exc:
            # One that is starting does not listen yet.
            said, state = str(exc), GatewayStatus()
        if holds(state):
            waiting.pop(0)
            continue
        if time.monotonic() >= at:
            raise Failed(f"{what} within {seconds:.0f} s{_troubles(state) or said}")
        time.sleep(_TICK)


def _status(container: str) -> GatewayStatus:
    body = "".join(docker.lines("exec", container, "python", "-c", _ASK))
    try:
        return msgspec.json.decode(body, type=GatewayStatus)
    except msgspec.MsgspecError as exc:
        raise Failed(f"a gateway gives no status: {exc}") from exc


def _ready(state: GatewayStatus) -> set[str]:
    return {
        replica.endpoint
        for library in state.libraries
        for replica in library.replicas
        if replica.state == "ready"
    }


def _troubles(state: GatewayStatus) -> str:
    errors = {
        replica.error
        for library in state.libraries
        for replica in library.replicas
        if replica.error
    }
    return f": {'; '.join(sorted(errors))}" if errors else ""


def _addresses(container: str) -> list[str]:
    return docker.lines("inspect", "--format", _ADDRESSES, container)[0].split()
