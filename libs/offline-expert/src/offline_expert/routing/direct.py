"""One straight chute at any angle: the simplest machine, tried first."""

import math
from collections.abc import Iterator

from offline_expert.routing.boxes import Vec, gap_mm, upright
from offline_expert.routing.layout import Leg, lay_out
from offline_expert.routing.problem import Problem
from offline_expert.routing.tuning import Sizes, Tuning

_DROPS_MM = (20.0, 50.0, 90.0, 140.0, 200.0, 270.0, 350.0)
_BEST_ABOVE_DEG = 1.0
"""How much steeper than the middle slope of the tuning a straight chute is at its best."""


def direct_routes(problem: Problem, sizes: Sizes, tuning: Tuning) -> Iterator[tuple[Leg, ...]]:
    """Yield single legs from the start into the goal, the most promising first."""
    legs = [
        (cost, leg)
        for x, y in pocket_centers(problem, sizes, tuning)
        for floor_z in pocket_floors(problem, sizes)
        for cost, leg in _legs_to((x, y, floor_z), problem, sizes, tuning)
    ]
    for _, leg in sorted(legs, key=lambda each: each[0]):
        yield (leg,)


def pocket_centers(problem: Problem, sizes: Sizes, tuning: Tuning) -> list[tuple[float, float]]:
    """Return places in plan for the middle of the pocket: the goal's own, then shifted as far as it may be."""
    inset = tuning.goal_inset_mm + max(sizes.pocket, sizes.width) / 2 * 1.2
    choices: list[list[float]] = []
    for low, high in zip(problem.goal.low[:2], problem.goal.high[:2], strict=True):
        middle = (low + high) / 2
        room = max(0.0, (high - low) / 2 - inset)
        choices.append([middle, middle - room, middle + room] if room > 5.0 else [middle])
    return [(x, y) for x in choices[0] for y in choices[1]]


def pocket_floors(problem: Problem, sizes: Sizes) -> list[float]:
    """Return heights of the pocket's floor at which a payload lying on it is well inside the goal."""
    lowest = max(problem.goal.low[2] + 5.0, problem.build.low[2] + 12.0)
    highest = max(lowest, problem.goal.high[2] - 0.6 * sizes.payload)
    return [lowest, (lowest + highest) / 2, highest]


def _legs_to(pocket: Vec, problem: Problem, sizes: Sizes, tuning: Tuning) -> Iterator[tuple[float, Leg]]:
    """Yield legs with their cost to a pocket, given by the middle of its floor."""
    x, y, pocket_z = pocket
    start_x, start_y, start_z = problem.start
    best_deg = tuning.slopes_deg[1] + _BEST_ABOVE_DEG
    reach = math.hypot(x - start_x, y - start_y)
    yaw_deg = math.degrees(math.atan2(y - start_y, x - start_x))
    for drop in _DROPS_MM:
        floor_z = start_z - sizes.payload / 2 - drop
        leg = Leg(start_x, start_y, yaw_deg, floor_z, drop, 0.0, reach)
        fall = floor_z - pocket_z - sizes.lip
        slope_deg = math.degrees(math.atan2(fall, leg.mouth_distance(sizes, is_last=True)))
        if not tuning.slopes_deg[0] - 1.0 <= slope_deg <= tuning.max_direct_slope_deg:
            continue
        leg = Leg(start_x, start_y, yaw_deg, floor_z, drop, slope_deg, reach)
        if leg.is_long_enough(sizes, is_last=True) and _is_clear(leg, problem, sizes, tuning):
            yield ((slope_deg - best_deg) / 4) ** 2 + (drop / 80) ** 2, leg


def _is_clear(leg: Leg, problem: Problem, sizes: Sizes, tuning: Tuning) -> bool:
    """Tell whether floor and walls, as one box, stay clear of every forbid zone and of the environment."""
    space = (
        lay_out((leg,), sizes)
        .channels[0]
        .tilted(
            (0.0, leg.behind(sizes) + leg.reach), (-sizes.half_width, sizes.half_width), (-sizes.wall, sizes.side_wall)
        )
    )
    return all(gap_mm(space, upright(zone)) >= tuning.clearance_mm for zone in problem.forbids) and all(
        gap_mm(space, upright(solid)) >= 0.0 for solid in problem.solids
    )
