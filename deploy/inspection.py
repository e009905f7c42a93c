"""Looking into archives, each in a process of its own.

A damaged archive can hang or kill the process that opens it (measured: SIGABRT, SIGSEGV, SIGBUS,
hangs of 40 s), so none is opened here. What comes back is data: a report per archive, also for the
ones that cannot be opened.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

INSPECT_SECONDS = 60.0
"""For opening an archive and looking around: the sickest disk seen needed a tenth of it."""

CHECK_BYTES_PER_SECOND = 4 * 1024 * 1024
"""What a checksum may take at worst: libzim reads 80 MB/s from a fast disk."""

_KILLED = 128

INSPECT = (sys.executable, "-m", "shard", "inspect", "--json")


class Report(msgspec.Struct, kw_only=True):
    """What ``shard inspect --json`` says of one archive.

    Attributes:
        error: Why it cannot be opened, in words an operator understands; empty if it can.
        uuid: Of the archive: another edition has another one.
        date: ``YYYY-MM-DD`` of its metadata, or empty.
        index: Kind of index it will be searched with; ``warnings`` say why if not the best.
    """

    ok: bool
    path: str = ""
    error: str | None = None
    uuid: str | None = None
    title: str | None = None
    language: str | None = None
    snapshot: str | None = None
    date: str | None = None
    adapter: str | None = None
    adapter_reason: str | None = None
    pages: int = 0
    index: str | None = None
    warnings: list[str] = []


Notify = Callable[[Path, Report], None]


def inspect_all(  # noqa: PLR0913 - each has a default, and is named by who sets it
    paths: Iterable[Path],
    *,
    check: bool = False,
    notify: Notify | None = None,
    command: Sequence[str] = INSPECT,
    seconds: float = INSPECT_SECONDS,
    together: bool = True,
    named: Callable[[Path], str] = str,
) -> dict[Path, Report]:
    """Return a report for each path, looking at as many at once as there are cores.

    ``notify`` hears of each as it ends. An interruption leaves no process behind. With ``together``
    one command is given all paths first, and forks for each; those that it has no report of are
    looked into again one by one, so that it can be said why. Never with ``check``. ``named`` gives
    what the command calls a path, which is another name where it runs in a container.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    arguments = (*command, "--check") if check else tuple(command)

    async def gather() -> dict[Path, Report]:
        places = asyncio.Semaphore(cores or 1)
        reports: dict[Path, Report] = {}

        async def one(path: Path) -> None:
            bound = seconds + (_size(path) / CHECK_BYTES_PER_SECOND if check else 0)
            async with places:
                reports[path] = await _inspect(named(path), arguments, bound)
            if notify:
                notify(path, reports[path])

        wanted = list(dict.fromkeys(paths))
        if together and not check and len(wanted) > 1:
            called = {named(path): path for path in wanted}
            found = await _inspect_together(list(called), arguments, seconds)
            reports |= {called[name]: report for name, report in found.items() if name in called}
        async with asyncio.TaskGroup() as group:
            for path in wanted:
                if path in reports:
                    if notify:
                        notify(path, reports[path])
                else:
                    group.create_task(one(path))
        return reports

    return asyncio.run(gather())


async def _inspect_together(
    names: Sequence[str], command: Sequence[str], seconds: float
) -> dict[str, Report]:
    """Return what one command has to say of many archives: those that can be opened."""
    try:
        output, _, _ = await _run([*command, *names], seconds)
    except TimeoutError:
        return {}
    reports: dict[str, Report] = {}
    for line in output.splitlines():
        try:
            report = msgspec.json.decode(line, type=Report)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        if report.ok:
            reports[report.path] = report
    return reports


async def _inspect(name: str, command: Sequence[str], seconds: float) -> Report:
    try:
        output, complaints, code = await _run([*command, name], seconds)
    except TimeoutError:
        return Report(ok=False, error=f"looking into it did not end within {seconds:.0f} s")
    return _read(output, complaints, code)


async def _run(command: Sequence[str], seconds: float) -> tuple[bytes, bytes, int]:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        process_group=0,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )
    try:
        async with asyncio.timeout(seconds):
            output, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            # With what it forked.
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return output, complaints, process.returncode or 0


def _read(output: bytes, complaints: bytes, code: int) -> Report:
    # A container ends with what its process was killed by on top of 128.
    if code < 0 or code > _KILLED:
        number = -code if code < 0 else code - _KILLED
        return Report(
            ok=False, error=f"opening it killed the inspecting process ({_signal(number)})"
        )
    # libzim may print on a standard stream; the report is the last line.
    lines = output.strip().splitlines() or [b""]
    try:
        report = msgspec.json.decode(lines[-1], type=Report)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        last = complaints.decode(errors="replace").strip().splitlines()[-1:] or ["no output"]
        return Report(ok=False, error=f"looking into it failed: {last[0]}")
    if not report.ok and not report.error:
        report.error = "it cannot be opened"
    return report


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _size(path: Path) -> int:
    parts = [path] if path.exists() else path.parent.glob(f"{path.name}[a-z][a-z]")
    return sum(part.stat().st_size for part in parts)
