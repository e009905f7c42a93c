"""Restarting a library without taking it away: its replicas one after another."""

from collections.abc import Callable

from common.endpoints import endpoint, socket_path
from common.manifest import Library
from deploy import processes, status, supervisor
from deploy.control import ProgramState, Supervisor
from deploy.errors import Failed
from deploy.site import RunDir

REPLICA_SECONDS = 60.0
"""For one replica to be ready again, as for a whole cluster to be."""


def restart(
    library: Library,
    run_dir: RunDir,
    read_status: Callable[[], status.ClusterStatus | None],
    notify: Callable[[int, status.Replica], None],
) -> None:
    """Restart each replica of ``library`` and wait until the gateway says that it is ready.

    ``notify`` hears of each. The archive stays the one that was chosen when the cluster started.

    Raises:
        Failed: supervisord or the gateway does not answer, or a replica does not come back.
    """
    control = Supervisor(run_dir.supervisor_socket)
    for number in range(library.replicas):
        address = endpoint(socket_path(run_dir.path, library.slug, number))
        before = _replica(read_status(), library.name, address)
        _restart_program(control, f"{supervisor.SHARDS}:{library.slug}.{number}")
        after = _wait_ready(read_status, library.name, address, before)
        notify(number, after)


def _restart_program(control: Supervisor, name: str) -> None:
    control.stop(name)
    seconds = supervisor.SHARD_STOP_SECONDS + 5.0
    if not processes.wait(lambda: _program(control, name).pid == 0, seconds):
        raise Failed(f"supervisord could not stop {name} within {seconds:.0f} s")
    control.start(name)


def _program(control: Supervisor, name: str) -> ProgramState:
    programs = control.programs()
    if programs is None:
        raise Failed("supervisord does not answer")
    found = next((program for program in programs if program.name == name), None)
    if found is None:
        raise Failed(f"supervisord knows no program {name}")
    return found


def _wait_ready(
    read_status: Callable[[], status.ClusterStatus | None],
    name: str,
    address: str,
    before: status.Replica,
) -> status.Replica:
    found = before

    def is_back() -> bool:
        nonlocal found
        found = _replica(read_status(), name, address, allow_missing=True)
        return found.state == "ready" and found.pid != before.pid

    if not processes.wait(is_back, REPLICA_SECONDS):
        raise Failed(
            f"library {name!r}: a replica is not ready {REPLICA_SECONDS:.0f} s after its restart "
            f"({found.state or 'unknown to the gateway'})"
        )
    return found


def _replica(
    current: status.ClusterStatus | None, name: str, address: str, *, allow_missing: bool = False
) -> status.Replica:
    if current is None:
        if allow_missing:
            return status.Replica()
        raise Failed("the gateway gives no status, so nobody could tell when a replica is back")
    for library in current.gateway.libraries:
        for replica in library.replicas:
            if library.name == name and replica.endpoint == address:
                return replica
    return status.Replica()
