"""A pusher on a ledge: the payload rests on a solid, is pushed over its edge and moves on in a channel to the goal."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, radians, tan

from offline_expert.boxes import Bounds, upright
from offline_expert.drives.axis import MotionAxis, NoMachineError
from offline_expert.drives.clearance import swept_box
from offline_expert.drives.machine import DrivenMachine, DriveProportions, PrintedPart
from offline_expert.drives.pusher import pusher_to
from offline_expert.routing.channel import BoxPart
from offline_expert.routing.dimensions import ChannelProportions, sizes_for
from offline_expert.routing.problem import SUPPORT_GAP_MM, RoutingProblem
from offline_expert.routing.router import NoRouteError, find_design
from offline_expert.routing.script import summary_of

_BEFORE_EDGE_MM = 1.1
"""From the edge to the channel's back."""
_BEYOND_RATIO, _MOST_BEYOND_MM = 0.25, 17.0
"""How far the plate goes beyond the channel's back, over the payload's size; and, at most, beyond the edge."""


def ledge_pusher(
    problem: RoutingProblem, axis: MotionAxis, proportions: DriveProportions, channels: Sequence[ChannelProportions]
) -> DrivenMachine:
    """Return a pusher along an axis and the channel from the edge to the goal; raise `NoMachineError` if none fits."""
    edge, floor_z = axis.goal[0], ledge_z(problem)
    refusal = NoRouteError()
    for each in channels:
        beyond = _BEFORE_EDGE_MM + each.wall_mm + _BEYOND_RATIO * problem.size_mm
        machine = pusher_to((edge + min(beyond, _MOST_BEYOND_MM), edge), problem, axis, floor_z, proportions)
        try:
            design = find_design(_problem_beyond(problem, machine, axis, floor_z, each), each)
        except NoRouteError as error:
            refusal = error
        else:
            printed = (*machine.printed, *(_printed(part) for part in design.parts))
            summary = f"{machine.summary} It goes over the edge into channels. {summary_of(design)}"
            return replace(machine, printed=printed, summary=summary)
    if falls_into_goal(problem, axis):
        beyond = min(_BEYOND_RATIO * problem.size_mm, _MOST_BEYOND_MM)
        machine = pusher_to((edge + beyond, edge), problem, axis, floor_z, proportions)
        return replace(machine, summary=f"{machine.summary} It falls over the edge into the goal.")
    raise NoMachineError(f"The payload would be pushed {edge:.0f} mm to an edge. {refusal}")


def edge_ahead(problem: RoutingProblem, yaw_deg: float) -> float:
    """Return the distance from the start to the edge of what the payload rests on; 0 if that is not a flat solid."""
    axis, floor_z = MotionAxis(problem.start, yaw_deg, (0.0, 0.0)), ledge_z(problem)
    (dx, dy), half = axis.direction, problem.size_mm / 2
    spans: list[tuple[float, float]] = []
    for solid in problem.levels:
        low, high = ([at - by for at, by in zip(corner[:2], problem.start[:2], strict=True)] for corner in solid)
        along = sorted((low[0] * dx + low[1] * dy, high[0] * dx + high[1] * dy))
        aside = sorted((low[1] * dx - low[0] * dy, high[1] * dx - high[0] * dy))
        if abs(solid.high[2] - floor_z) <= SUPPORT_GAP_MM and aside[0] < half and aside[1] > -half:
            spans.append((along[0], along[1]))
    edge = 0.0
    for begin, end in sorted(spans):
        edge = max(edge, end) if begin <= edge + SUPPORT_GAP_MM else edge
    return edge


def falls_into_goal(problem: RoutingProblem, axis: MotionAxis) -> bool:
    """Tell whether the goal is straight below the edge over which the payload is pushed, and it may stay there."""
    return is_goal_ahead(problem, axis, 2 * problem.size_mm) and not (problem.is_ball and problem.is_held)


def is_goal_ahead(problem: RoutingProblem, axis: MotionAxis, reach: float) -> bool:
    """Tell whether the payload's lane meets the goal, seen from above, within a distance beyond the edge."""
    edge, size = axis.goal[0], problem.size_mm
    beyond = axis.box((edge, edge + reach), (-size / 4, size / 4), (problem.goal.low[2], problem.goal.high[2]))
    return beyond.bounds.gap_mm(problem.goal) < 0.0


def ledge_z(problem: RoutingProblem) -> float:
    """Return the height of the highest solid below the payload's centre: a flat payload's underside is unknown."""
    top = problem.top_under(Bounds(problem.start, problem.start))
    return -inf if top is None else top


def _problem_beyond(
    problem: RoutingProblem, machine: DrivenMachine, axis: MotionAxis, floor_z: float, channel: ChannelProportions
) -> RoutingProblem:
    """Return the problem of the channel: the payload comes over the edge, past the pusher's parts."""
    sizes = sizes_for(problem.size_mm, channel, is_pushed=True)
    start = axis.point(
        axis.goal[0] + _BEFORE_EDGE_MM + channel.wall_mm + sizes.back, 0.0, floor_z + problem.size_mm / 2
    )
    moving = [part.box for part in machine.printed if part.label == "deck"] + [upright(machine.motor_bounds)]
    spaces = [swept_box(box, machine.slide.direction, machine.slide.stroke_mm) for box in moving]
    spaces += [part.box for part in machine.printed if part.label in ("rail", "wall")]
    solids = (*problem.solids, *(space.bounds for space in spaces))
    return replace(problem, start=start, solids=solids, footings=problem.levels, heading_deg=axis.yaw_deg)


def _printed(part: BoxPart) -> PrintedPart:
    if part.top_slope_deg is None:
        return PrintedPart(part.label, part.box)
    _, width, lowest = part.box.size
    return PrintedPart(part.label, part.box, rear_height_mm=lowest + width * tan(radians(part.top_slope_deg)))
