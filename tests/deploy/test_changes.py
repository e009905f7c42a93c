"""What a reload has to do, for every difference there can be."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from common.manifest import Library, Manifest
from deploy.changes import Change, Kind, Served, Wanted, beside, free_numbers, plan
from deploy.errors import Failed

WIKI = Library(name="Wiki", path="wiki_1.zim")
FARM = Library(name="Farm", path="farm.zim", replicas=2)
ROOT = Path("/corpus")

SERVED = Served(
    manifest=Manifest((WIKI, FARM)),
    root=ROOT,
    numbers={"Wiki": [0], "Farm": [0, 1]},
    archives={"Wiki": {"w1"}, "Farm": {"f1"}},
    programs=["farm.0", "farm.1", "wiki.0"],
)


def wanted(*libraries: Library, **archives: str) -> Wanted:
    return Wanted(Manifest(libraries), ROOT, {"Wiki": "w1", "Farm": "f1", **archives})


def changed(library: Library, **values: Any) -> Library:
    return msgspec.structs.replace(library, **values)


def of(name: str, changes: tuple[Change, ...]) -> Change:
    return next(change for change in changes if change.library.name == name)


def test_same_manifest_and_archives_leave_everything_alone() -> None:
    planned = plan(SERVED, wanted(WIKI, FARM))

    assert all(change.is_none for change in planned.changes)
    assert planned.leaving == ()
    assert planned.numbers == SERVED.numbers


def test_new_library_is_started_and_no_other_touched() -> None:
    planned = plan(SERVED, wanted(WIKI, FARM, Library(name="Q+A", path="q.zim", replicas=2)))

    added = of("Q+A", planned.changes)
    assert (added.kind, added.started, added.stopped) == (Kind.ADDED, (0, 1), ())
    assert [change for change in planned.changes if not change.is_none] == [added]
    assert planned.leaving == ()


def test_library_that_is_no_longer_named_goes() -> None:
    planned = plan(SERVED, wanted(WIKI))

    assert of("Farm", planned.changes).kind is Kind.REMOVED
    assert planned.leaving == ("farm.0", "farm.1")
    assert planned.numbers == {"Wiki": [0]}


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        pytest.param({"path": "wiki_2.zim"}, "wiki_1.zim to wiki_2.zim", id="path"),
        pytest.param({"adapter": "mediawiki"}, "adapter auto to mediawiki", id="adapter"),
        pytest.param({"memory_mb": 512}, "memory_mb unset to 512", id="memory"),
    ],
)
def test_changed_library_gets_successors_at_free_numbers(
    values: dict[str, Any], reason: str
) -> None:
    planned = plan(SERVED, wanted(changed(WIKI, **values), FARM))

    wiki = of("Wiki", planned.changes)
    assert (wiki.kind, wiki.kept, wiki.started, wiki.stopped) == (Kind.REPLACED, (), (1,), (0,))
    assert reason in wiki.reason
    assert planned.leaving == ("wiki.0",)
    assert planned.numbers == {"Wiki": [1], "Farm": [0, 1]}


def test_another_archive_at_the_same_path_is_a_change() -> None:
    planned = plan(SERVED, wanted(WIKI, FARM, Farm="f2"))

    farm = of("Farm", planned.changes)
    assert (farm.kind, farm.started, farm.stopped) == (Kind.REPLACED, (2, 3), (0, 1))
    assert of("Wiki", planned.changes).is_none


def test_replicas_that_serve_different_archives_are_all_replaced() -> None:
    # A worker that ended after the file was renamed has opened the new one already.
    mixed = SERVED._replace(archives={"Farm": {"f1", "f2"}})

    assert of("Farm", plan(mixed, wanted(WIKI, FARM, Farm="f2")).changes).started == (2, 3)


def test_archive_that_nobody_can_tell_from_others_is_no_change() -> None:
    for archives, uuid in (({}, "f2"), ({"Farm": {"f1"}}, "")):
        planned = plan(SERVED._replace(archives=archives), wanted(WIKI, FARM, Farm=uuid))

        assert planned.leaving == ()


def test_another_corpus_root_replaces_everything() -> None:
    planned = plan(SERVED, wanted(WIKI, FARM)._replace(root=Path("/other")))

    assert {change.kind for change in planned.changes} == {Kind.REPLACED}


def test_more_replicas_are_started_beside_the_others() -> None:
    farm = of("Farm", plan(SERVED, wanted(WIKI, changed(FARM, replicas=4))).changes)

    assert (farm.kind, farm.kept, farm.started, farm.stopped) == (
        *(Kind.RESIZED, (0, 1)),
        *((2, 3), ()),
    )


def test_surplus_replicas_go_from_the_last() -> None:
    planned = plan(SERVED, wanted(WIKI, changed(FARM, replicas=1)))

    assert of("Farm", planned.changes).kept == (0,)
    assert planned.leaving == ("farm.1",)


def test_numbers_of_an_earlier_reload_are_kept() -> None:
    later = SERVED._replace(numbers={"Wiki": [7], "Farm": [2, 5]}, programs=["wiki.7", "farm.2"])

    planned = plan(later, wanted(WIKI, FARM))

    assert of("Wiki", planned.changes).is_none
    assert planned.numbers == {"Wiki": [7], "Farm": [0, 2]}


class Interrupted:
    """What a reload leaves that was killed at one of its steps."""

    started = SERVED._replace(programs=[*SERVED.programs, "wiki.1"])
    introduced = SERVED._replace(
        manifest=Manifest((WIKI, FARM, Library(name="New", path="new.zim"))),
        programs=[*SERVED.programs, "new.0"],
    )
    recorded = started._replace(numbers={"Wiki": [1], "Farm": [0, 1]})


def test_replica_that_an_interrupted_reload_started_goes() -> None:
    planned = plan(Interrupted.started, wanted(WIKI, FARM))

    assert planned.leaving == ("wiki.1",)
    assert planned.numbers == SERVED.numbers


def test_interrupted_change_is_begun_again_beside_what_it_left() -> None:
    planned = plan(Interrupted.started, wanted(changed(WIKI, path="wiki_2.zim"), FARM))

    assert of("Wiki", planned.changes).started == (2,)
    assert planned.leaving == ("wiki.0", "wiki.1")


def test_library_that_was_introduced_without_a_record_is_started_anew() -> None:
    new = Library(name="New", path="new.zim")

    planned = plan(Interrupted.introduced, wanted(WIKI, FARM, new))

    assert of("New", planned.changes).started == (1,)
    assert planned.leaving == ("new.0",)


def test_interrupted_library_that_is_wanted_no_longer_goes() -> None:
    assert plan(Interrupted.introduced, wanted(WIKI, FARM)).leaving == ("new.0",)


def test_predecessor_that_still_runs_goes() -> None:
    assert plan(Interrupted.recorded, wanted(WIKI, FARM)).leaving == ("wiki.0",)


def test_renamed_library_with_the_same_slug_never_shares_a_number() -> None:
    planned = plan(SERVED, wanted(changed(WIKI, name="wiki"), FARM))

    assert of("wiki", planned.changes).started == (1,)
    assert planned.leaving == ("wiki.0",)
    assert planned.numbers == {"wiki": [1], "Farm": [0, 1]}


def test_new_libraries_stand_beside_the_old_unless_their_names_are_too_alike() -> None:
    both = beside(Manifest((WIKI,)), Manifest((changed(WIKI, name="WIKI"), FARM)))

    assert both == Manifest((WIKI, FARM))


def test_more_successors_than_there_are_numbers_are_refused() -> None:
    many = changed(FARM, replicas=64)
    full = SERVED._replace(
        manifest=Manifest((many,)),
        numbers={"Farm": list(range(64))},
        programs=[f"farm.{number}" for number in range(64)],
    )

    with pytest.raises(Failed, match=r"farm: expected room for 64 .*, got 36 of 100"):
        plan(full, wanted(many, Farm="f2"))
    assert free_numbers("farm", full.programs, 36) == tuple(range(64, 100))
