"""The search: a black-box optimiser over the measures of a channel, scored by previews instead of rules.

CMA-ES (the library `cma`) draws each measure as a share between 0 and 1. A channel without room is scored by its
geometry alone; every other one is a design that the kernel previews. As all policies it has no memory besides the
conversation: each turn repeats the evolution with the results so far, up to the first design that has none.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Protocol, cast

from cma import CMAEvolutionStrategy  # pyright: ignore[reportMissingTypeStubs]

from offline_expert.engineer.history import Attempt
from offline_expert.routing.design import build_design, faults
from offline_expert.routing.dimensions import ChannelProportions, ChannelSizes, sizes_for
from offline_expert.routing.layout import Segment, Turn, step_down
from offline_expert.routing.problem import RoutingProblem
from offline_expert.routing.script import write_design

_FIRST, _SPREAD, _SEED = [0.1, *[0.5] * 8], 0.3, 1
"""Shares to begin with: way, corner, x, y and z of the pocket, slope, drop at corners, walls, legs."""
_GENERATIONS = 60
_SLOPES_DEG, _WALLS_MM, _LEGS_MM = (2.0, 18.0), (3.0, 8.0), (14.0, 30.0)
_LEAST_DROP_MM = 20.0
_SPAN_MM = 320.0
_NO_ROOM, _FAULTY, _REFUSED, _OVERLOADED, _NOT_APPROVED = 10.0, 5.0, 2.0, 0.5, 0.1
"""Losses: no height for the route, faults of geometry, no preview, something gave way, a preview alone succeeded."""
Point = tuple[float, float]


class _Evolution(Protocol):
    """What is used of `cma`, which has no types."""

    def ask(self) -> Sequence[Sequence[float]]: ...
    def tell(self, solutions: Sequence[Sequence[float]], function_values: Sequence[float], /) -> None: ...


def next_script(problem: RoutingProblem, attempts: Sequence[Attempt]) -> str | None:
    """Return the first design of the evolution that was not tried; None if none is left."""
    options = {"bounds": [0.0, 1.0], "seed": _SEED, "verbose": -9}
    evolution = cast("_Evolution", CMAEvolutionStrategy(_FIRST, _SPREAD, options))
    tried = {attempt.script: _loss_of(attempt, problem) for attempt in attempts}
    for _ in range(_GENERATIONS):
        shares, losses = evolution.ask(), list[float]()
        for each in shares:
            loss, script = _sketch(tuple(map(float, each)), problem)
            if script is not None and script not in tried:
                return script
            losses.append(loss if script is None else tried[script])
        evolution.tell(shares, losses)
    return None


def _loss_of(attempt: Attempt, problem: RoutingProblem) -> float:
    """Return how far a design is from solving the world: 0.1 for a preview that did, whatever failed after it."""
    preview = attempt.preview
    if preview is None:
        return _REFUSED
    if preview.get("verdict") == "solved":
        return _NOT_APPROVED
    final = cast("Sequence[float]", preview.get("final_mm"))
    closest = cast("float", preview.get("closest_goal_mm"))
    near = (closest + math.dist(final, problem.goal.center) / 10) / math.dist(*problem.build)
    return _NOT_APPROVED + near + _OVERLOADED * (preview.get("ending") == "overloaded")


@lru_cache(maxsize=4096)
def _sketch(shares: tuple[float, ...], problem: RoutingProblem) -> tuple[float, str | None]:
    """Return the design of these shares, or the loss of a channel that has no room."""
    way, corner, x, y, z, slope, corner_drop, wall, leg = shares
    wall_mm, leg_mm = _between(_WALLS_MM, wall), _between(_LEGS_MM, leg)
    proportions = ChannelProportions(wall_mm=wall_mm, leg_mm=leg_mm, span_mm=_SPAN_MM)
    sizes = sizes_for(problem.size_mm, proportions)
    goal, half = problem.goal, sizes.pocket / 2
    ends = [
        _between((min(low + half, middle), max(high - half, middle)), share)
        for low, high, middle, share in zip(goal.low[:2], goal.high[:2], goal.center[:2], (x, y), strict=True)
    ]
    lowest = max(goal.low[2] + 5.0, problem.build.low[2] + 12.0)
    pocket_z = _between((lowest, max(lowest, goal.high[2] - 0.6 * sizes.payload)), z)
    points = _points(way, corner, (ends[0], ends[1]), problem, sizes)
    level = list(_level_segments(points, _between(_SLOPES_DEG, slope)))
    is_long = all(each.is_long_enough(sizes, each is level[-1]) for each in level)
    spare = _spare_mm(level, pocket_z, problem, sizes)
    if not is_long or spare < 0.0:
        return _NO_ROOM + max(0.0, -spare) / 100, None
    segments = tuple(_lowered(level, spare, corner_drop, problem, sizes))
    design = build_design(segments, problem, sizes)
    found = faults(design, problem, proportions)
    return (_FAULTY + len(found) / 10, None) if found else (0.0, write_design(design, problem))


def _between(ends: tuple[float, float], share: float) -> float:
    return ends[0] + share * (ends[1] - ends[0])


def _points(way: float, corner: float, end: Point, problem: RoutingProblem, sizes: ChannelSizes) -> list[Point]:
    """Return the places in plan that a route leads through: straight, or by a line across x or across y."""
    start = problem.start[0], problem.start[1]
    if way < 1 / 3:
        return [start, end]
    axis = 0 if way < 2 / 3 else 1
    line = _between((problem.build.low[axis], problem.build.high[axis]), corner)
    line = next((at for at in (end[axis], start[axis]) if abs(line - at) < sizes.corner_box), line)
    between: list[Point] = [(line, start[1]), (line, end[1])] if axis == 0 else [(start[0], line), (end[0], line)]
    return list(dict.fromkeys([start, *between, end]))


def _level_segments(points: Sequence[Point], slope_deg: float) -> Iterator[Segment]:
    """Yield the segments along points, all of them at height 0."""
    before: float | None = None
    for (x, y), (to_x, to_y) in pairwise(points):
        yaw_deg = math.degrees(math.atan2(to_y - y, to_x - x))
        turn: Turn | None = None
        if before is not None:
            turn = "left" if math.sin(math.radians(yaw_deg - before)) > 0.0 else "right"
        yield Segment(x, y, yaw_deg, 0.0, 0.0, slope_deg, math.hypot(to_x - x, to_y - y), turn)
        before = yaw_deg


def _spare_mm(level: Sequence[Segment], pocket_z: float, problem: RoutingProblem, sizes: ChannelSizes) -> float:
    """Return the height that drops may use beyond their least."""
    slope_deg = level[0].slope_deg
    run = sum(each.mouth_distance(sizes, each is level[-1]) for each in level)
    steps = (len(level) - 1) * step_down(slope_deg, slope_deg, sizes)
    fall = problem.start[2] - sizes.payload / 2 - pocket_z - sizes.lip
    return fall - run * level[0].tangent - steps - _LEAST_DROP_MM


def _lowered(
    level: Sequence[Segment], spare: float, share: float, problem: RoutingProblem, sizes: ChannelSizes
) -> Iterator[Segment]:
    """Yield the segments at their heights; corners take a share of the spare height."""
    corners, slope_deg = len(level) - 1, level[0].slope_deg
    corner_drop = share * spare / corners if corners else 0.0
    drop = _LEAST_DROP_MM + spare - corners * corner_drop
    floor_z = problem.start[2] - sizes.payload / 2 - drop
    for each in level:
        yield Segment(each.x, each.y, each.yaw_deg, floor_z, drop, slope_deg, each.reach, each.turn)
        mouth_z = floor_z - each.mouth_distance(sizes, is_last=False) * each.tangent
        drop = corner_drop
        floor_z = mouth_z - step_down(slope_deg, slope_deg, sizes) - corner_drop
