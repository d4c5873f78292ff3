"""The router's designs, checked without CAD and physics."""

from dataclasses import replace

import pytest
from offline_expert.design.adjustments import tuning_after
from offline_expert.design.history import Trouble
from offline_expert.routing.boxes import Bounds, TurnedBox
from offline_expert.routing.channel import Part
from offline_expert.routing.checks import findings
from offline_expert.routing.design import Design
from offline_expert.routing.route import NoRouteError, route
from offline_expert.routing.tuning import Tuning

from tests.offline_expert.problems import problem

FAMILIES = ("detour", "gravity-chute")
SEEDS = range(200, 225)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_design_passes_the_static_checks(family: str) -> None:
    for seed in SEEDS:
        world = problem(family, seed)
        design = route(world, Tuning())
        assert findings(design, world, Tuning()) == []
        assert len({part.label for part in design.parts}) == len(design.parts)


def test_the_pocket_lies_inside_the_goal() -> None:
    for seed in SEEDS:
        world = problem("detour", seed)
        pocket = next(part for part in route(world, Tuning()).parts if part.label == "pocket-floor")
        for axis in (0, 1):
            assert world.goal.low[axis] + 5 <= pocket.box.bounds.low[axis]
            assert pocket.box.bounds.high[axis] <= world.goal.high[axis] - 5
        resting = pocket.box.bounds.high[2]
        assert world.goal.low[2] <= resting <= world.goal.high[2] - world.size_mm / 2


def test_slopes_are_steep_enough_to_roll() -> None:
    for family in FAMILIES:
        for seed in SEEDS:
            assert all(leg.slope_deg >= 5.0 for leg in route(problem(family, seed), Tuning()).legs)


def test_a_wall_between_start_and_goal_is_gone_round() -> None:
    assert len(route(problem("detour", 0), Tuning()).legs) >= 3


def test_without_an_obstacle_one_straight_chute_is_enough() -> None:
    assert len(route(problem("gravity-chute", 0), Tuning()).legs) == 1
    assert len(route(problem("gravity-chute", 0), replace(Tuning(), allow_direct=False)).legs) > 1


def test_a_closed_wall_has_no_route_and_the_reason_is_measured() -> None:
    world = problem("detour", 1)
    (low, high), build = world.forbids[0], world.build
    closed = Bounds((low[0], build.low[1] - 9, -9), (high[0], build.high[1] + 9, build.high[2] + 9))
    with pytest.raises(NoRouteError, match=r"No way leads from the start to the goal that is 62 mm wide"):
        route(replace(world, forbids=(closed,)), Tuning())


def test_a_goal_above_the_start_has_no_route() -> None:
    world = problem("gravity-chute", 1)
    high = Bounds((*world.goal.low[:2], world.start[2]), (*world.goal.high[:2], world.start[2] + 80))
    with pytest.raises(NoRouteError, match="too high for gravity"):
        route(replace(world, goal=high), Tuning())


MENDS: list[list[Trouble]] = [["dear", "dear"], ["lost"], ["lost", "lost"], ["stuck"], ["overshot"], ["overloaded"]]


@pytest.mark.parametrize("troubles", MENDS, ids="-".join)
def test_mended_designs_differ_and_stay_valid(troubles: list[Trouble]) -> None:
    tuning = tuning_after(troubles)
    for family in FAMILIES:
        world = problem(family, 14)
        mended = route(world, tuning)
        assert findings(mended, world, tuning) == []
        assert mended.parts != route(world, Tuning()).parts


def _with_part(design: Design, part: Part) -> Design:
    return replace(design, parts=(*design.parts, part))


def test_the_checks_find_what_is_wrong() -> None:
    world, tuning = problem("gravity-chute", 0), Tuning()
    design = route(world, tuning)
    floor = next(part for part in design.parts if part.label == "chute-1-floor")
    x, y, z = world.start
    wrong = {
        "extra leaves the build zone": TurnedBox((*world.build.high[:2], 5.0), (9, 9, 9)),
        "extra is too close to a forbid zone": TurnedBox(world.forbids[0].center, (9, 9, 9)),
        "chute-1-floor overlaps extra": floor.box,
        "extra overlaps the environment": TurnedBox((x, y, 0.0), (9, 9, 9)),
        "extra stands in the payload's way": TurnedBox((x, y, z - 30), (9, 9, 9)),
        "extra floats": TurnedBox((x, y, z + 60), (9, 9, 9)),
    }
    for told, box in wrong.items():
        assert told in findings(_with_part(design, Part("extra", box)), world, tuning), told
