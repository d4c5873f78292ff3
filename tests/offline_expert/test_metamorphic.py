"""The same world in another place, turned, mirrored, in pieces or in other order gets the same machine."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest
from offline_expert.boxes import Bounds
from offline_expert.drives.machine import DriveProportions
from offline_expert.drives.selection import choose_machine, needs_motor
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.problem import CornerPair, Facts, problem_from
from offline_expert.routing.router import find_design

from tests.support.routing_problems import facts

FAMILIES = ("gravity-chute", "detour", "lift-to-shelf", "push-flat")
Corners = tuple[tuple[float, float, float], tuple[float, float, float]]
Change = Callable[[Corners], Corners]


def turned(box: Corners) -> Corners:
    (x0, y0, z0), (x1, y1, z1) = box
    return ((-y1, x0, z0), (-y0, x1, z1))


def mirrored_in_x(box: Corners) -> Corners:
    (x0, y0, z0), (x1, y1, z1) = box
    return ((-x1, y0, z0), (-x0, y1, z1))


def mirrored_in_y(box: Corners) -> Corners:
    (x0, y0, z0), (x1, y1, z1) = box
    return ((x0, -y1, z0), (x1, -y0, z1))


def shifted(box: Corners) -> Corners:
    (x0, y0, z0), (x1, y1, z1) = box
    return ((x0 + 41, y0 - 87, z0 - 203), (x1 + 41, y1 - 87, z1 - 203))


def changed(before: Facts, change: Change) -> Facts:
    """Return the facts with every box and the start in another place."""

    def moved(pair: CornerPair) -> CornerPair:
        low, high = (tuple(corner) for corner in pair)
        return change(cast("Corners", (low, high)))

    return {
        **before,
        "build": moved(before["build"]),
        "goal": moved(before["goal"]),
        "forbids": [moved(pair) for pair in before["forbids"]],
        "solids": [moved(pair) for pair in before["solids"]],
        "start_mm": moved([before["start_mm"], before["start_mm"]])[0],
    }


def split(pairs: Sequence[CornerPair], axis: int) -> list[CornerPair]:
    """Return boxes cut in two at a third of their length."""
    halves: list[CornerPair] = []
    for low, high in pairs:
        cut = round(low[axis] + (high[axis] - low[axis]) / 3, 3)
        first, second = list(high), list(low)
        first[axis] = second[axis] = cut
        halves += [[low, first], [second, high]]
    return halves


def outcome(known: Facts) -> tuple[object, ...]:
    """Return the kind of a world's machine and its figures that do not depend on the place."""
    world = problem_from(known)
    if needs_motor(world):
        machine = choose_machine(world, DriveProportions())
        volume = sum(part.box.size[0] * part.box.size[1] * part.box.size[2] for part in machine.printed)
        return ("machine", len(machine.printed), round(machine.slide.stroke_mm, 3), round(volume, 1))
    design = find_design(world, ChannelProportions())
    return ("channels", len(design.segments), round(sum(each.reach for each in design.segments), 3))


@pytest.mark.parametrize("change", [turned, mirrored_in_x, mirrored_in_y, shifted])
@pytest.mark.parametrize("family", FAMILIES)
def test_world_in_another_place_gets_the_same_machine(family: str, change: Change) -> None:
    known = facts(family, 3)
    assert outcome(changed(known, change)) == outcome(known)


@pytest.mark.parametrize("family", FAMILIES)
def test_solids_in_pieces_and_in_other_order_get_the_same_machine(family: str) -> None:
    known = facts(family, 3)
    in_pieces = split(split(known["solids"], 1), 0)
    assert len(in_pieces) == 4 * len(known["solids"])
    for solids in (in_pieces, in_pieces[::-1]):
        assert outcome({**known, "solids": solids}) == outcome(known)


def test_wall_in_pieces_is_lifted_over_as_one() -> None:
    known = Facts(
        build=[[-280, -170, 0], [280, 170, 400]],
        goal=[[80, -80, 2], [200, 80, 60]],
        forbids=[],
        solids=[[[-300, -200, -20], [300, 200, 0]], [[40, -200, 0], [70, 200, 120]]],
        shape="ball",
        size_mm=40.0,
        start_mm=[0.0, 0.0, 60.0],
    )
    assert outcome(known)[0] == "machine"
    assert outcome({**known, "solids": split(known["solids"], 1)}) == outcome(known)


def test_pieces_that_move_or_do_not_fill_their_boxes_stay_apart() -> None:
    pieces = [[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [[1.0, 0.0, 0.0], [2.0, 1.0, 1.0]]]
    known: Facts = {**facts("gravity-chute", 3), "solids": pieces}
    assert problem_from(known).solids == (Bounds((0.0, 0.0, 0.0), (2.0, 1.0, 1.0)),)
    assert len(problem_from({**known, "moving": [1]}).solids) == 2
    assert len(problem_from({**known, "curved": [0]}).solids) == 2


@pytest.mark.parametrize("seed", range(8))
def test_payload_that_need_not_be_held_is_not_harder(seed: int) -> None:
    for family in ("gravity-chute", "detour"):
        world = problem_from(facts(family, seed))
        assert find_design(world, ChannelProportions())
        assert find_design(replace(world, hold_s=0.0), ChannelProportions())
