"""Machines with a motor: selection, placement, adjustments."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import dist, sqrt

import pytest
from offline_expert.boxes import Bounds, gap_mm, upright
from offline_expert.drives.axis import NoMachineError, motion_axes
from offline_expert.drives.machine import DEFAULT_MOTOR, PINION_MM, DrivenMachine, DriveProportions, PrintedPart
from offline_expert.drives.script import write_machine
from offline_expert.drives.selection import choose_machine, choose_sweeper, needs_motor
from offline_expert.drives.sweeper import write_sweeper
from offline_expert.engineer.adjustments import drive_proportions_after, first_proportions, relaxations
from offline_expert.engineer.history import Failure
from offline_expert.routing.problem import RoutingProblem

from tests.suite.worlds import DRIVEN, FAMILIES
from tests.support.routing_problems import problem

SEEDS = range(60)


def turned(straight: RoutingProblem) -> RoutingProblem:
    """Return the same problem with the world turned by 90 degrees."""

    def quarter(box: Bounds) -> Bounds:
        (x0, y0, z0), (x1, y1, z1) = box
        return Bounds((-y1, x0, z0), (-y0, x1, z1))

    x, y, z = straight.start
    return replace(
        straight,
        build=quarter(straight.build),
        goal=quarter(straight.goal),
        solids=tuple(quarter(solid) for solid in straight.solids),
        start=(-y, x, z),
    )


def test_motor_is_needed_where_gravity_is_not_enough() -> None:
    for seed in SEEDS:
        assert all(needs_motor(problem(family, seed)) for family in DRIVEN)
        assert not any(needs_motor(problem(family, seed)) for family in FAMILIES)


@pytest.mark.parametrize("family", DRIVEN)
def test_machine_is_inside_build_zone_and_clear_of_obstacles(family: str) -> None:
    for seed in SEEDS:
        for world in (problem(family, seed), turned(problem(family, seed))):
            machine = choose_machine(world, DriveProportions())
            solids = [upright(solid) for solid in world.solids]
            for part in machine.printed:
                assert world.build.contains(part.box.bounds), (seed, part)
                assert part.box.bounds.gap_mm(world.start_box) > 0, (seed, part)
                assert all(gap_mm(part.box, solid) > 0 for solid in solids), (seed, part)


@pytest.mark.parametrize("family", DRIVEN)
def test_printed_parts_never_overlap(family: str) -> None:
    for seed in SEEDS:
        parts = choose_machine(problem(family, seed), DriveProportions()).printed
        for one, other in combinations(parts, 2):
            assert gap_mm(one.box, other.box) > 0, (seed, one.label, other.label)


@pytest.mark.parametrize("family", DRIVEN)
def test_turned_problem_gets_same_machine_turned(family: str) -> None:
    straight = choose_machine(problem(family, 3), DriveProportions())
    around = choose_machine(turned(problem(family, 3)), DriveProportions())
    assert around.slide.stroke_mm == pytest.approx(straight.slide.stroke_mm)
    assert (around.yaw_deg - straight.yaw_deg) % 360 == pytest.approx(90)
    assert volume_mm3(around.printed) == pytest.approx(volume_mm3(straight.printed))


def volume_mm3(parts: Sequence[PrintedPart]) -> float:
    """Return the volume of the parts' boxes."""
    return sum(part.box.size[0] * part.box.size[1] * part.box.size[2] for part in parts)


@pytest.mark.parametrize("family", DRIVEN)
def test_carriage_load_is_below_half_the_motor_torque(family: str) -> None:
    machine = choose_machine(problem(family, 1), DriveProportions())
    pla_kg_per_mm3 = 1.25e-6
    mass_kg = DEFAULT_MOTOR.mass_kg + volume_mm3(moving(machine)) * pla_kg_per_mm3 + 0.1
    assert mass_kg * 9.81 * PINION_MM / 1000 < DEFAULT_MOTOR.continuous_torque_n_m / 2


def moving(machine: DrivenMachine) -> list[PrintedPart]:
    """Return the parts of the carriage."""
    fixed = {"rail", "wall", "post", "chute", "chute-left", "chute-right", "pocket-end"}
    return [part for part in machine.printed if part.label not in fixed]


def test_goal_not_straight_ahead_is_refused() -> None:
    world = problem("push-flat", 0)
    aside = replace(world, start=(world.start[0], world.goal.high[1] + 60.0, world.start[2]))
    with pytest.raises(NoMachineError, match="straight ahead"):
        motion_axes(aside)


def test_cube_is_not_lifted() -> None:
    with pytest.raises(NoMachineError, match=r"ball"):
        choose_machine(replace(problem("lift-to-shelf", 0), is_ball=False), DriveProportions())


def test_pushed_ball_gets_a_stop_at_the_end_of_the_goal() -> None:
    world = replace(problem("push-flat", 0), is_ball=True)
    machine = choose_machine(world, DriveProportions())
    stop = next(part for part in machine.printed if part.label == "stop")
    (low, high), half = stop.box.bounds, world.size_mm / 2
    distance = min(abs(low[0] - world.goal.center[0]), abs(high[0] - world.goal.center[0]))
    assert half < distance < half + 5


@pytest.mark.parametrize("family", DRIVEN)
def test_machine_may_not_enter_a_forbid_zone(family: str) -> None:
    world = problem(family, 0)
    machine = choose_machine(world, DriveProportions())
    for part in machine.printed:
        x, y, z = part.box.center
        sides = (y, 2 * world.start[1] - y)  # the motor may be on either side
        closed = tuple(Bounds((x - 1, side - 1, z - 1), (x + 1, side + 1, z + 1)) for side in sides)
        with pytest.raises(NoMachineError, match=r"inside forbid zone \d"):
            choose_machine(replace(world, forbids=closed), DriveProportions())


def test_motor_is_on_the_other_side_where_a_solid_is_beside_the_way() -> None:
    world = problem("lift-to-shelf", 0)
    motor = choose_machine(world, DriveProportions()).motor_bounds
    beside = Bounds((motor.low[0], motor.low[1], 0.0), (motor.high[0], motor.high[1], 300.0))
    other = choose_machine(replace(world, solids=(*world.solids, beside)), DriveProportions())
    assert other.motor_bounds.center[1] - world.start[1] == pytest.approx(world.start[1] - motor.center[1])
    assert all(gap_mm(part.box, upright(beside)) > 0 for part in other.printed)


BARRIER = Bounds((40.0, -200.0, 0.0), (70.0, 200.0, 120.0))
WALLED = RoutingProblem(
    build=Bounds((-280, -170, 0), (280, 170, 400)),
    goal=Bounds((80, -80, 2), (200, 80, 60)),
    forbids=(),
    solids=(Bounds((-300, -200, -20), (300, 200, 0)), BARRIER),
    is_ball=True,
    size_mm=40.0,
    start=(0.0, 0.0, 60.0),
)
"""A ball that is lower than a barrier from side to side."""


def test_ball_behind_a_barrier_is_lifted_over_it() -> None:
    assert needs_motor(WALLED)
    for world in (WALLED, turned(WALLED)):
        machine = choose_machine(world, DriveProportions())
        boxes = {part.label: part.box for part in machine.printed}
        top, chute = BARRIER.high[2], boxes["chute"].bounds
        assert top < chute.low[2] < top + 5
        assert all(gap_mm(boxes["chute"], upright(solid)) > 0 for solid in world.solids)
        assert all(gap_mm(one, other) > 0 for one, other in combinations(boxes.values(), 2))


def test_barrier_with_a_gap_or_below_the_ball_needs_no_lift() -> None:
    low, high = BARRIER
    for barrier in (Bounds(low, (high[0], 100.0, high[2])), Bounds(low, (high[0], high[1], 30.0))):
        assert not needs_motor(replace(WALLED, solids=(WALLED.solids[0], barrier)))


def test_machine_starts_later_after_a_failure_where_solids_move() -> None:
    world = problem("push-flat", 0)
    failures: list[list[Failure]] = [["stuck"] * count for count in range(3)]
    waits = [drive_proportions_after(each, has_movers=True) for each in failures]
    delays = [choose_machine(world, each).delay_s for each in waits]
    assert delays[0] < delays[1] < delays[2]
    assert {choose_machine(world, each).speed_mm_s for each in waits} == {DriveProportions().speed_mm_s}


def test_floor_under_the_start_is_that_of_the_solid_and_not_of_its_box() -> None:
    world = problem("push-flat", 0)
    low, high = world.solids[0]
    slope = Bounds(low, (*high[:2], high[2] + 15.0))
    with pytest.raises(NoMachineError, match="without an edge"):
        choose_machine(replace(world, solids=(slope,)), DriveProportions())
    room_mm = world.start_box.low[2] - high[2]
    measured = replace(world, solids=(slope,), room_mm=room_mm)
    assert (needs_motor(measured), measured.floor_z) == (True, pytest.approx(high[2]))
    assert replace(world, room_mm=room_mm).floor_z == high[2], "no rounding where the box is exact"


def test_solid_that_moves_does_not_bar_a_machine() -> None:
    world = problem("push-flat", 0)
    x, y, _ = world.goal.center
    gate = Bounds((x - 5, y - 60, 20.0), (x + 5, y + 60, 60.0))
    with_gate = replace(world, solids=(*world.solids, gate))
    with pytest.raises(NoMachineError, match="inside the solid around"):
        choose_machine(with_gate, DriveProportions())
    choose_machine(replace(with_gate, moving=frozenset({len(world.solids)})), DriveProportions())


def test_carriage_may_not_pass_through_a_forbid_zone() -> None:
    world = problem("push-flat", 0)
    machine = choose_machine(world, DriveProportions())
    deck = next(part for part in machine.printed if part.label == "deck")
    x, y, z = deck.box.center
    x += machine.slide.direction[0] * machine.slide.stroke_mm
    closed = Bounds((x - 1, y - 1, z - 1), (x + 1, y + 1, z + 1))
    with pytest.raises(NoMachineError, match=r"`deck`, moving by \d+ mm, would be \d+ mm inside forbid zone 1"):
        choose_machine(replace(world, forbids=(closed,)), DriveProportions())


def test_machine_that_leaves_the_build_zone_is_refused_with_the_distance() -> None:
    world = problem("push-flat", 0)
    low, high = world.build
    small = Bounds(low, (high[0], high[1], world.size_mm - 10))
    with pytest.raises(NoMachineError, match=r"does not fit into the build zone: \d+ mm too far along z"):
        choose_machine(replace(world, build=small), DriveProportions())


@pytest.mark.parametrize("size_mm", [28.0, 40.0, 60.0])
@pytest.mark.parametrize("shelf_mm", [60.0, 400.0])
@pytest.mark.parametrize("aside_mm", [0.0, 120.0])
def test_ball_on_the_floor_is_lifted_by_a_fork_that_it_may_start_aside_of(
    size_mm: float, shelf_mm: float, aside_mm: float
) -> None:
    world = on_floor(size_mm, shelf_mm, aside_mm)
    machine = choose_machine(world, DriveProportions())
    boxes = {part.label: part.box for part in machine.printed}
    assert "floor" not in boxes
    assert all(gap_mm(one, other) > 0 for one, other in combinations(boxes.values(), 2))
    (left, right), radius = (boxes["tine-left"], boxes["tine-right"]), size_mm / 2
    taper = next(part.taper_mm for part in machine.printed if part.label == "tine-left")
    gap = dist(left.center, right.center) - left.size[1]
    assert 0.6 * size_mm < gap < gap + 2 * abs(taper) < 0.95 * size_mm, "it widens forward and carries the ball"
    top = left.center[2] + left.size[2] / 2
    reach = sqrt(radius**2 - (radius - top) ** 2)
    assert reach + 5.0 < gap / 2 + abs(taper) * (radius + 4.0) / left.size[0], "a ball that starts 5 mm aside clears it"
    assert left.center[2] - left.size[2] / 2 > 0.0
    assert 'plate_part("tine-left"' in write_machine(machine)


def on_floor(size_mm: float, shelf_mm: float, aside_mm: float) -> RoutingProblem:
    """Return a world whose ball lies on the ground before a shelf, straight ahead or aside."""
    shelf = Bounds((60, aside_mm - 80, 0), (200, aside_mm + 80, shelf_mm))
    return RoutingProblem(
        build=Bounds((-300, -260, 0), (300, 260, 700)),
        goal=Bounds((70, aside_mm - 70, shelf_mm + 2), (190, aside_mm + 70, shelf_mm + 80)),
        forbids=(),
        solids=(Bounds((-320, -280, -20), (320, 280, 0)), shelf),
        is_ball=True,
        size_mm=size_mm,
        start=(-80.0, 0.0, size_mm / 2),
    )


def test_goal_in_the_air_gets_a_table_for_the_pocket() -> None:
    world = on_floor(40.0, 150.0, 0.0)
    machine = choose_machine(replace(world, solids=world.solids[:1]), DriveProportions())
    boxes = {part.label: part.box.bounds for part in machine.printed}
    assert boxes["table"].high[2] == pytest.approx(world.goal.low[2])
    assert (boxes["leg"].low[2], boxes["leg"].high[2]) == pytest.approx((0.0, boxes["table"].low[2]), abs=0.1)
    assert "table" not in {part.label for part in choose_machine(world, DriveProportions()).printed}


def test_ball_too_small_for_a_fork_is_refused() -> None:
    with pytest.raises(NoMachineError, match="too small for a fork"):
        choose_machine(on_floor(20.0, 150.0, 0.0), DriveProportions())


def test_lift_on_a_pedestal_reaches_the_floor_beside_it() -> None:
    pedestal = Bounds((-100, -20, 0), (-60, 20, 50))
    world = on_floor(40.0, 200.0, 0.0)
    world = replace(world, solids=(*world.solids, pedestal), start=(-80.0, 0.0, 70.1))
    boxes = {part.label: part.box for part in choose_machine(world, DriveProportions()).printed}
    assert boxes["post"].bounds.low[2] == pytest.approx(0.0, abs=0.1)
    assert all(gap_mm(box, upright(pedestal)) > 0 for box in boxes.values())


FAILURES: tuple[Failure, ...] = ("over_limits", "lost", "stuck", "flaky", "overloaded", "overshot")


@pytest.mark.parametrize("family", DRIVEN)
@pytest.mark.parametrize("failure", FAILURES)
def test_each_failure_changes_the_script(family: str, failure: Failure) -> None:
    world = problem(family, 2)
    first = write_machine(choose_machine(world, drive_proportions_after([])))
    next_one = write_machine(choose_machine(world, drive_proportions_after([failure])))
    ast.parse(first)
    ast.parse(next_one)
    assert first != next_one


TABLE = Bounds((-290, -60, 0), (-130, 60, 150))
ON_TABLE = RoutingProblem(
    build=Bounds((-300, -160, 0), (300, 160, 400)),
    goal=Bounds((60, -50, 5), (160, 50, 90)),
    forbids=(),
    solids=(Bounds((-320, -180, -20), (320, 180, 0)), TABLE),
    is_ball=True,
    size_mm=30.0,
    start=(-180.0, 0.0, 165.1),
)
"""A ball that rests on a table."""


@pytest.mark.parametrize("size_mm", [20.0, 30.0, 60.0])
@pytest.mark.parametrize(("is_ball", "table_mm"), [(True, 60.0), (True, 150.0), (True, 300.0), (False, 300.0)])
def test_payload_on_a_solid_is_pushed_over_its_edge_into_a_channel(
    size_mm: float, *, is_ball: bool, table_mm: float
) -> None:
    table = Bounds(TABLE.low, (*TABLE.high[:2], table_mm))
    start = (*ON_TABLE.start[:2], table_mm + size_mm / 2)
    world = replace(ON_TABLE, solids=(ON_TABLE.solids[0], table), size_mm=size_mm, start=start, is_ball=is_ball)
    assert needs_motor(world)
    machine = choose_machine(world, DriveProportions(), relaxations(first_proportions(world)))
    boxes = {part.label: part.box for part in machine.printed}
    assert all(gap_mm(one, other) > 0 for one, other in combinations(boxes.values(), 2))
    assert boxes["chute-1-back"].bounds.low[0] > table.high[0]
    assert boxes["chute-1-back"].bounds.high[2] < table_mm < boxes["chute-1-panel-left"].bounds.high[2]
    plate_end = boxes["plate"].bounds.high[0] + machine.slide.stroke_mm
    assert plate_end > table.high[0], "the payload's centre is beyond the edge"
    ast.parse(write_machine(machine))


def test_box_beside_its_goal_is_pushed_over_the_edge_without_a_channel() -> None:
    size_mm, goal = 60.0, Bounds((-125, -60, 0), (-75, 60, 20))
    world = replace(ON_TABLE, goal=goal, size_mm=size_mm, start=(-180.0, 0.0, 180.0), is_ball=False)
    machine = choose_machine(world, DriveProportions(), relaxations(first_proportions(world)))
    assert not any(part.label.startswith("chute") for part in machine.printed)
    assert "falls over the edge into the goal" in machine.summary


def test_can_beside_its_goal_is_swept_over_the_edge_by_servos_that_differ() -> None:
    goal = Bounds((-140, -80, 0), (-60, 80, 60))
    solids = (ON_TABLE.solids[0], Bounds((-290, -150, 0), (-130, 150, 150)))
    world = replace(ON_TABLE, goal=goal, solids=solids, size_mm=40.0, start=(-160.0, 0.0, 170.0), is_ball=False)
    found = [choose_sweeper(world, tried) for tried in range(4)]
    assert found[3] is None, "then a trolley is tried"
    scripts = {write_sweeper(each, 0.0) for each in found if each}
    assert len(scripts) == 3
    for each in found[:3]:
        assert each is not None
        boxes = [each.servo_box, *(box for turn in (0.0, 0.5, 1.0) for box in each.arm_boxes(turn * each.sweep_deg))]
        assert all(gap_mm(box, upright(solid)) >= 0.0 for box in boxes for solid in world.solids)
        assert all(world.build.contains(box.bounds) for box in boxes)
        blade_at_end = each.arm_boxes(each.sweep_deg)[1].center
        assert blade_at_end[0] > TABLE.high[0] - 10, "the payload is pushed beyond the edge"
    assert all(each and each.pen for each in found[1:3]), "the first one had no pen around the goal"
    plain, slow, fast, none = (choose_sweeper(replace(world, goal=ON_TABLE.goal), tried) for tried in range(4))
    assert plain is not None
    assert slow is not None
    assert [plain.pen, none] == [(), None]
    assert fast == replace(slow, seconds=slow.seconds / 2.5), "the goal is ahead of the edge"
    assert choose_sweeper(replace(world, goal=Bounds((60, 100, 5), (160, 150, 90))), 0) is None


def test_ledge_with_the_goal_aside_gets_a_channel_with_a_corner() -> None:
    world = replace(ON_TABLE, goal=Bounds((60, 60, 5), (160, 140, 90)))
    labels = {part.label for part in choose_machine(world, DriveProportions()).printed}
    assert {"rail", "plate", "chute-1-floor", "chute-2-floor", "pocket-floor"} <= labels


def test_beam_between_abutments_is_no_barrier() -> None:
    low, high = WALLED.solids[1]
    beam = Bounds((low[0], low[1], 90.0), high)
    abutments = tuple(Bounds((low[0], y, 0.0), (high[0], y + 40.0, 90.0)) for y in (low[1], high[1] - 40.0))
    assert not needs_motor(replace(WALLED, solids=(WALLED.solids[0], beam, *abutments)))
    assert needs_motor(replace(WALLED, solids=(WALLED.solids[0], Bounds((low[0], low[1], 40.0), high))))


def test_can_is_pushed_askew_and_a_cube_is_not() -> None:
    world = replace(problem("push-flat", 0), is_ball=False)
    (x, y, _), (low, high) = world.start, world.goal
    aside = Bounds((x + 150, y + 100, low[2]), (x + 250, y + 180, high[2]))
    with pytest.raises(NoMachineError, match="not straight ahead"):
        choose_machine(replace(world, goal=aside, build=aside.grown(600)), DriveProportions())
    can = replace(world, goal=aside, build=aside.grown(600), is_cylinder=True)
    assert 30 < choose_machine(can, DriveProportions()).yaw_deg < 40


def test_payload_on_a_solid_without_an_edge_is_refused() -> None:
    everywhere = Bounds((-320, -180, -20), (320, 180, 150))
    with pytest.raises(NoMachineError, match="without an edge"):
        choose_machine(replace(ON_TABLE, solids=(everywhere,)), DriveProportions())


def test_flat_box_on_a_table_is_pushed_on_the_table_s_top() -> None:
    flat = replace(ON_TABLE, is_ball=False, size_mm=40.0, start=(-180.0, 0.0, 310.0), room_mm=0.0)
    world = replace(flat, solids=(ON_TABLE.solids[0], Bounds(TABLE.low, (*TABLE.high[:2], 300.0))))
    machine = choose_machine(world, DriveProportions(), relaxations(first_proportions(world)))
    plate = next(part.box.bounds for part in machine.printed if part.label == "plate")
    assert 300.0 < plate.low[2] < 310.0 < plate.high[2]
