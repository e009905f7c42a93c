"""What is rendered, as supervisord itself reads it."""

import contextlib
import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from supervisor.options import ServerOptions

from common.manifest import Library, Manifest
from common.settings import load
from deploy.supervisor import (
    Program,
    Rendered,
    gateway_program,
    render,
    replica_names,
    shard_programs,
)

SOCKET = "s/supervisor.sock"
GATEWAY = Program("gateway", ("true",), 1)


@contextlib.contextmanager
def read(rendered: Rendered, folder: Path) -> Iterator[Any]:
    """Return the options as supervisord has them when it is started in ``folder``."""
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "supervisord.conf").write_text(rendered.text, encoding="utf-8")
    before, place = dict(os.environ), Path.cwd()
    os.environ.update(rendered.environment)
    os.chdir(folder)
    try:
        options = ServerOptions()
        options.realize(["-c", "supervisord.conf"])
        yield options
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)


def programs(options: Any) -> dict[str, Any]:
    """Return the programs by the name of their group, which is their own."""
    return {
        group.name: program
        for group in options.process_group_configs
        for program in group.process_configs
    }


def said(command: str) -> list[str]:
    """Return the arguments that reach a program which prints them, run as supervisord does."""
    output = subprocess.run(shlex.split(command), capture_output=True, check=True).stdout
    return [os.fsdecode(word) for word in output.split(b"\0")[:-1]]


PRINTS = ("printf", r"%s\0")


argument = st.text(
    st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1, max_size=20
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(argument, min_size=1, max_size=3))
@example(["a ;b", "C #", "100%", "%(here)s", "%(ENV_HOME)s"])
@example(["two\nlines", "\r", " ", "\\", "'", '"', 'it\'s ; # % "so"', "\u2028", "[x]", "=;"])
def test_any_argument_reaches_the_program_as_it_is(tmp_path: Path, arguments: list[str]) -> None:
    rendered = render(GATEWAY, [Program("a.0", (*PRINTS, *arguments), 1)], socket=SOCKET)

    with read(rendered, tmp_path) as options:
        command = programs(options)["a.0"].command

    assert said(command) == arguments


def test_bytes_that_are_no_text_reach_the_program(tmp_path: Path) -> None:
    odd = os.fsdecode(b"/data/\xff.zim")
    rendered = render(GATEWAY, [Program("a.0", (*PRINTS, odd), 1)], socket=SOCKET)

    with read(rendered, tmp_path) as options:
        command = programs(options)["a.0"].command

    assert said(command) == [odd]


def test_program_is_not_found_below_the_shell_that_spells_its_name(tmp_path: Path) -> None:
    rendered = render(GATEWAY, [Program("a.0", ("sh", "-c", "echo $$", "\n"), 1)], socket=SOCKET)

    with read(rendered, tmp_path) as options:
        command = programs(options)["a.0"].command
    with subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE) as process:
        printed, _ = process.communicate(timeout=10)

    assert int(printed) == process.pid


@pytest.mark.parametrize("socket", ["/tmp/a b;c/x.sock", "/tmp/ #%/x.sock", "/tmp/%(x)s\n/x.sock"])
def test_socket_may_lie_anywhere(tmp_path: Path, socket: str) -> None:
    with read(render(GATEWAY, [], socket=socket), tmp_path) as options:
        (server,) = options.server_configs

    assert server["file"] == socket


def test_programs_are_kept_running_and_ended_in_good_order(tmp_path: Path) -> None:
    gateway = Program("gateway", ("true",), 15)
    shards = [Program(f"a.{number}", ("true",), 10) for number in range(2)]

    with read(render(gateway, shards, socket=SOCKET), tmp_path) as options:
        by_name = programs(options)
        order = [group.name for group in sorted(options.process_group_configs)]

    # Alone, supervisord stops its groups from the last to the first.
    assert order == ["a.0", "a.1", "gateway"]
    assert [by_name[name].name for name in order] == order
    assert by_name["gateway"].stopwaitsecs == 15
    for name, program in by_name.items():
        assert program.autorestart.__name__ == "RestartUnconditionally"
        assert program.killasgroup
        assert program.redirect_stderr
        assert program.stdout_logfile == f"logs/{name}.log"
        assert 0 < program.stdout_logfile_maxbytes < 100_000_000


def test_supervisord_stays_in_the_foreground_and_logs_into_the_run_directory(
    tmp_path: Path,
) -> None:
    with read(render(GATEWAY, [], socket=SOCKET), tmp_path) as options:
        assert options.nodaemon
        assert options.silent
        assert Path(options.logfile).resolve() == tmp_path / "supervisord.log"
        assert Path(options.pidfile).resolve() == tmp_path / "supervisord.pid"


MANIFEST = Manifest(
    (
        Library(name="C++", path="c/plus.zim", adapter="devdocs", replicas=2),
        Library(name="wiki", path="wiki.zim", memory_mb=512),
    )
)
NUMBERS = {"C++": [0, 7], "wiki": [3]}


def test_each_replica_is_a_program_named_like_its_socket() -> None:
    found = shard_programs(MANIFEST, NUMBERS, Path("/corpus"), Path("/run/c"))

    names = [program.name for program in found]
    assert names == [name for some in replica_names(MANIFEST, NUMBERS).values() for name in some]
    assert names[2] == "wiki.3"
    assert len(set(names)) == 3
    for program in found:
        endpoint = program.command[program.command.index("--endpoint") + 1]
        assert endpoint == f"ipc:///run/c/s/{program.name}"


def test_a_shard_is_told_its_library_archive_and_adapter() -> None:
    first, *_ = shard_programs(MANIFEST, NUMBERS, Path("/corpus"), Path("/run/c"))

    line = " ".join(first.command)
    assert "-m shard serve --library C++ --archive /corpus/c/plus.zim" in line
    assert line.endswith("--adapter devdocs")


def test_a_bound_on_memory_reaches_the_shards_of_its_library_alone(tmp_path: Path) -> None:
    shards = shard_programs(MANIFEST, NUMBERS, Path("/corpus"), Path("/run/c"))

    with read(render(GATEWAY, shards, socket=SOCKET), tmp_path) as options:
        given_to = {name: program.environment for name, program in programs(options).items()}

    assert given_to.pop("wiki.3") == {"SHARD_MEMORY_MB": "512"}
    assert not any(given_to.values())


def test_the_gateway_may_drain_before_it_is_killed() -> None:
    patient = gateway_program(load({"GATEWAY_DRAIN": "30"}))

    assert patient.stop_seconds > 30
