"""A pen around the goal: panels on the solid below it, open to where the payload comes from."""

from offline_expert.drives.axis import MotionAxis
from offline_expert.drives.machine import GAP_MM, PrintedPart
from offline_expert.routing.problem import RoutingProblem

_PANEL_MM, _INSET_MM, _FROM_EDGE_MM = 4.0, 3.0, 2.0
"""Thickness of a panel; from the goal's edges to the panels; from the edge that the payload falls over to the sides."""
_HEIGHT_RATIO, _LEAST_HEIGHT_MM = 1.5, 40.0


def pen(problem: RoutingProblem, axis: MotionAxis) -> tuple[PrintedPart, ...]:
    """Return three panels around the goal; none where the payload on its floor would not touch it, or without room."""
    foot = problem.top_under(problem.goal)
    if foot is None or foot + problem.size_mm < problem.goal.low[2] + _INSET_MM:
        return ()
    (x0, y0, _), (x1, y1, _) = problem.goal.grown(-_INSET_MM)
    (dx, dy), (x, y, _) = axis.direction, axis.start
    corners = [(at_x - x, at_y - y) for at_x in (x0, x1) for at_y in (y0, y1)]
    alongs = sorted(at_x * dx + at_y * dy for at_x, at_y in corners)
    asides = sorted(axis.hand * (at_y * dx - at_x * dy) for at_x, at_y in corners)
    begin, end, right, left = max(alongs[0], axis.goal[1] + _FROM_EDGE_MM), alongs[-1], asides[0], asides[-1]
    z = (foot + GAP_MM, foot + max(_HEIGHT_RATIO * problem.size_mm, _LEAST_HEIGHT_MM))
    sides = (begin, end - _PANEL_MM - GAP_MM)
    panels = (
        PrintedPart("pen-back", axis.box((end - _PANEL_MM, end), (right, left), z)),
        PrintedPart("pen-left", axis.box(sides, (left - _PANEL_MM, left), z)),
        PrintedPart("pen-right", axis.box(sides, (right, right + _PANEL_MM), z)),
    )
    return panels if all(problem.has_room(panel.box) for panel in panels) else ()
