"""Talking to supervisord over its socket (XML-RPC).

supervisord's loop wakes once a second or when it is asked something; so asking also makes it act
at once on what has happened.
"""

import contextlib
import http.client
import socket
import xml.parsers.expat
import xmlrpc.client
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from deploy.errors import Failed

_ANSWER_SECONDS = 5.0

_SILENCE = (OSError, http.client.HTTPException, xmlrpc.client.Error, xml.parsers.expat.ExpatError)
"""What comes instead of an answer; the last, half of one, when supervisord ends while it writes."""

_AND_WAIT = False
"""Waiting inside supervisord would tie up its loop."""

_ENDED = {"BACKOFF", "FATAL", "EXITED"}


class ProgramState(NamedTuple):
    """What supervisord knows of one program.

    Attributes:
        name: As rendered; each program is a group of its own, called like it.
        state: RUNNING, STARTING, BACKOFF, STOPPED, … as supervisord calls them.
        pid: 0 if it does not run.
        uptime: Seconds since it was started; 0 if it does not run.
        has_ended: Whether it ever ended, also if it has been started again since.
        exit_status: Of its last end.
    """

    name: str
    state: str
    pid: int
    uptime: float
    has_ended: bool
    exit_status: int


class Supervisor:
    """The supervisord that listens at ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def programs(self) -> list[ProgramState] | None:
        """Return every program; None if supervisord does not answer."""
        try:
            with self._proxy() as proxy:
                return [_state(info) for info in proxy.supervisor.getAllProcessInfo()]
        except _SILENCE:
            return None

    def runs(self, name: str) -> bool:
        """Tell whether a program has a process; False also if supervisord does not answer."""
        return any(program.name == name and program.pid for program in self.programs() or ())

    def pid(self) -> int | None:
        """Return its process id; None if it does not answer."""
        try:
            with self._proxy() as proxy:
                return int(proxy.supervisor.getPID())
        except _SILENCE:
            return None

    def add(self, names: Iterable[str]) -> None:
        """Read the configuration again, and start these programs that are new in it.

        Raises:
            Failed: supervisord refuses or does not answer.
        """
        self._order("reloadConfig")
        for name in names:
            self._order("addProcessGroup", name)

    def remove(self, name: str) -> None:
        """Forget a program that does not run; one that is not known is passed over.

        Raises:
            Failed: supervisord refuses or does not answer.
        """
        self._order("removeProcessGroup", name, allowed=("BAD_NAME",))

    def stop(self, name: str) -> None:
        """Begin to stop a program; one that does not run, or is not known, is passed over.

        Raises:
            Failed: supervisord refuses or does not answer.
        """
        self._order("stopProcess", name, _AND_WAIT, allowed=("NOT_RUNNING", "BAD_NAME"))

    def stop_all(self) -> None:
        """Begin to stop every program at once.

        Raises:
            Failed: supervisord refuses or does not answer.
        """
        self._order("stopAllProcesses", _AND_WAIT)

    def _order(self, method: str, *arguments: object, allowed: tuple[str, ...] = ()) -> None:
        try:
            with self._proxy() as proxy:
                getattr(proxy.supervisor, method)(*arguments)
        except xmlrpc.client.Fault as exc:
            if not exc.faultString.startswith(allowed):
                order = " ".join(map(str, (method, *arguments[:1])))
                raise Failed(f"supervisord refused {order}: {exc.faultString}") from exc
        except _SILENCE as exc:
            raise Failed(f"supervisord does not answer: {exc}") from exc

    @contextlib.contextmanager
    def _proxy(self) -> Iterator[Any]:
        with xmlrpc.client.ServerProxy("http://supervisor", _Transport(self._path)) as proxy:
            yield proxy


class _Transport(xmlrpc.client.Transport):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def make_connection(self, host: Any) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(str(host), timeout=_ANSWER_SECONDS)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(_ANSWER_SECONDS)
        try:
            connection.sock.connect(str(self._path))
        except OSError:
            connection.sock.close()
            raise
        self._connection = host, connection
        return connection


def _state(info: dict[str, Any]) -> ProgramState:
    running = bool(info["pid"])
    return ProgramState(
        name=str(info["name"]),
        state=str(info["statename"]),
        pid=int(info["pid"]),
        uptime=max(0.0, float(info["now"] - info["start"])) if running else 0.0,
        has_ended=info["statename"] in _ENDED or bool(info["stop"]),
        exit_status=int(info["exitstatus"]),
    )
