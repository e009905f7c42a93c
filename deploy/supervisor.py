"""What supervisord is told: one program per replica and the gateway, as its configuration text.

Pure functions. Files are named relative to the run directory, in which supervisord is started, and
settings travel in its environment, so that only commands need to be quoted. The format: in a value
``%`` begins an expansion, a ``;`` or ``#`` after white space begins a comment, also within quotes,
and a line break ends it.
"""

import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from common.endpoints import endpoint, socket_path
from common.manifest import Manifest
from common.settings import Settings

GATEWAY = "gateway"
"""Name of the gateway's program. A replica's is ``<slug>.<number>``, like its socket."""

SHARDS = "shards"
"""Group of the replicas: supervisord stops group after group, and within one all at once."""

SHARD_STOP_SECONDS = 10
"""For a draining worker to finish; then it is killed."""

GATEWAY_STOP_SECONDS = 10
"""For calls in flight once the gateway has drained; then it is killed."""

_LOG_BYTES = "10MB"
_LOG_BACKUPS = 3

_HOISTED = "CORPUS_ARGUMENT_{}"


class Program(NamedTuple):
    """One program for supervisord to keep running.

    Attributes:
        stop_seconds: Time between SIGTERM and SIGKILL.
    """

    name: str
    command: Sequence[str]
    stop_seconds: int


class Rendered(NamedTuple):
    """A configuration.

    Attributes:
        environment: What supervisord must find in its environment to read ``text``.
    """

    text: str
    environment: dict[str, str]


def replica_names(manifest: Manifest) -> dict[str, list[str]]:
    """Return the names of the programs of each library, by its name."""
    return {
        library.name: [f"{library.slug}.{number}" for number in range(library.replicas)]
        for library in manifest.libraries
    }


def shard_programs(manifest: Manifest, root: Path, run_dir: Path) -> list[Program]:
    """Return one program per replica of a resolved manifest."""
    return [
        Program(
            f"{library.slug}.{number}",
            _python(
                *("shard", "serve", "--library", library.name),
                *("--archive", str(root / library.path)),
                *("--endpoint", endpoint(socket_path(run_dir, library.slug, number))),
                *("--adapter", library.adapter),
            ),
            SHARD_STOP_SECONDS,
        )
        for library in manifest.libraries
        for number in range(library.replicas)
    ]


def gateway_program(settings: Settings) -> Program:
    """Return the program of the gateway."""
    seconds = int(settings.gateway_drain) + GATEWAY_STOP_SECONDS
    return Program(GATEWAY, _python("gateway", "serve"), seconds)


def stop_seconds(settings: Settings) -> float:
    """Return how long an orderly stop of the cluster takes at most."""
    return settings.gateway_drain + GATEWAY_STOP_SECONDS + SHARD_STOP_SECONDS + 5


def render(
    gateway: Program, shards: Sequence[Program], *, socket: str, user: str | None = None
) -> Rendered:
    """Return the configuration that keeps these programs running.

    Args:
        gateway: Started with the others and stopped before them, so that calls in flight end.
        shards: In any number.
        socket: Where supervisord takes orders, relative to the run directory or absolute.
        user: Set when the caller is root, since supervisord warns unless it is told.
    """
    hoisted: dict[str, str] = {}
    sections = [
        _section("unix_http_server", file=_literal(socket, hoisted), chmod="0600"),
        _section("rpcinterface:supervisor", **_RPC_INTERFACE),
        _section("supervisord", **_SUPERVISORD, **({"user": user} if user else {})),
        *(_program(program, hoisted) for program in shards),
        _program(gateway, hoisted, priority="200"),
    ]
    if shards:
        names = ",".join(program.name for program in shards)
        sections.append(_section(f"group:{SHARDS}", programs=names, priority="100"))
    return Rendered("\n".join(sections), hoisted)


_RPC_INTERFACE = {
    "supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"
}

_SUPERVISORD = {
    "nodaemon": "true",
    "silent": "true",
    "logfile": "supervisord.log",
    "logfile_maxbytes": _LOG_BYTES,
    "logfile_backups": str(_LOG_BACKUPS),
    "pidfile": "supervisord.pid",
    "childlogdir": "logs",
}


def _program(program: Program, hoisted: dict[str, str], **more: str) -> str:
    return _section(
        f"program:{program.name}",
        command=" ".join(_argument(text, hoisted) for text in program.command),
        autostart="true",
        autorestart="true",
        # What dies within its first second gets a back-off that grows second by second, and is
        # never given up: FATAL would be for good.
        startsecs="1",
        startretries="1000000",
        stopsignal="TERM",
        stopwaitsecs=str(program.stop_seconds),
        # A keeper hands SIGTERM on to its worker; SIGKILL it cannot.
        killasgroup="true",
        redirect_stderr="true",
        stdout_logfile=f"logs/{program.name}.log",
        stdout_logfile_maxbytes=_LOG_BYTES,
        stdout_logfile_backups=str(_LOG_BACKUPS),
        **more,
    )


def _section(header: str, **values: str) -> str:
    lines: Iterable[str] = (f"{key} = {value}\n" for key, value in values.items())
    return f"[{header}]\n" + "".join(lines)


def _argument(text: str, hoisted: dict[str, str]) -> str:
    """Return one word of a command."""
    quoted = shlex.quote(text)
    if not text.isprintable():
        return _hoist(quoted, hoisted)
    # A quote between the white space and the sign keeps it from beginning a comment.
    return re.sub("[;#]", r"''\g<0>", quoted.replace("%", "%%"))


def _literal(text: str, hoisted: dict[str, str]) -> str:
    """Return a value that is taken as it stands."""
    plain = text.isprintable() and not set(text) & set("%;#") and text == text.strip()
    return text if plain else _hoist(text, hoisted)


def _hoist(text: str, hoisted: dict[str, str]) -> str:
    # Line breaks, and bytes that are no UTF-8, cannot stand in the file at all.
    name = _HOISTED.format(len(hoisted))
    hoisted[name] = text
    return f"%(ENV_{name})s"


def _python(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", *arguments)
