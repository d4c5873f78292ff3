"""Motion axis: the straight line along which a payload is pushed, or beside which it is lifted."""

import math
from dataclasses import dataclass

from offline_expert.boxes import Bounds, TurnedBox, Vec
from offline_expert.drives.machine import GAP_MM
from offline_expert.routing.problem import RoutingProblem

Span = tuple[float, float]
"""From and to."""

_AIM_RATIO = 0.25
"""Minimum distance of the payload's line from the edges of the goal, over the payload's size."""
_SPARE_MM = 14.0
"""How much longer than its edge the diagonal of a cube may be in a pusher's channel."""
_UNDER_RATIO = 1.6
"""Height below a beam, and width, that a channel needs, over the payload's size."""


class NoMachineError(Exception):
    """No machine of this expert solves the problem; the message contains measurements."""


@dataclass(frozen=True)
class MotionAxis:
    """A horizontal axis from the payload's start: `along` it, and `aside` of it. Millimetres."""

    start: Vec
    yaw_deg: float
    """Direction in plan."""
    goal: Span
    """Begin and end of the goal zone along the axis."""
    hand: int = 1
    """-1: `aside` is to the right."""

    @property
    def direction(self) -> tuple[float, float]:
        """Unit vector in plan."""
        yaw = math.radians(self.yaw_deg)
        return round(math.cos(yaw), 12), round(math.sin(yaw), 12)

    def point(self, along: float, aside: float, z: float) -> Vec:
        """Return a point in world coordinates."""
        (x, y, _), (dx, dy) = self.start, self.direction
        aside *= self.hand
        return (x + along * dx - aside * dy, y + along * dy + aside * dx, z)

    def box(self, along: Span, aside: Span, z: Span) -> TurnedBox:
        """Return the box between two distances along the axis, two aside, and two heights."""
        center = self.point(sum(along) / 2, sum(aside) / 2, sum(z) / 2)
        length, width, height = along[1] - along[0], aside[1] - aside[0], z[1] - z[0]
        if self.yaw_deg % 90 == 0:
            x, y = (width, length) if self.yaw_deg % 180 else (length, width)
            return TurnedBox(center, (x, y, height))
        return TurnedBox(center, (length, width, height), self.yaw_deg)


def standing(axis: MotionAxis, along: Span, aside: Span, z: Span, problem: RoutingProblem) -> TurnedBox:
    """Return a box on the solid at its bottom, or, where it is beside that, on the next one below it."""
    foot = problem.footing_under(axis.box(along, aside, z).bounds)
    return axis.box(along, aside, (GAP_MM + (z[0] if foot is None else foot), z[1]))


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
    """Return a solid as a barrier across an axis; None if it is not between, or the payload can pass over or under."""
    across, start = 1 - axis, problem.start[axis]
    sign = 1 if problem.goal.center[axis] > start else -1
    begin, end = sorted(sign * (edge - start) for edge in (solid.low[axis], solid.high[axis]))
    is_between = begin > 0 and end < sign * (problem.goal.center[axis] - start)
    low, high = problem.build.low[across], problem.build.high[across]
    is_closed = solid.low[across] <= low and solid.high[across] >= high
    if not (is_between and is_closed and solid.high[2] > problem.start_box.low[2]):
        return None
    return None if _has_way_under(solid, across, problem) else Barrier(begin, end, solid.high[2])


def _has_way_under(solid: Bounds, across: int, problem: RoutingProblem) -> bool:
    """Tell whether a channel fits below a solid somewhere, between what carries it."""
    size, room = problem.size_mm, _UNDER_RATIO * problem.size_mm
    steps = int((problem.build.high[across] - problem.build.low[across] - room) / (size / 2))
    for step in range(steps + 1):
        low, high = list(solid.low), list(solid.high)
        low[across] = problem.build.low[across] + step * size / 2
        high[across] = low[across] + room
        strip = Bounds((low[0], low[1], low[2]), (high[0], high[1], high[2]))
        top_z = problem.footing_under(strip)
        if top_z is not None and solid.low[2] - top_z >= room:
            return True
    return False


def motion_axes(problem: RoutingProblem) -> list[MotionAxis]:
    """Return the axis straight to the goal, or, for what is round or small, one turned to its centre.

    A larger cube is not turned: it lies along x and y, and jams. Raise `NoMachineError` without an axis.
    """
    start, goal, half = problem.start, problem.goal, problem.size_mm / 2
    inset = _AIM_RATIO * problem.size_mm
    for axis, across in ((0, 1), (1, 0)):
        is_aimed = goal.low[across] + inset <= start[across] <= goal.high[across] - inset
        if is_aimed and (goal.low[axis] >= start[axis] + half or goal.high[axis] <= start[axis] - half):
            sign = 1 if goal.center[axis] > start[axis] else -1
            near, far = sorted(sign * (end - start[axis]) for end in (goal.low[axis], goal.high[axis]))
            return [MotionAxis(start, 90.0 * axis + (0.0 if sign > 0 else 180.0), (near, far))]
    low, high = problem.goal
    fits_turned = (math.sqrt(2.0) - 1.0) * problem.size_mm <= _SPARE_MM
    if problem.is_ball or problem.is_cylinder or fits_turned:
        return [_turned_axis(problem)]
    raise NoMachineError(
        f"The goal zone, x {low[0]:.0f} to {high[0]:.0f} and y {low[1]:.0f} to {high[1]:.0f} mm, is not straight ahead "
        f"of the start at ({problem.start[0]:.0f}, {problem.start[1]:.0f}) mm along x or y, {inset:.0f} mm inside its "
        "edges."
    )


def _turned_axis(problem: RoutingProblem) -> MotionAxis:
    """Return the axis to the centre of the goal."""
    offsets = [to - at for to, at in zip(problem.goal.center[:2], problem.start[:2], strict=True)]
    distance = math.hypot(*offsets)
    sides = [high - low for low, high in zip(problem.goal.low[:2], problem.goal.high[:2], strict=True)]
    half = min(side / 2 * distance / abs(offset) for side, offset in zip(sides, offsets, strict=True) if offset)
    yaw_deg = math.degrees(math.atan2(offsets[1], offsets[0]))
    return MotionAxis(problem.start, yaw_deg, (distance - half, distance + half))
