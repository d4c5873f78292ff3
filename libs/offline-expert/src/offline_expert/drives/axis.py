"""Motion axis: the straight line along which a payload is pushed, or beside which it is lifted."""

import math
from dataclasses import dataclass

from offline_expert.boxes import Bounds, Vec
from offline_expert.routing.problem import RoutingProblem

Span = tuple[float, float]
"""From and to."""

_AIM_MM = 10.0
"""Minimum distance of the payload's line from the edges of the goal."""


class NoMachineError(Exception):
    """No machine of this expert solves the problem; the message contains measurements."""


@dataclass(frozen=True)
class MotionAxis:
    """A horizontal axis from the payload's start: `along` it, and `aside` of it. Millimetres."""

    start: Vec
    direction: tuple[int, int]
    """Along x and y; one of them is 0."""
    goal: Span
    """Begin and end of the goal zone along the axis."""
    hand: int = 1
    """-1: `aside` is to the right."""

    @property
    def yaw_deg(self) -> float:
        """Direction in plan."""
        return math.degrees(math.atan2(self.direction[1], self.direction[0])) % 360

    def point(self, along: float, aside: float, z: float) -> Vec:
        """Return a point in world coordinates."""
        (x, y, _), (dx, dy) = self.start, self.direction
        aside *= self.hand
        return (x + along * dx - aside * dy, y + along * dy + aside * dx, z)

    def box(self, along: Span, aside: Span, z: Span) -> Bounds:
        """Return the box between two distances along the axis, two aside, and two heights."""
        (x0, y0, z0), (x1, y1, z1) = self.point(along[0], aside[0], z[0]), self.point(along[1], aside[1], z[1])
        return Bounds((min(x0, x1), min(y0, y1), z0), (max(x0, x1), max(y0, y1), z1))


@dataclass(frozen=True)
class Barrier:
    """A solid between start and goal that crosses the whole build zone and is higher than the payload's bottom."""

    begin: float
    """From the payload's start, along the axis to the goal."""
    end: float
    top_z: float


def barrier_before_goal(problem: RoutingProblem) -> Barrier | None:
    """Return the space of all barriers on the way to the goal; None if there is none."""
    for axis in (0, 1):
        barriers = [barrier for solid in problem.fixed_solids if (barrier := _barrier(solid, axis, problem))]
        if barriers:
            begin, end = min(each.begin for each in barriers), max(each.end for each in barriers)
            return Barrier(begin, end, max(each.top_z for each in barriers))
    return None


def _barrier(solid: Bounds, axis: int, problem: RoutingProblem) -> Barrier | None:
    """Return a solid as a barrier across an axis; None if it is not between, or the payload can pass it."""
    across, start = 1 - axis, problem.start[axis]
    sign = 1 if problem.goal.center[axis] > start else -1
    begin, end = sorted(sign * (edge - start) for edge in (solid.low[axis], solid.high[axis]))
    is_between = begin > 0 and end < sign * (problem.goal.center[axis] - start)
    low, high = problem.build.low[across], problem.build.high[across]
    is_closed = solid.low[across] <= low and solid.high[across] >= high
    if is_between and is_closed and solid.high[2] > problem.start_box.low[2]:
        return Barrier(begin, end, solid.high[2])
    return None


def motion_axis(problem: RoutingProblem) -> MotionAxis:
    """Return the axis straight to the goal; raise `NoMachineError` if the goal is ahead along neither x nor y."""
    for axis, across in ((0, 1), (1, 0)):
        start, goal, half = problem.start, problem.goal, problem.size_mm / 2
        is_aimed = goal.low[across] + _AIM_MM <= start[across] <= goal.high[across] - _AIM_MM
        if is_aimed and (goal.low[axis] >= start[axis] + half or goal.high[axis] <= start[axis] - half):
            sign = 1 if goal.center[axis] > start[axis] else -1
            near, far = sorted(sign * (end - start[axis]) for end in (goal.low[axis], goal.high[axis]))
            return MotionAxis(start, (sign, 0) if axis == 0 else (0, sign), (near, far))
    low, high = problem.goal
    raise NoMachineError(
        f"The goal zone, x {low[0]:.0f} to {high[0]:.0f} and y {low[1]:.0f} to {high[1]:.0f} mm, is not straight ahead "
        f"of the start at ({problem.start[0]:.0f}, {problem.start[1]:.0f}) mm along x or y, {_AIM_MM:g} mm inside its "
        "edges."
    )
