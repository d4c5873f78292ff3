"""Motion axis: the straight line along which a payload is pushed, or beside which it is lifted."""

import math
from dataclasses import dataclass

from offline_expert.routing.boxes import Bounds, Vec
from offline_expert.routing.problem import RoutingProblem

Span = tuple[float, float]
"""From and to."""

_AIM_MM = 10.0
"""Minimum distance of the payload's line from the edges of the goal."""


class NoMachineError(Exception):
    """No machine of this expert solves the problem; the message contains measurements."""


@dataclass(frozen=True)
class MotionAxis:
    """A horizontal axis from the payload's start: `along` it, and `aside` to its left. Millimetres."""

    start: Vec
    direction: tuple[int, int]
    """Along x and y; one of them is 0."""
    goal: Span
    """Begin and end of the goal zone along the axis."""

    @property
    def yaw_deg(self) -> float:
        """Direction in plan."""
        return math.degrees(math.atan2(self.direction[1], self.direction[0])) % 360

    def point(self, along: float, aside: float, z: float) -> Vec:
        """Return a point in world coordinates."""
        (x, y, _), (dx, dy) = self.start, self.direction
        return (x + along * dx - aside * dy, y + along * dy + aside * dx, z)

    def box(self, along: Span, aside: Span, z: Span) -> Bounds:
        """Return the box between two distances along the axis, two to its left, and two heights."""
        (x0, y0, z0), (x1, y1, z1) = self.point(along[0], aside[0], z[0]), self.point(along[1], aside[1], z[1])
        return Bounds((min(x0, x1), min(y0, y1), z0), (max(x0, x1), max(y0, y1), z1))


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
