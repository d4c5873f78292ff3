"""Entry: where a payload that the world itself moves is first free for a channel, and its direction there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import atan2, degrees, dist, hypot

from offline_expert.boxes import Bounds, Vec
from offline_expert.routing.problem import RoutingProblem

_ROOM_MM = 9.0
"""Least height below the payload: a floor and a drop on to it."""
_BESIDE_MM = 14.0
"""From a payload that falls to the outside of a channel's walls."""
_STEPS = 8
"""Between two samples of a path."""


def entered(problem: RoutingProblem, path: Sequence[Vec]) -> RoutingProblem:
    """Return the problem from where the payload's path without a machine is first free for a channel.

    `path` has the payload's centre in mm, in order. A payload that moves on rather than falls there gets a
    heading, as one that is pushed over an edge. Without such a place, the problem is returned as it is.
    """
    found: RoutingProblem | None = None
    for begin, end in pairwise(path):
        dx, dy, dz = (after - before for before, after in zip(begin, end, strict=True))
        is_falling = hypot(dx, dy) <= abs(dz)
        for at in _between(begin, end):
            moved = replace(problem, start=at, room_mm=None, is_moved=True)
            if not _is_free(moved):
                continue
            if dist(at[:2], problem.start[:2]) < problem.size_mm / 4:
                return problem  # it falls straight down
            if not is_falling:
                return found or replace(moved, heading_deg=degrees(atan2(dy, dx)))
            found = found or moved
            if _has_walls(moved):
                return moved
    return found or problem


def _between(begin: Vec, end: Vec) -> Iterator[Vec]:
    for step in range(_STEPS):
        x, y, z = (a + (b - a) * step / _STEPS for a, b in zip(begin, end, strict=True))
        yield x, y, z


def _is_free(problem: RoutingProblem) -> bool:
    """Tell whether the payload is inside the build zone and above nothing that a floor would touch."""
    low, high = problem.start_box
    below = Bounds((low[0], low[1], low[2] - _ROOM_MM), high)
    return problem.build.contains(problem.start_box) and all(solid.gap_mm(below) >= 0.0 for solid in problem.solids)


def _has_walls(problem: RoutingProblem) -> bool:
    """Tell whether there is room in the build zone for walls on all sides of the payload."""
    low, high = problem.start_box.grown(_BESIDE_MM)
    (x0, y0, _), (x1, y1, _) = problem.build
    return x0 <= low[0] and high[0] <= x1 and y0 <= low[1] and high[1] <= y1
