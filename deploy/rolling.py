"""Starting replicas beside those that serve, and letting replicas go, while the cluster serves on.

Nothing here knows which of them belong to the cluster in the end; its record says that.
"""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from common.endpoints import endpoint, socket_path
from common.manifest import Library
from deploy import cluster, ends, processes, status
from deploy.control import Supervisor
from deploy.errors import Failed
from deploy.record import replace_file
from deploy.site import RunDir
from deploy.supervisor import GATEWAY, SHARD_STOP_SECONDS, Program, program_name

READY_SECONDS = cluster.READY_SECONDS
"""For new replicas to be ready, as for a whole cluster to be."""

SETTLE_SECONDS = 2.5
"""Until every gateway knows the new replicas: each looks every 2 s, and connects at once."""

_GONE_SECONDS = 5.0

ReadStatus = Callable[[], status.ClusterStatus | None]


class Newcomer(NamedTuple):
    """A replica that has been started.

    Attributes:
        archive: The UUID it has to serve; empty if any will do.
    """

    library: Library
    number: int
    archive: str = ""

    @property
    def name(self) -> str:
        """The name of its program."""
        return program_name(self.library.slug, self.number)

    def endpoint(self, run_dir: RunDir) -> str:
        """Return where it binds."""
        return endpoint(socket_path(run_dir.path, self.library.slug, self.number))


class Rolling:
    """The replicas of the cluster in ``run_dir`` as they come and go.

    Args:
        patience: Seconds for newcomers to bind, and again to be ready.
    """

    def __init__(
        self,
        run_dir: RunDir,
        gateway: Program,
        read_status: ReadStatus,
        *,
        patience: float = READY_SECONDS,
    ) -> None:
        self._run_dir = run_dir
        self._patience = patience
        self._gateway = gateway
        self._read_status = read_status
        self._control = Supervisor(run_dir.supervisor_socket)

    def programs(self) -> list[str]:
        """Return the names of the programs of all replicas that supervisord keeps.

        Raises:
            Failed: It does not answer.
        """
        programs = self._control.programs()
        if programs is None:
            raise Failed(
                f"supervisord of the cluster in {self._run_dir.path} does not answer; "
                "what is left of the cluster is ended by corpus-mcp down"
            )
        return [program.name for program in programs if program.name != GATEWAY]

    def configure(self, shards: Sequence[Program]) -> None:
        """Write the configuration that has these programs; it changes nothing that runs.

        Raises:
            Failed: The file cannot be written.
        """
        rendered = cluster.configuration(self._run_dir, self._gateway, shards)
        replace_file(self._run_dir.supervisor_config, rendered.text.encode())

    @contextlib.contextmanager
    def joined(
        self, newcomers: Sequence[Newcomer], *, after: Sequence[Program], before: Sequence[Program]
    ) -> Iterator[None]:
        """Start newcomers for the block, once they have bound their sockets.

        Whatever goes wrong until the block has ended takes them away again. ``after`` are the
        programs of the whole cluster with them, ``before`` those without.

        Raises:
            Failed: One does not get so far; the message names its library.
            ConfigError: A program refuses its configuration.
        """
        try:
            self.configure(after)
            self._start(newcomers)
            yield
        except BaseException:
            with contextlib.suppress(Failed):
                self.retire([one.name for one in newcomers])
                self.configure(before)
            raise

    def _start(self, newcomers: Sequence[Newcomer]) -> None:
        for one in newcomers:
            self._remove_socket(one.name)
        self._control.add(one.name for one in newcomers)
        labels = {one.name: f"library {one.library.name!r}" for one in newcomers}
        waiting = list(newcomers)

        def bound() -> bool:
            nonlocal waiting
            ends.refuse(self._run_dir, labels)
            waiting = [one for one in waiting if not self._is_bound(one)]
            return not waiting

        if not processes.wait(bound, self._patience):
            raise Failed(self._late(waiting[0], "it has not bound its socket"))

    def wait_ready(self, newcomers: Sequence[Newcomer]) -> dict[str, status.Replica]:
        """Return the newcomers as the gateway sees them, by program, once all are ready.

        Raises:
            Failed: One is not; the message names its library and why.
        """
        found: dict[str, status.Replica] = {}

        def ready() -> bool:
            nonlocal found
            seen = status.by_endpoint(self._read_status())
            found = {
                one.name: seen.get(one.endpoint(self._run_dir), status.Replica())
                for one in newcomers
            }
            return all(_serves(found[one.name], one) for one in newcomers)

        if not processes.wait(ready, self._patience):
            late = next(one for one in newcomers if not _serves(found[one.name], one))
            raise Failed(self._late(late, _standing(found[late.name])))
        return found

    def settle(self) -> None:
        """Wait until every gateway must have seen what the recorded one has seen."""
        time.sleep(SETTLE_SECONDS)

    def retire(self, names: Sequence[str]) -> None:
        """Let programs finish what they have, and forget them and their sockets.

        Raises:
            Failed: supervisord does not answer, or a process does not end.
        """
        for name in names:
            self._control.stop(name)
        seconds = SHARD_STOP_SECONDS + 5.0
        if not processes.wait(lambda: not self._running(names), seconds):
            raise Failed(
                f"{', '.join(self._running(names))} could not be stopped in {seconds:.0f} s"
            )
        for name in names:
            self._control.remove(name)
            self._remove_socket(name)

    def wait_gone(self, names: Sequence[str]) -> None:
        """Wait until the gateway has forgotten these replicas too; not for ever."""
        gone = {endpoint(self._run_dir.sockets / name) for name in names}
        processes.wait(
            lambda: not gone & set(status.by_endpoint(self._read_status())), _GONE_SECONDS
        )

    def _late(self, newcomer: Newcomer, why: str) -> str:
        return (
            f"library {newcomer.library.name!r}: replica {newcomer.number} is not ready after "
            f"{self._patience:.0f} s ({why})"
        )

    def _running(self, names: Sequence[str]) -> list[str]:
        running = {program.name for program in self._control.programs() or () if program.pid}
        return [name for name in names if name in running]

    def _is_bound(self, newcomer: Newcomer) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self._run_dir.sockets / newcomer.name))
            except OSError:
                return False
        return True

    def _remove_socket(self, name: str) -> None:
        # What is left of an earlier replica with this number would be taken for the new one.
        for path in (self._run_dir.sockets / name, self._run_dir.sockets / f"{name}.lock"):
            with contextlib.suppress(OSError):
                path.unlink()


def _serves(replica: status.Replica, newcomer: Newcomer) -> bool:
    fits = not newcomer.archive or replica.archive in {None, "", newcomer.archive}
    return replica.state == "ready" and fits


def _standing(replica: status.Replica) -> str:
    state = replica.state or "unknown to the gateway"
    return f"{state}: {replica.error}" if replica.error else state
