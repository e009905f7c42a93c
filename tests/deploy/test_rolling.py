"""Replicas that get successors, with small programs in the places of shard and gateway."""

import pytest

from deploy import record, restarting, status
from deploy.errors import Failed
from deploy.rolling import Newcomer, Rolling
from deploy.supervisor import Numbers, Program
from tests.deploy.plans import MANIFEST, Planner, rolling, running, shards, stand_in, workers

pytestmark = pytest.mark.cluster


def test_restart_gives_each_replica_a_successor_before_it_goes(planned: Planner) -> None:
    plan = planned()
    seen: list[tuple[int, int, int]] = []
    with running(plan):
        before = workers(plan)

        def tell(number: int, newcomer: Newcomer, _: status.Replica) -> None:
            # Each of the old ones is still there when its successor is ready.
            serving = len(set(workers(plan)) & {*before})
            seen.append((number, newcomer.number, serving))

        restarting.replace(
            MANIFEST.libraries[1],
            plan.run_dir,
            rolling(plan),
            lambda numbers: shards(plan.run_dir, numbers),
            tell,
        )
        after = workers(plan)
        left = record.running(plan.run_dir)

    assert seen == [(0, 2, 3), (1, 0, 2)]
    assert left.replicas == {"Wiki": [0], "C++": [0, 2]}
    assert len(after) == 3
    assert set(after) & set(before) == {before[0]}


@pytest.mark.parametrize(
    ("successor", "words"),
    [
        pytest.param(("dies", "no room for the index"), "no room for the index", id="ends"),
        pytest.param(("deaf",), "it has not bound its socket", id="never binds"),
    ],
)
def test_restart_whose_successor_does_not_start_leaves_what_serves(
    planned: Planner, successor: tuple[str, ...], words: str
) -> None:
    plan = planned()

    def broken(numbers: Numbers) -> list[Program]:
        return [
            stand_in(one.name, *successor) if one.name == "wiki.1" else one
            for one in shards(plan.run_dir, numbers)
        ]

    with running(plan):
        before = workers(plan)
        with pytest.raises(Failed, match=f"library 'Wiki': .*{words}"):
            restarting.replace(
                MANIFEST.libraries[0], plan.run_dir, rolling(plan, 3), broken, lambda *_: None
            )

        assert workers(plan) == before
        assert set(rolling(plan).programs()) == {one.name for one in plan.shards}
        assert record.running(plan.run_dir) == plan.record


def test_newcomer_that_the_gateway_never_sees_is_taken_away_with_the_reason(
    planned: Planner,
) -> None:
    plan = planned()
    newcomer = Newcomer(MANIFEST.libraries[0], 1, archive="another")
    after = shards(plan.run_dir, {"Wiki": [0, 1], "C++": [0, 1]})
    with running(plan):
        one = Rolling(plan.run_dir, plan.gateway, lambda: None, patience=3)

        with (
            pytest.raises(Failed, match=r"library 'Wiki': replica 1 .* \(unknown to the gateway\)"),
            one.joined([newcomer], after=after, before=plan.shards),
        ):
            one.wait_ready([newcomer])

        assert set(one.programs()) == {program.name for program in plan.shards}
        assert "wiki.1" not in plan.run_dir.supervisor_config.read_text()


def test_restart_lets_go_of_what_an_interrupted_one_left(planned: Planner) -> None:
    plan = planned()
    with running(plan):
        left = Newcomer(MANIFEST.libraries[0], 1)
        after = shards(plan.run_dir, {"Wiki": [0, 1], "C++": [0, 1]})
        with rolling(plan).joined([left], after=after, before=plan.shards):
            pass

        restarting.replace(
            MANIFEST.libraries[0],
            plan.run_dir,
            rolling(plan),
            lambda numbers: shards(plan.run_dir, numbers),
            lambda *_: None,
        )

        assert record.running(plan.run_dir).replicas["Wiki"] == [2]
        assert [name for name in rolling(plan).programs() if "wiki" in name] == ["wiki.2"]
