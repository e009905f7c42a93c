"""Many small shards and one gateway as real processes, to see what each of them costs."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from common.endpoints import endpoint, socket_path, tcp_endpoint
from common.manifest import Library, Manifest, render
from tests.cluster.running import clean_environment, free_port

READY_SECONDS = 300
"""For all shards of a fleet to answer."""

PORT = 7100

ANSWERED = "corpus_shard_request_duration_seconds_count"


class Memory:
    """Memory of processes, in MiB: `pss` counts shared pages by share, `uss` not at all."""

    def __init__(self, pids: Sequence[int]) -> None:
        fields: dict[str, int] = {}
        for pid in pids:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]:
                name, kib, *_ = line.split()
                fields[name] = fields.get(name, 0) + int(kib)
        self.pss = fields["Pss:"] / 1024
        self.uss = (fields["Private_Clean:"] + fields["Private_Dirty:"]) / 1024


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the CPU that processes have used, with that of children they have waited for."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def descriptors(pid: int) -> tuple[int, int]:
    """Return the number of open files of a process, and how many of them are sockets."""
    links = [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
    return len(links), sum(link.startswith("socket:") for link in links)


class Fleet:
    """A shard for each archive and a gateway over them, in ``folder``.

    Over TCP each shard has a loopback address of its own, which stands in for its name.

    Attributes:
        url: The gateway.
        started: Seconds from the first process to the last answer.
    """

    def __init__(
        self,
        archives: Sequence[Path],
        folder: Path,
        *,
        keys: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        folder.mkdir()
        self._archives = archives
        self._folder = folder
        self._tcp = keys is not None
        self._libraries = [
            Library(name=str(number), path=path.name) for number, path in enumerate(archives, 1)
        ]
        self._config = folder / "corpus.toml"
        self._config.write_text(render(Manifest(tuple(self._libraries))))
        self._http_port = free_port()
        self.url = f"http://127.0.0.1:{self._http_port}"
        self._environment = {
            **clean_environment(),
            "CORPUS_CONFIG": str(self._config),
            "CORPUS_RUN_DIR": str(folder),
            "MCP_PORT": str(self._http_port),
            "PYTHONSAFEPATH": "1",
            "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
            **(environment or {}),
        }
        self._keys = keys
        self._shards: list[subprocess.Popen[bytes]] = []
        self.started = 0.0

    def __enter__(self) -> Self:
        began = time.monotonic()
        (self._folder / "s").mkdir()
        for library, archive in zip(self._libraries, self._archives, strict=True):
            arguments = ["--library", library.name, "--archive", str(archive)]
            place = ["--endpoint", self._endpoint(library), "--adapter", "auto"]
            self._shards.append(self._start("shard", "serve", *arguments, *place))
        self._gateway = self._start("gateway", "serve")
        try:
            self._wait_ready(began + READY_SECONDS)
        except BaseException:
            self._end()
            raise
        self.started = time.monotonic() - began
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    @property
    def gateway(self) -> int:
        """The pid of the gateway."""
        return self._gateway.pid

    @property
    def keepers(self) -> list[int]:
        """The pids of the keepers."""
        return [shard.pid for shard in self._shards]

    @property
    def workers(self) -> list[int]:
        """The pids of the workers."""
        libraries = self.get("/status")["libraries"]
        return [replica["pid"] for library in libraries for replica in library["replicas"]]

    def answered(self) -> int:
        """Return how many requests the shards have answered."""
        lines = self._read("/metrics").decode().splitlines()
        counts = [line for line in lines if line.startswith(ANSWERED)]
        return sum(int(float(line.rpartition(" ")[2])) for line in counts)

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON at a path of the gateway."""
        return dict(json.loads(self._read(path)))

    def _read(self, path: str) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self._http_port, timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def _endpoint(self, library: Library) -> str:
        if self._tcp:
            return tcp_endpoint(f"127.0.0.{library.slug}", PORT)
        return endpoint(socket_path(self._folder, library.slug, 0))

    def _start(self, role: str, *arguments: str) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own
                [sys.executable, "-m", role, *arguments],
                env={**self._environment, **self._network(role)},
                stderr=log,
            )

    def _network(self, role: str) -> dict[str, str]:
        if self._keys is None:
            return {}
        other = "shard" if role == "gateway" else "gateway"
        return {
            "CORPUS_DISCOVERY": "dns",
            "SHARD_SERVICE": "127.0.0.{slug}",
            "SHARD_PORT": str(PORT),
            "CURVE_SECRET_FILE": str(self._keys / f"{role}.key"),
            "CURVE_PEERS_FILE": str(self._keys / f"{other}.pub"),
        }

    def _wait_ready(self, until: float) -> None:
        while not self._all_ready():
            if time.monotonic() > until:
                raise TimeoutError(f"not all of {len(self._shards)} shards answer")
            time.sleep(0.05)

    def _all_ready(self) -> bool:
        try:
            libraries = self.get("/status")["libraries"]
        except OSError:
            return False
        return all(library["state"] == "ready" for library in libraries)

    def _end(self) -> None:
        for process in (self._gateway, *self._shards):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in (self._gateway, *self._shards):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
