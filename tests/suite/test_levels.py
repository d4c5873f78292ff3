"""What the levels of a family have in common, and what sets level 3 apart."""

from dataclasses import replace

import pytest
from benchmarks.loader import built_in, load
from offline_expert.boxes import Bounds
from offline_expert.engineer.adjustments import first_proportions
from offline_expert.routing.design import build_design, faults
from offline_expert.routing.dimensions import sizes_for
from offline_expert.routing.problem import RoutingProblem
from offline_expert.routing.straight_routes import straight_routes

from tests.support.environment_build import build_from_script

GRAVITY = (
    "brake-and-hold",
    "corridor",
    "detour",
    "drop-catch",
    "gap-crossing",
    "gravity-chute",
    "slalom",
    "slide-box",
    "sweeping-arm",
)
"""Families that gravity alone solves."""
SEEDS = range(16)


def names_of(family: str) -> list[str]:
    return [name for name in built_in() if name == family or name.removeprefix(f"{family}-").isdigit()]


@pytest.mark.parametrize("family", GRAVITY)
def test_family_has_each_level_once_under_its_own_name(family: str) -> None:
    files = {name: load(name, 0).file for name in names_of(family)}
    assert sorted(file.level for file in files.values()) == [1, 2, 3]
    assert {name: file.name for name, file in files.items()} == {name: name for name in files}


def straight_problem(name: str, seed: int) -> RoutingProblem:
    """Return start, goal and the zones and the ground that block a straight chute."""
    variant = load(name, seed).variant
    blocks = [zone.box for zone in variant.forbid_zones] or [each.box for each in variant.obstacles]
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    return RoutingProblem(
        build=Bounds(variant.build_zone.min_mm, variant.build_zone.max_mm),
        goal=Bounds(variant.goal_zone.min_mm, variant.goal_zone.max_mm),
        forbids=tuple(Bounds(box.min_mm, box.max_mm) for box in blocks),
        solids=(Bounds(low, (high[0], high[1], 0.0)),),
        is_ball=variant.payload.shape == "ball",
        size_mm=max(variant.payload.extents_mm),
        start=variant.payload.start_mm,
        friction=variant.payload.friction,
    )


def with_walls(problem: RoutingProblem, name: str, seed: int) -> RoutingProblem:
    """Return a problem with the solids of the world; obstacles, on which a leg may stand, are left out."""
    loaded = load(name, seed)
    platforms = {each.label for each in loaded.variant.obstacles}
    built = build_from_script(loaded.environment_code.decode(), loaded.variant).files
    assert built is not None
    solids = (solid.box for solid in built.geometry.solids if solid.label not in platforms)
    return replace(problem, solids=tuple(Bounds(box.min_mm, box.max_mm) for box in solids))


def has_straight_design(problem: RoutingProblem) -> bool:
    proportions = replace(first_proportions(problem), max_straight_slope_deg=60.0, clearance_mm=3.5)
    sizes = sizes_for(problem.size_mm, proportions)
    designs = (build_design(route, problem, sizes) for route in straight_routes(problem, sizes, proportions))
    return any(not faults(design, problem, proportions) for design in designs)


@pytest.mark.parametrize("family", GRAVITY)
def test_level_three_has_a_straight_chute_in_few_worlds(family: str) -> None:
    """Zones that shrink by up to 40 % open a way now and then."""
    (name,) = (name for name in names_of(family) if load(name, 0).file.level == 3)
    open_worlds = {seed: problem for seed in SEEDS if has_straight_design(problem := straight_problem(name, seed))}
    straight = [seed for seed, each in open_worlds.items() if has_straight_design(with_walls(each, name, seed))]
    assert len(straight) <= 0.25 * len(SEEDS), straight


def test_level_one_of_a_chute_is_straight() -> None:
    assert has_straight_design(straight_problem("gravity-chute", 0))
