"""Taking up a changed manifest while the cluster serves on.

The order of the steps makes every one of them harmless to be interrupted after:

1. Newcomers are started beside what serves. Without more, they are replicas too many.
2. New libraries are put into the resolved manifest, from which gateways take them up.
3. When every newcomer is ready, the record and then the resolved manifest name the new state.
   Before this point the old state is restored if something goes wrong.
4. When the gateways have taken that up, what is not in the record goes.

So whatever is killed half way, the cluster serves the old or the new state, and what is too many
goes at the next reload.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from common import manifest
from common.manifest import Manifest
from common.settings import token
from deploy import changes, launch, processes, record, status, turn
from deploy.changes import Change, Changes, Kind, Served, Wanted
from deploy.corpus import Corpus
from deploy.errors import Failed
from deploy.inspection import Report
from deploy.record import Record, replace_file
from deploy.rolling import Newcomer, ReadStatus, Rolling
from deploy.site import RunDir, Site, absolute
from deploy.supervisor import Numbers, Program, gateway_program, shard_programs

TAKEN_UP_SECONDS = 30.0
"""For the gateway to read the manifest again: it looks every 2 s."""

Say = Callable[[str], None]


class Reload:
    """One reload of the cluster in ``run_dir``.

    Args:
        before: The record of the cluster.
        config: The operator's manifest, from which ``corpus`` was resolved below ``root``.
    """

    def __init__(  # noqa: PLR0913 - each is a part of what is compared
        self,
        run_dir: RunDir,
        before: Record,
        rolling: Rolling,
        read_status: ReadStatus,
        *,
        corpus: Corpus,
        config: Path,
        root: Path,
    ) -> None:
        self._run_dir = run_dir
        self._before = before
        self._rolling = rolling
        self._read_status = read_status
        self._old = manifest.load(run_dir.manifest)
        self._new = corpus.manifest
        self._reports = {one.library.name: one.report for one in corpus.served}
        self._config = config
        self._root = root

    def run(self, say: Say) -> None:
        """Do it, and tell what became of each library that is not the same as before.

        Raises:
            Failed: The gateway or supervisord does not answer, or a library does not get ready;
                it is named, and what served serves on.
        """
        archives = {name: _uuid(report) for name, report in self._reports.items()}
        planned = changes.plan(self._served(), Wanted(self._new, self._root, archives))
        after = msgspec.structs.replace(
            self._before,
            config=str(self._config),
            root=str(self._root),
            replicas=planned.numbers,
        )
        newcomers = [
            Newcomer(change.library, number, archives[change.library.name])
            for change in planned.changes
            for number in change.started
        ]
        if newcomers or planned.leaving or after != self._before or self._new != self._old:
            self._take_up(newcomers, after)
            self._let_go(planned)
        told = [change for change in planned.changes if not change.is_none]
        for change in told:
            say(_line(change, self._reports.get(change.library.name)))
        if not told:
            say("nothing to do")

    def _served(self) -> Served:
        current = self._read_status()
        if current is None:
            raise Failed(
                "the gateway gives no status, so nobody could tell when a library is ready"
            )
        numbers = {
            library.name: self._before.replicas.get(library.name, [])
            for library in self._old.libraries
        }
        return Served(
            manifest=self._old,
            root=Path(self._before.root),
            numbers=numbers,
            archives=self._served_archives(current, numbers),
            programs=self._rolling.programs(),
        )

    def _served_archives(
        self, current: status.ClusterStatus, numbers: Numbers
    ) -> dict[str, set[str]]:
        replicas = status.by_endpoint(current)
        found: dict[str, set[str]] = {}
        for library in self._old.libraries:
            known = (
                replicas.get(Newcomer(library, number).endpoint(self._run_dir))
                for number in numbers[library.name]
            )
            found[library.name] = {one.archive for one in known if one and one.archive}
        return found

    def _take_up(self, newcomers: list[Newcomer], after: Record) -> None:
        """Bring the cluster to where it serves the new state, with the old replicas beside it."""
        beside = changes.beside(self._old, self._new)
        visible = [one for one in newcomers if one.library.name in beside.by_name()]
        before = self._before
        with (
            self._rolling.joined(
                newcomers,
                after=self._programs(self._new, after.replicas, self._root),
                before=self._programs(self._old, before.numbers(self._old), Path(before.root)),
            ),
            self._restored(),
        ):
            if beside != self._old:
                self._write_manifest(beside)
            self._rolling.wait_ready(visible)
            record.write(self._run_dir, after)
            self._write_manifest(self._new)
            self._wait_taken_up()
            self._rolling.wait_ready(newcomers)

    def _let_go(self, planned: Changes) -> None:
        if planned.of(Kind.REPLACED, Kind.REMOVED):
            self._rolling.settle()
        self._rolling.retire(planned.leaving)
        self._rolling.wait_gone(planned.leaving)

    @contextlib.contextmanager
    def _restored(self) -> Iterator[None]:
        """Put the record and the manifest back if the block fails."""
        try:
            yield
        except BaseException:
            # Without a record, somebody has ended the cluster meanwhile.
            if self._run_dir.record.exists():
                record.write(self._run_dir, self._before)
                self._write_manifest(self._old)
            raise

    def _wait_taken_up(self) -> None:
        expected = manifest.digest(self._new)

        def taken_up() -> bool:
            current = self._read_status()
            return current is not None and current.gateway.manifest == expected

        if not processes.wait(taken_up, TAKEN_UP_SECONDS):
            raise Failed(
                f"the gateway has not taken up the new manifest within {TAKEN_UP_SECONDS:.0f} s"
            )

    def _write_manifest(self, resolved: Manifest) -> None:
        replace_file(self._run_dir.manifest, manifest.render(resolved).encode())

    def _programs(self, resolved: Manifest, numbers: Numbers, root: Path) -> list[Program]:
        return shard_programs(resolved, numbers, root, self._run_dir.path)


def reload(site: Site, config: Path | None, root: Path | None, say: Say) -> None:
    """Read the operator's manifest again, validate it as a start does, and serve what it says.

    ``config`` and ``root`` are those of the last time unless they are given.

    Raises:
        ConfigError: The operator must edit something; nothing has changed.
        Failed: An archive cannot be opened, and nothing has changed; or what `Reload.run` says.
    """
    run_dir = site.run_dir
    record.running(run_dir)
    with turn.take(run_dir, "reload", patience=turn.PATIENCE, say=say):
        before = record.running(run_dir)
        place = site._replace(
            config=absolute(config or Path(before.config)),
            root=absolute(root or Path(before.root)),
        )
        wanted = manifest.load(place.config)
        corpus = launch.prepared(place, wanted, say)
        secret = token(site.settings)

        def read_status() -> status.ClusterStatus | None:
            return status.read(before.url, secret)

        rolling = Rolling(run_dir, gateway_program(site.settings), read_status)
        change = Reload(
            run_dir,
            before,
            rolling,
            read_status,
            corpus=corpus,
            config=place.config,
            root=place.root,
        )
        change.run(say)


def _uuid(report: Report) -> str:
    """Return what tells the archive from others; empty where nothing does."""
    return "" if not report.uuid or set(report.uuid) <= {"0", "-"} else report.uuid


def _line(change: Change, report: Report | None) -> str:
    snapshot = f"snapshot {report.snapshot}" if report and report.snapshot else "no snapshot"
    numbers = ", ".join(map(str, change.numbers))
    what = {
        Kind.ADDED: f"added, {snapshot}, replica {numbers}",
        Kind.REPLACED: f"replaced, {snapshot}, replica {numbers}: {change.reason}",
        Kind.RESIZED: change.reason,
        Kind.REMOVED: "removed",
        Kind.KEPT: "let go of what an interrupted command had left",
    }
    return f"{change.library.name}: {what[change.kind]}"
