"""Machines with a motor: when they are wanted, and that they stand where they may."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from offline_expert.design.history import Trouble
from offline_expert.drives.adjustments import proportions_after
from offline_expert.drives.axis import NoWayError, way_of
from offline_expert.drives.machine import GEARED, PINION_MM, Machine, Printed, Proportions
from offline_expert.drives.machine_choice import machine_for, needs_motor
from offline_expert.drives.script import write_machine
from offline_expert.routing.boxes import Bounds, gap_mm, upright
from offline_expert.routing.problem import Problem

from tests.offline_expert.problems import problem
from tests.suite.worlds import DRIVEN, FAMILIES

SEEDS = range(60)


def turned(straight: Problem) -> Problem:
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


def test_motors_are_for_what_gravity_cannot_do() -> None:
    for seed in SEEDS:
        assert all(needs_motor(problem(family, seed)) for family in DRIVEN)
        assert not any(needs_motor(problem(family, seed)) for family in FAMILIES)


@pytest.mark.parametrize("family", DRIVEN)
def test_machines_stay_in_the_build_zone_and_off_the_payload_and_the_world(family: str) -> None:
    for seed in SEEDS:
        for world in (problem(family, seed), turned(problem(family, seed))):
            machine = machine_for(world, Proportions())
            solids = [upright(solid) for solid in world.solids]
            for part in machine.printed:
                assert world.build.contains(part.box.bounds), (seed, part)
                assert part.box.bounds.gap_mm(world.drop_column) > 0, (seed, part)
                assert all(gap_mm(part.box, solid) > 0 for solid in solids), (seed, part)


@pytest.mark.parametrize("family", DRIVEN)
def test_parts_never_overlap(family: str) -> None:
    for seed in SEEDS:
        parts = machine_for(problem(family, seed), Proportions()).printed
        for one, other in combinations(parts, 2):
            assert gap_mm(one.box, other.box) > 0, (seed, one.label, other.label)


@pytest.mark.parametrize("family", DRIVEN)
def test_a_turned_world_gets_the_same_machine_turned(family: str) -> None:
    straight = machine_for(problem(family, 3), Proportions())
    around = machine_for(turned(problem(family, 3)), Proportions())
    assert around.slide.stroke_mm == pytest.approx(straight.slide.stroke_mm)
    assert (around.yaw_deg - straight.yaw_deg) % 360 == pytest.approx(90)
    assert volume_mm3(around.printed) == pytest.approx(volume_mm3(straight.printed))


def volume_mm3(parts: Sequence[Printed]) -> float:
    """Return the volume of the parts' boxes."""
    return sum(part.box.size[0] * part.box.size[1] * part.box.size[2] for part in parts)


@pytest.mark.parametrize("family", DRIVEN)
def test_the_carriage_is_carried_within_the_motors_torque(family: str) -> None:
    machine = machine_for(problem(family, 1), Proportions())
    pla_kg_per_mm3 = 1.25e-6
    mass_kg = GEARED.mass_kg + volume_mm3(moving(machine)) * pla_kg_per_mm3 + 0.1
    assert mass_kg * 9.81 * PINION_MM / 1000 < GEARED.continuous_torque_n_m / 2


def moving(machine: Machine) -> list[Printed]:
    """Return the parts that the motor moves."""
    still = {"rail", "wall", "post", "chute", "chute-left", "chute-right", "pocket-end"}
    return [part for part in machine.printed if part.label not in still]


def test_a_goal_that_is_not_straight_ahead_is_refused_with_its_place() -> None:
    world = problem("push-flat", 0)
    aside = replace(world, start=(world.start[0], world.goal.high[1] + 60.0, world.start[2]))
    with pytest.raises(NoWayError, match="does not lie straight ahead"):
        way_of(aside)


def test_a_ball_is_not_pushed_and_a_cube_is_not_lifted() -> None:
    for family in DRIVEN:
        world = problem(family, 0)
        with pytest.raises(NoWayError, match=r"ball"):
            machine_for(replace(world, is_ball=not world.is_ball), Proportions())


def test_what_starts_too_low_for_the_floor_of_a_lift_is_refused() -> None:
    world = problem("lift-to-shelf", 0)
    low = replace(world, start=(world.start[0], world.start[1], world.size_mm / 2))
    with pytest.raises(NoWayError, match="too low"):
        machine_for(low, Proportions())


TROUBLES: tuple[Trouble, ...] = ("dear", "lost", "stuck", "flaky", "overloaded", "overshot")


@pytest.mark.parametrize("family", DRIVEN)
@pytest.mark.parametrize("trouble", TROUBLES)
def test_each_trouble_changes_the_script_and_it_parses(family: str, trouble: Trouble) -> None:
    world = problem(family, 2)
    first = write_machine(machine_for(world, proportions_after([])))
    next_one = write_machine(machine_for(world, proportions_after([trouble])))
    ast.parse(first)
    ast.parse(next_one)
    assert first != next_one
