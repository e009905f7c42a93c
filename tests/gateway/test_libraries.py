import pytest

from common.manifest import Library, Manifest
from gateway.libraries import JOIN_AFTER, LEAVE_AFTER, Libraries


class Shard:
    """As much of a shard as is looked at here."""

    def __init__(self, library):
        self.library = library
        self.ready = False


def of(*names, **changes):
    return Manifest(tuple(Library(name=name, path="x.zim", **changes) for name in names))


@pytest.fixture
def libraries(clock):
    return Libraries(of("A", "B"), Shard, clock=clock)


def names(shards):
    return [shard.library.name for shard in shards]


def test_libraries_of_the_start_are_all_asked_at_once(libraries):
    assert list(libraries.view.joined) == ["A", "B"]
    assert libraries.settled


def test_new_library_is_named_and_joins_when_it_is_ready(libraries):
    libraries.change(of("C", "A", "B"))
    libraries.settle()

    assert list(libraries.view.joined) == ["A", "B"]
    assert list(libraries.view.named) == ["C", "A", "B"]
    assert not libraries.settled

    libraries.view.named["C"].ready = True
    libraries.settle()

    assert list(libraries.view.joined) == ["C", "A", "B"]
    assert libraries.settled


def test_new_library_that_is_never_ready_joins_after_a_while(libraries, clock):
    libraries.change(of("A", "B", "C"))
    clock.now += JOIN_AFTER - 1
    libraries.change(of("A", "C"))
    libraries.settle()

    assert list(libraries.view.joined) == ["A"]

    clock.now += 1
    libraries.settle()

    assert list(libraries.view.joined) == ["A", "C"]


def test_known_library_keeps_its_shard_and_learns_what_is_said_of_it(libraries):
    before = dict(libraries.view.named)
    libraries.change(of("B", "A", adapter="devdocs"))

    assert dict(libraries.view.joined) == before
    assert list(libraries.view.joined) == ["B", "A"]
    assert {shard.library.adapter for shard in before.values()} == {"devdocs"}


def test_removed_library_is_hidden_at_once_and_can_be_closed(libraries):
    libraries.change(of("A"))

    assert list(libraries.view.named) == ["A"]
    assert libraries.removed == {"B"}
    assert names(libraries.all()) == ["A", "B"]
    assert names(libraries.gone()) == ["B"]
    assert libraries.gone() == []
    assert names(libraries.all()) == ["A"]


def test_removed_library_stays_for_the_calls_that_hold_it(libraries):
    with libraries.held() as view:
        libraries.change(of("A"))
        assert list(view.joined) == ["A", "B"]
        assert libraries.gone() == []
    with libraries.held():
        assert names(libraries.gone()) == ["B"]


def test_removed_library_does_not_stay_for_ever(libraries, clock):
    with libraries.held():
        libraries.change(of("A"))
        clock.now += LEAVE_AFTER

        assert names(libraries.gone()) == ["B"]


def test_library_that_comes_back_is_a_new_one(libraries):
    old = libraries.view.named["B"]
    libraries.change(of("A"))
    libraries.change(of("A", "B"))

    assert libraries.view.named["B"] is not old
    assert list(libraries.view.joined) == ["A"]
    assert libraries.removed == set()
    assert libraries.gone() == [old]


def test_new_library_that_is_removed_before_it_joined_is_closed(libraries):
    libraries.change(of("A", "B", "C"))
    libraries.change(of("A", "B"))

    assert libraries.settled
    assert names(libraries.gone()) == ["C"]


def test_new_libraries_join_at_once_where_no_other_is_left(libraries):
    libraries.change(of("C", "D"))

    assert list(libraries.view.joined) == ["C", "D"]
    assert libraries.settled
