"""Restarting a library without taking it away: each replica goes when its successor is ready."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from common.manifest import Library
from common.settings import token
from deploy import changes, record, running, status, turn
from deploy.record import Record
from deploy.rolling import Newcomer, Rolling
from deploy.site import RunDir, Site
from deploy.supervisor import (
    Numbers,
    Program,
    gateway_program,
    program_name,
    shard_programs,
)

Notify = Callable[[int, Newcomer, status.Replica], None]
"""Hears of the number of the replica that goes, its successor, and what that is like."""

Programs = Callable[[Numbers], Sequence[Program]]
"""Returns the programs of all replicas of the cluster, when they have these numbers."""


def restart(place: Site, name: str, say: Callable[[str], None]) -> None:
    """Replace the replicas of a library of the cluster that runs at ``place``.

    Raises:
        ConfigError: It has no library of that name.
        Failed: See `replace`, or another verb does not come to its end.
    """
    run_dir = place.run_dir
    running.library(run_dir, name)
    record.running(run_dir)
    with turn.take(run_dir, "restart", patience=turn.PATIENCE, say=say):
        library, known = running.library(run_dir, name), record.running(run_dir)
        resolved, secret = running.resolved(run_dir), token(place.settings)
        rolling = Rolling(
            run_dir, gateway_program(place.settings), lambda: status.read(known.url, secret)
        )

        def programs(numbers: Numbers) -> list[Program]:
            return shard_programs(resolved, numbers, Path(known.root), run_dir.path)

        def tell(number: int, newcomer: Newcomer, replica: status.Replica) -> None:
            say(
                f"{library.name}: replica {newcomer.number} is ready (worker {replica.pid}) "
                f"in the place of {number}"
            )

        replace(library, run_dir, rolling, programs, tell)


def replace(
    library: Library, run_dir: RunDir, rolling: Rolling, programs: Programs, notify: Notify
) -> None:
    """Replace each replica of ``library`` by one that was started beside it.

    The path of the archive stays the one that was chosen when the cluster started. One successor
    after another is started, so that a library with many replicas needs no more memory than for
    one more.

    Raises:
        Failed: supervisord or the gateway does not answer, or a successor does not get ready; it
            has been taken away again, and what served serves on.
    """
    current = record.running(run_dir)
    gone = []
    for number in current.replicas.get(library.name, ()):
        (free,) = changes.free_numbers(library.slug, rolling.programs(), 1)
        newcomer, after = Newcomer(library, free), _with(current, library.name, number, free)
        with rolling.joined(
            [newcomer], after=programs(after.replicas), before=programs(current.replicas)
        ):
            found = rolling.wait_ready([newcomer])
            record.write(run_dir, after)
        current = after
        notify(number, newcomer, found[newcomer.name])
        rolling.settle()
        old = program_name(library.slug, number)
        rolling.retire([old])
        gone.append(old)
    left = _left_over(library, current, rolling.programs())
    rolling.retire(left)
    # A number that has become free may have been taken again.
    serving = _names(library, current)
    rolling.wait_gone([name for name in (*gone, *left) if name not in serving])


def _with(before: Record, name: str, old: int, new: int) -> Record:
    numbers = sorted({*before.replicas[name], new} - {old})
    return msgspec.structs.replace(before, replicas={**before.replicas, name: numbers})


def _left_over(library: Library, current: Record, programs: Iterable[str]) -> list[str]:
    """Return the programs that an interrupted command has left beside those of ``library``."""
    others = set(programs) - _names(library, current)
    return [name for name in others if name.rpartition(".")[0] == library.slug]


def _names(library: Library, current: Record) -> set[str]:
    numbers = current.replicas.get(library.name, ())
    return {program_name(library.slug, number) for number in numbers}
