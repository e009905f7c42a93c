"""Starting a cluster, waiting for it, and ending it without a trace.

While a cluster runs in a run directory, or is being started there, another is refused. What a dead
one left behind is ended and removed before the next one starts.
"""

import contextlib
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
from deploy import ends, leftovers, processes, record, status, supervisor, turn
from deploy.control import Supervisor
from deploy.errors import Failed
from deploy.logs import last_words
from deploy.record import Record
from deploy.site import RunDir, Site, base_url, cluster_environment

READY_SECONDS = 60.0
"""For every library to be ready: archives open in milliseconds, but a disk may be asleep."""

_TICK = 0.05


class Plan(NamedTuple):
    """What is to run.

    Attributes:
        environment: Of every process.
        manifest: The resolved one.
        record: For whoever changes the cluster later.
        token: What the gateway will ask for, or empty.
        stop_seconds: How long an orderly stop takes at most.
    """

    run_dir: RunDir
    environment: Mapping[str, str]
    manifest: Manifest
    gateway: supervisor.Program
    shards: Sequence[supervisor.Program]
    record: Record
    token: str
    stop_seconds: float


def plan(site: Site, manifest: Manifest, port: int, token: str) -> Plan:
    """Return what `start` needs for a resolved manifest."""
    numbers = supervisor.first_numbers(manifest)
    return Plan(
        run_dir=site.run_dir,
        environment=cluster_environment(site, port),
        manifest=manifest,
        gateway=supervisor.gateway_program(site.settings),
        shards=supervisor.shard_programs(manifest, numbers, site.root, site.run_dir.path),
        record=Record(
            url=base_url(site.settings.mcp_host, port),
            config=str(site.config),
            root=str(site.root),
            replicas=numbers,
        ),
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
    except OSError as exc:
        raise ConfigError(f"CORPUS_RUN_DIR: expected a folder to write into, got {exc}") from exc
    with turn.take(run_dir, "up", patience=0):
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
        return self._plan.record.url

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
            current = status.read(self._plan.record.url, self._plan.token)
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
        names = supervisor.replica_names(self._plan.manifest, self._plan.record.replicas)
        labels = {program: f"library {name!r}" for name, some in names.items() for program in some}
        ends.refuse(self._plan.run_dir, {**labels, self._plan.gateway.name: "the gateway"})

    def _late(
        self, current: status.ClusterStatus | None, missing: list[str], seconds: float
    ) -> str:
        if current is None:
            said = last_words(self._plan.run_dir.logs / f"{self._plan.gateway.name}.log")
            return f"the gateway gave no status at {self.url} within {seconds:.0f} s: {said}"
        return f"not ready within {seconds:.0f} s: library " + ", ".join(missing)


def start(plan: Plan) -> Cluster:
    """Write the files of a cluster and start its supervisord, which nothing ties to us.

    Raises:
        ConfigError: The files cannot be written.
    """
    run_dir = plan.run_dir
    leftovers.make_sockets(run_dir)
    rendered = configuration(run_dir, plan.gateway, plan.shards)
    try:
        run_dir.manifest.write_text(render(plan.manifest), encoding="utf-8")
        run_dir.supervisor_config.write_text(rendered.text, encoding="utf-8")
        record.write(run_dir, plan.record)
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


def configuration(
    run_dir: RunDir, gateway: supervisor.Program, shards: Sequence[supervisor.Program]
) -> supervisor.Rendered:
    """Return the configuration of the supervisord of ``run_dir`` for these programs."""
    inside = run_dir.supervisor_socket.is_relative_to(run_dir.path)
    path = run_dir.supervisor_socket
    return supervisor.render(
        gateway,
        shards,
        socket=str(path.relative_to(run_dir.path) if inside else path),
        user=getpass.getuser() if os.geteuid() == 0 else None,
    )


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
        at = time.monotonic() + seconds
        _stop_programs(control, seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        processes.wait(ended, at - time.monotonic())
    processes.end(run_dir, min(seconds, 5.0))
    if process:
        process.kill()
        process.wait()
    leftovers.sweep(run_dir)


def _stop_programs(control: Supervisor, seconds: float) -> None:
    """Stop the gateway, so that calls in flight end, and then begin to stop all shards at once.

    supervisord alone would stop one program after another, and look once a second.
    """
    with contextlib.suppress(Failed):
        control.stop(supervisor.GATEWAY)
        processes.wait(lambda: not control.runs(supervisor.GATEWAY), seconds)
        control.stop_all()


_SUPERVISORD = (sys.executable, "-m", "supervisor.supervisord", "-c")
