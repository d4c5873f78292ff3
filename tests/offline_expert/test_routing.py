"""Channel designs of the router, checked without CAD and physics."""

from dataclasses import replace

import pytest
from offline_expert.boxes import Bounds, TurnedBox
from offline_expert.engineer.adjustments import channel_proportions_after
from offline_expert.engineer.history import Failure
from offline_expert.routing.channel import BoxPart
from offline_expert.routing.design import ChannelDesign, faults
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.router import NoRouteError, find_design
from offline_expert.routing.script import write_design

from tests.support.routing_problems import problem

FAMILIES = ("detour", "gravity-chute")
SEEDS = range(200, 225)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_design_has_no_faults(family: str) -> None:
    for seed in SEEDS:
        world = problem(family, seed)
        design = find_design(world, ChannelProportions())
        assert faults(design, world, ChannelProportions()) == []
        assert len({part.label for part in design.parts}) == len(design.parts)


def test_pocket_is_inside_goal() -> None:
    for seed in SEEDS:
        world = problem("detour", seed)
        pocket = next(part for part in find_design(world, ChannelProportions()).parts if part.label == "pocket-floor")
        for axis in (0, 1):
            assert world.goal.low[axis] + 5 <= pocket.box.bounds.low[axis]
            assert pocket.box.bounds.high[axis] <= world.goal.high[axis] - 5
        resting = pocket.box.bounds.high[2]
        assert world.goal.low[2] <= resting <= world.goal.high[2] - world.size_mm / 2


def test_slopes_are_at_least_5_degrees() -> None:
    for family in FAMILIES:
        for seed in SEEDS:
            assert all(
                segment.slope_deg >= 5.0
                for segment in find_design(problem(family, seed), ChannelProportions()).segments
            )


def test_wall_before_goal_is_bypassed() -> None:
    assert len(find_design(problem("detour", 0), ChannelProportions()).segments) >= 3


def test_free_line_gets_one_straight_chute() -> None:
    assert len(find_design(problem("gravity-chute", 0), ChannelProportions()).segments) == 1
    assert (
        len(find_design(problem("gravity-chute", 0), replace(ChannelProportions(), allow_straight=False)).segments) > 1
    )


def test_closed_wall_has_no_route_with_measured_reason() -> None:
    world = problem("detour", 1)
    (low, high), build = world.forbids[0], world.build
    closed = Bounds((low[0], build.low[1] - 9, -9), (high[0], build.high[1] + 9, build.high[2] + 9))
    with pytest.raises(NoRouteError, match=r"62 mm width"):
        find_design(replace(world, forbids=(closed,), size_mm=40.0), ChannelProportions())


def test_a_goal_above_the_start_has_no_find_design() -> None:
    world = problem("gravity-chute", 1)
    high = Bounds((*world.goal.low[:2], world.start[2] + 30), (*world.goal.high[:2], world.start[2] + 80))
    with pytest.raises(NoRouteError, match="too high for gravity"):
        find_design(replace(world, goal=high), ChannelProportions())


FAILURES: list[list[Failure]] = [
    ["over_limits", "over_limits"],
    ["slightly_over"],
    ["lost"],
    ["lost", "lost"],
    ["stuck"],
    ["overshot"],
    ["overloaded"],
    ["weak_joint"],
]


@pytest.mark.parametrize("failures", FAILURES, ids="-".join)
def test_adjusted_designs_differ_and_have_no_faults(failures: list[Failure]) -> None:
    proportions = channel_proportions_after(failures)
    for family in FAMILIES:
        world = problem(family, 13)
        adjusted = find_design(world, proportions)
        assert faults(adjusted, world, proportions) == []
        assert adjusted.parts != find_design(world, ChannelProportions()).parts


def test_weak_panel_gets_at_least_twice_the_strength_per_attempt() -> None:
    """The stress in a bent wall falls with the square of its thickness; five attempts are all that a run has."""
    attempts: list[list[Failure]] = [["weak_panel"] * count for count in range(4)]
    walls = [channel_proportions_after(each).wall_mm for each in attempts]
    assert walls[1] ** 2 / walls[0] ** 2 > 2
    assert walls[2] ** 2 / walls[0] ** 2 > 4
    assert walls[3] == 8.0


def test_weak_joint_gets_more_legs_before_thicker_walls() -> None:
    """Thicker walls are stiffer: their glue bears more, and of the moment it takes more than that."""
    world = problem("gravity-chute", 0)
    attempts: list[list[Failure]] = [["weak_joint"] * count for count in range(4)]
    adjusted = [channel_proportions_after(each) for each in attempts]
    assert [each.wall_mm for each in adjusted] == [3.0, 3.0, 4.5, 6.75]
    legs = [
        sum("leg" in part.label for part in find_design(world, replace(each, allow_straight=False)).parts)
        for each in adjusted
    ]
    assert legs[0] < legs[1] <= legs[2] < legs[3], legs


def test_boxes_become_pieces_where_parts_are_too_many() -> None:
    world = problem("detour", 0)
    plain = find_design(world, ChannelProportions())
    joined = find_design(world, channel_proportions_after(["too_many_parts"]))
    assert [part.box for part in joined.parts] == [part.box for part in plain.parts]
    assert not any(part.piece_of for part in plain.parts)
    wholes = {part.piece_of or part.label for part in joined.parts}
    channels = len(plain.segments)
    assert {"pocket", *(f"chute-{number}-landing" for number in range(1, channels + 1))} <= wholes
    assert len(wholes) <= len(plain.parts) - 4 - 2 * channels
    script = write_design(joined, world)
    compile(script, "script.py", "exec")
    assert script.count('piece("') == sum(part.piece_of != "" for part in joined.parts)


def _with_part(design: ChannelDesign, part: BoxPart) -> ChannelDesign:
    return replace(design, parts=(*design.parts, part))


def test_checks_find_every_fault() -> None:
    world, proportions = problem("gravity-chute", 0), ChannelProportions()
    design = find_design(world, proportions)
    floor = next(part for part in design.parts if part.label == "chute-1-floor")
    x, y, z = world.start
    wrong = {
        "extra leaves the build zone": TurnedBox((*world.build.high[:2], 5.0), (9, 9, 9)),
        "extra is too close to a forbid zone": TurnedBox(world.forbids[0].center, (9, 9, 9)),
        "chute-1-floor overlaps extra": floor.box,
        "extra overlaps the environment": TurnedBox((x, y, 0.0), (9, 9, 9)),
        "extra blocks the payload": TurnedBox((x, y, z - 30), (9, 9, 9)),
        "extra floats": TurnedBox((x, y, z + 60), (9, 9, 9)),
    }
    for fault, box in wrong.items():
        assert fault in faults(_with_part(design, BoxPart("extra", box)), world, proportions), fault
