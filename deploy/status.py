"""The state of a cluster: what its gateway says, or, if that is silent, what supervisord says."""

import http.client
import urllib.error
from typing import Any, NamedTuple

import msgspec

from common.endpoints import endpoint, ipc_path, socket_path
from common.manifest import Manifest
from deploy import page
from deploy.control import ProgramState
from deploy.errors import wrong_token
from deploy.site import RunDir
from deploy.supervisor import Numbers, program_name

_ANSWER_SECONDS = 5.0

_REPLICA_STATES = {"RUNNING": "running", "STARTING": "starting", "STOPPING": "draining"}
"""supervisord's words in those of a cluster. It knows that a keeper runs, not what its worker can
do, so that the best it can say is ``running``. Everything else is ``down``."""


class Replica(msgspec.Struct, kw_only=True):
    """One replica, as ``/status`` shows it."""

    endpoint: str = ""
    state: str = ""
    archive: str | None = None
    pid: int | None = None
    keeper_pid: int | None = None
    uptime: float | None = None
    restarts: int | None = None
    quarantined: int | None = None
    breaker: str | None = None
    error: str | None = None

    @property
    def label(self) -> str:
        """The number of a replica of this machine, the address of another; empty for none."""
        path = ipc_path(self.endpoint)
        return path.name.rpartition(".")[2] if path else self.endpoint.rpartition("/")[2]

    @property
    def troubles(self) -> list[str]:
        """What keeps it from serving, or from serving everything, in words."""
        found = [self.error] if self.error else []
        if self.breaker not in {None, "", "closed"}:
            found.append(f"breaker {self.breaker}")
        if self.quarantined:
            found.append(f"{self.quarantined} quarantined")
        return found


class LibraryStatus(msgspec.Struct, kw_only=True):
    """One library, as ``/status`` shows it."""

    name: str
    slug: str = ""
    state: str = ""
    error: str | None = None
    index: str | None = None
    index_reason: str | None = None
    adapter: str | None = None
    documents: int | None = None
    snapshot: str | None = None
    replicas: list[Replica] = []

    @property
    def ready_replicas(self) -> int:
        """How many replicas answer."""
        return sum(replica.state == "ready" for replica in self.replicas)


class GatewayStatus(msgspec.Struct, kw_only=True):
    """What ``/status`` shows; fields that a newer gateway adds are passed over."""

    state: str = ""
    manifest: str | None = None
    libraries: list[LibraryStatus] = []


class ClusterStatus(NamedTuple):
    """A status, and who gave it.

    Attributes:
        raw: The whole of it, for other programs.
        from_gateway: False if the gateway did not answer and supervisord was asked.
    """

    gateway: GatewayStatus
    raw: dict[str, Any]
    from_gateway: bool


def read(url: str, token: str = "", *, seconds: float = _ANSWER_SECONDS) -> ClusterStatus | None:
    """Ask the gateway at ``url``; None if it gives no status.

    Raises:
        Failed: It asks for another token.
    """
    try:
        body = page.read(url + "/status", token, seconds=seconds)
        status = msgspec.json.decode(body, type=GatewayStatus)
        return ClusterStatus(status, msgspec.json.decode(body), from_gateway=True)
    except urllib.error.HTTPError as exc:
        with exc:
            if exc.code == http.client.UNAUTHORIZED:
                raise wrong_token(url) from exc
        return None
    except (OSError, http.client.HTTPException, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def by_endpoint(status: ClusterStatus | None) -> dict[str, Replica]:
    """Return every replica by its endpoint."""
    libraries = status.gateway.libraries if status else ()
    return {one.endpoint: one for library in libraries for one in library.replicas}


def from_supervisor(
    programs: list[ProgramState], manifest: Manifest, numbers: Numbers, run_dir: RunDir
) -> ClusterStatus:
    """Return as much of a status as supervisord can tell."""
    states = {program.name: program for program in programs}
    libraries = []
    for library in manifest.libraries:
        replicas = [
            _replica(
                states.get(program_name(library.slug, number)),
                endpoint(socket_path(run_dir.path, library.slug, number)),
            )
            for number in numbers[library.name]
        ]
        up = any(replica.state == "running" for replica in replicas)
        state = "running" if up else "down"
        libraries.append(
            LibraryStatus(name=library.name, slug=library.slug, state=state, replicas=replicas)
        )
    status = GatewayStatus(state="down", libraries=libraries)
    return ClusterStatus(status, msgspec.to_builtins(status), from_gateway=False)


def unready(status: ClusterStatus | None, manifest: Manifest) -> list[str]:
    """Return what is still missing: ``name (state)`` for each library, in manifest order."""
    known = {library.name: library for library in status.gateway.libraries} if status else {}
    missing = []
    for library in manifest.libraries:
        found = known.get(library.name)
        if found is None:
            missing.append(f"{library.name!r} (unknown to the gateway)")
        elif found.state != "ready" or found.ready_replicas < library.replicas:
            ready = f"{found.ready_replicas} of {library.replicas} replicas ready"
            missing.append(f"{library.name!r} ({found.state}, {ready}{_reasons(found)})")
    return missing


def _reasons(library: LibraryStatus) -> str:
    errors = sorted({replica.error for replica in library.replicas if replica.error})
    return f": {'; '.join(errors)}" if errors else ""


def _replica(program: ProgramState | None, address: str) -> Replica:
    if program is None:
        return Replica(endpoint=address, state="down")
    return Replica(
        endpoint=address,
        state=_REPLICA_STATES.get(program.state, "down"),
        keeper_pid=program.pid,
        uptime=program.uptime,
    )
