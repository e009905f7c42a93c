"""Starting a cluster, waiting for it, and ending it without a trace.

One `up` at a time works in a run directory (it holds a lock), and while a cluster runs there,
another is refused. What a dead cluster left behind is ended and removed before the next one starts.
"""

import contextlib
import fcntl
import getpass
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from common.errors import ConfigError
from common.manifest import Manifest, render
from deploy import leftovers, processes, status, supervisor
from deploy.control import Supervisor
from deploy.errors import Failed
from deploy.logs import last_words
from deploy.site import RunDir, Site, base_url, cluster_environment, write_record

READY_SECONDS = 60.0
"""For every library to be ready: archives open in milliseconds, but a disk may be asleep."""

_TICK = 0.05

_BAD_CONFIGURATION = 2


class Plan(NamedTuple):
    """What is to run.

    Attributes:
        environment: Of every process.
        manifest: The resolved one.
        url: Where the gateway will be reached; ``token`` is what it will ask for, or empty.
        stop_seconds: How long an orderly stop takes at most.
    """

    run_dir: RunDir
    environment: Mapping[str, str]
    manifest: Manifest
    gateway: supervisor.Program
    shards: Sequence[supervisor.Program]
    url: str
    token: str
    stop_seconds: float


def plan(site: Site, manifest: Manifest, port: int, token: str) -> Plan:
    """Return what `start` needs for a resolved manifest."""
    return Plan(
        run_dir=site.run_dir,
        environment=cluster_environment(site, port),
        manifest=manifest,
        gateway=supervisor.gateway_program(site.settings),
        shards=supervisor.shard_programs(manifest, site.root, site.run_dir.path),
        url=base_url(site.settings.mcp_host, port),
        token=token,
        stop_seconds=supervisor.stop_seconds(site.settings),
    )


@contextlib.contextmanager
def claim(run_dir: RunDir) -> Iterator[None]:
    """Take the run directory for a start, cleared of what a dead cluster left.

    Raises:
        ConfigError: It cannot be written to.
        Failed: A cluster runs there, or is being started.
    """
    try:
        run_dir.logs.mkdir(parents=True, exist_ok=True)
        lock = run_dir.lock.open("a", encoding="ascii")
    except OSError as exc:
        raise ConfigError(f"CORPUS_RUN_DIR: expected a folder to write into, got {exc}") from exc
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failed(f"a cluster is being started in {run_dir.path} already") from None
        if pid := supervisor_pid(run_dir):
            raise Failed(
                f"a cluster runs in {run_dir.path} already (supervisord {pid}); end it with "
                f"corpus-mcp down, or give another --run-dir and --port"
            )
        leftovers.sweep(run_dir)
        yield


def supervisor_pid(run_dir: RunDir) -> int | None:
    """Return the pid of the supervisord of the cluster in ``run_dir``; None if none runs."""
    return processes.supervisor(run_dir) or Supervisor(run_dir.supervisor_socket).pid()


def is_starting(run_dir: RunDir) -> bool:
    """Tell whether somebody is about to start a cluster in ``run_dir``."""
    try:
        with run_dir.lock.open("a", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        # Not even a folder is there.
        return False
    return False


def is_alive(run_dir: RunDir) -> bool:
    """Tell whether anything of a cluster runs in ``run_dir``."""
    return bool(processes.members(run_dir)) or supervisor_pid(run_dir) is not None


class Cluster:
    """A cluster that this process has started."""

    def __init__(self, plan: Plan, process: subprocess.Popen[bytes]) -> None:
        self._plan = plan
        self._process = process

    @property
    def pid(self) -> int:
        """The process id of its supervisord."""
        return self._process.pid

    @property
    def url(self) -> str:
        """Where the gateway is reached; the endpoint is ``/mcp`` below it."""
        return self._plan.url

    def wait_ready(self, seconds: float = READY_SECONDS) -> status.ClusterStatus:
        """Return the status once every replica of every library is ready.

        Raises:
            ConfigError: A program refuses its configuration.
            Failed: One is not after ``seconds``, or a program ended; the message names it.
        """
        at = time.monotonic() + seconds
        while True:
            # Asking supervisord also makes it begin at once rather than at its next tick.
            self._refuse_ended()
            current = status.read(self._plan.url, self._plan.token)
            missing = status.unready(current, self._plan.manifest)
            if current and not missing:
                return current
            if time.monotonic() >= at:
                raise Failed(self._late(current, missing, seconds))
            time.sleep(_TICK)

    def wait_ended(self) -> None:
        """Wait until supervisord ends, which it does not by itself."""
        self._process.wait()

    def stop(self) -> None:
        """End every process and remove every socket; interrupted, do it at once and by force."""
        try:
            stop(self._plan.run_dir, self._plan.stop_seconds, self._process)
        except KeyboardInterrupt:
            stop(self._plan.run_dir, 0, self._process)

    def _refuse_ended(self) -> None:
        if self._process.poll() is not None:
            said = last_words(self._plan.run_dir.supervisor_output)
            raise Failed(f"supervisord ended with {self._process.returncode}: {said}")
        names = self._library_names()
        for program in Supervisor(self._plan.run_dir.supervisor_socket).programs() or []:
            if program.has_ended:
                label = names.get(program.program, f"the {program.program}")
                said = last_words(self._plan.run_dir.logs / f"{program.program}.log")
                # Ours end with 2 when the operator must edit something, and say what.
                error = ConfigError if program.exit_status == _BAD_CONFIGURATION else Failed
                raise error(f"{label}: its process ended while the cluster started: {said}")

    def _library_names(self) -> dict[str, str]:
        names = supervisor.replica_names(self._plan.manifest)
        return {program: f"library {name!r}" for name, some in names.items() for program in some}

    def _late(
        self, current: status.ClusterStatus | None, missing: list[str], seconds: float
    ) -> str:
        if current is None:
            said = last_words(self._plan.run_dir.logs / f"{self._plan.gateway.name}.log")
            return f"the gateway gave no status at {self._plan.url} within {seconds:.0f} s: {said}"
        return f"not ready within {seconds:.0f} s: library " + ", ".join(missing)


def start(plan: Plan) -> Cluster:
    """Write the files of a cluster and start its supervisord, which nothing ties to us.

    Raises:
        ConfigError: The files cannot be written.
    """
    run_dir = plan.run_dir
    leftovers.make_sockets(run_dir)
    rendered = supervisor.render(
        plan.gateway, plan.shards, socket=_supervisor_socket(run_dir), user=_root()
    )
    try:
        run_dir.manifest.write_text(render(plan.manifest), encoding="utf-8")
        run_dir.supervisor_config.write_text(rendered.text, encoding="utf-8")
        write_record(run_dir, plan.url)
        output = run_dir.supervisor_output.open("wb")
    except OSError as exc:
        raise ConfigError(f"CORPUS_RUN_DIR: expected a folder to write into, got {exc}") from exc
    with output:
        process = subprocess.Popen(  # noqa: S603 - our own words
            (*_SUPERVISORD, run_dir.supervisor_config.name),
            cwd=run_dir.path,
            env={**plan.environment, **rendered.environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # Ctrl-C is for us alone: we end the cluster in good order.
            start_new_session=True,
        )
    return Cluster(plan, process)


def stop(run_dir: RunDir, seconds: float, process: subprocess.Popen[bytes] | None = None) -> None:
    """End the cluster in ``run_dir``, whatever is left of it: in order, then by force.

    ``seconds`` are for the orderly part; 0 goes by force at once. ``process`` is the supervisord
    if it is our own child.
    """
    control = Supervisor(run_dir.supervisor_socket)

    def ended() -> bool:
        # Asked something, supervisord goes on with its stopping at once.
        control.programs()
        return processes.supervisor(run_dir) is None and (
            process.poll() is not None if process else control.pid() is None
        )

    pid = process.pid if process and process.poll() is None else supervisor_pid(run_dir)
    if pid and seconds > 0:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        processes.wait(ended, seconds)
    processes.end(run_dir, min(seconds, 5.0))
    if process:
        process.kill()
        process.wait()
    leftovers.sweep(run_dir)


_SUPERVISORD = (sys.executable, "-m", "supervisor.supervisord", "-c")


def _supervisor_socket(run_dir: RunDir) -> str:
    inside = run_dir.supervisor_socket.is_relative_to(run_dir.path)
    path = run_dir.supervisor_socket
    return str(path.relative_to(run_dir.path) if inside else path)


def _root() -> str | None:
    return getpass.getuser() if os.geteuid() == 0 else None
