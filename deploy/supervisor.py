"""What supervisord is told: one program per replica and the gateway, as its configuration text.

Pure functions. Files are named relative to the run directory, in which supervisord is started, and
settings travel in its environment, so that only commands need to be quoted. The format: in a value
``%`` begins an expansion, a ``;`` or ``#`` after white space begins a comment, also within quotes,
and a line break ends it.

No program shares a group with another: supervisord adds and removes groups while it runs, never a
part of one.
"""

import os
import re
import shlex
import string
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from common.endpoints import endpoint, socket_path
from common.manifest import Library, Manifest
from common.settings import Settings

GATEWAY = "gateway"
"""Name of the gateway's program. A replica's is ``<slug>.<number>``, like its socket."""

MAX_NUMBER = 99
"""Of a replica: two digits are what a socket path has room for."""

SHARD_STOP_SECONDS = 10
"""For a draining worker to finish; then it is killed."""

GATEWAY_STOP_SECONDS = 10
"""For calls in flight once the gateway has drained; then it is killed."""

_LOG_BYTES = "10MB"
_LOG_BACKUPS = 3

_SOCKET_VARIABLE = "CORPUS_SUPERVISOR_SOCKET"

Numbers = Mapping[str, Sequence[int]]
"""The numbers of the replicas of each library, by its name."""


class Program(NamedTuple):
    """One program for supervisord to keep running.

    Attributes:
        stop_seconds: Time between SIGTERM and SIGKILL.
        environment: What is set for it besides the environment of supervisord: plain words.
    """

    name: str
    command: Sequence[str]
    stop_seconds: int
    environment: Mapping[str, str] = {}


class Rendered(NamedTuple):
    """A configuration.

    Attributes:
        environment: What supervisord must find in its environment to read ``text``.
    """

    text: str
    environment: dict[str, str]


def first_numbers(manifest: Manifest) -> dict[str, list[int]]:
    """Return the numbers that the replicas have when a cluster starts."""
    return {library.name: list(range(library.replicas)) for library in manifest.libraries}


def program_name(slug: str, number: int) -> str:
    """Return the name of the program of a replica, which is that of its socket and its log too."""
    return f"{slug}.{number}"


def replica_names(manifest: Manifest, numbers: Numbers) -> dict[str, list[str]]:
    """Return the names of the programs of each library, by its name."""
    return {
        library.name: [program_name(library.slug, number) for number in numbers[library.name]]
        for library in manifest.libraries
    }


def shard_program(library: Library, number: int, root: Path, run_dir: Path) -> Program:
    """Return the program of one replica of a library of a resolved manifest."""
    bound = library.memory_mb
    return Program(
        program_name(library.slug, number),
        _python(
            *("shard", "serve", "--library", library.name),
            *("--archive", str(root / library.path)),
            *("--endpoint", endpoint(socket_path(run_dir, library.slug, number))),
            *("--adapter", library.adapter),
        ),
        SHARD_STOP_SECONDS,
        {} if bound is None else {"SHARD_MEMORY_MB": str(bound)},
    )


def shard_programs(
    manifest: Manifest, numbers: Numbers, root: Path, run_dir: Path
) -> list[Program]:
    """Return the program of each replica of a resolved manifest."""
    return [
        shard_program(library, number, root, run_dir)
        for library in manifest.libraries
        for number in numbers[library.name]
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
    file, variables = _literal(socket)
    sections = [
        _section("unix_http_server", file=file, chmod="0600"),
        _section("rpcinterface:supervisor", **_RPC_INTERFACE),
        _section("supervisord", **_SUPERVISORD, **({"user": user} if user else {})),
        *(_program(program, priority="100") for program in shards),
        # Whoever ends supervisord alone has it stop the highest first.
        _program(gateway, priority="200"),
    ]
    return Rendered("\n".join(sections), variables)


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


def _program(program: Program, *, priority: str) -> str:
    variables = ",".join(f'{name}="{value}"' for name, value in program.environment.items())
    return _section(
        f"program:{program.name}",
        command=_command(program.command),
        **({"environment": variables} if variables else {}),
        priority=priority,
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
    )


def _section(header: str, **values: str) -> str:
    lines: Iterable[str] = (f"{key} = {value}\n" for key, value in values.items())
    return f"[{header}]\n" + "".join(lines)


def _command(words: Sequence[str]) -> str:
    if all(word.isprintable() for word in words):
        return " ".join(map(_argument, words))
    # Line breaks, and bytes that are no UTF-8, cannot stand in the file at all: the shell makes
    # them, and becomes the program.
    spelled = "".join(
        chr(byte) if chr(byte) in _PLAIN else f"\\0{byte:03o}"
        for byte in os.fsencode(shlex.join(words))
    )
    return " ".join(map(_argument, ("/bin/sh", "-c", f'eval "exec $(printf %b "{spelled}")"')))


_PLAIN = frozenset(string.ascii_letters + string.digits + "-_./ ")


def _argument(text: str) -> str:
    # A quote between the white space and the sign keeps it from beginning a comment.
    return re.sub("[;#]", r"''\g<0>", shlex.quote(text).replace("%", "%%"))


def _literal(text: str) -> tuple[str, dict[str, str]]:
    """Return a value that is taken as it stands, and the variables it needs."""
    plain = text.isprintable() and not set(text) & set("%;#") and text == text.strip()
    return (text, {}) if plain else (f"%(ENV_{_SOCKET_VARIABLE})s", {_SOCKET_VARIABLE: text})


def _python(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", *arguments)
