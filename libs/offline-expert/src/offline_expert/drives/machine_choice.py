"""Which machine a problem needs, by its heights alone."""

from offline_expert.drives.axis import NoWayError, way_of
from offline_expert.drives.lift import lifted
from offline_expert.drives.machine import Machine, Proportions
from offline_expert.drives.pusher import pushed
from offline_expert.routing.boxes import Bounds
from offline_expert.routing.problem import Problem

_STANDS_WITHIN_MM = 1.0


def needs_motor(problem: Problem) -> bool:
    """Tell whether gravity alone cannot do it: the goal lies above the payload, or on the floor that it stands on."""
    return _is_above(problem) or _is_on_its_floor(problem)


def machine_for(problem: Problem, like: Proportions) -> Machine:
    """Return a machine with a motor; raise `NoWayError` for what it cannot do."""
    way, floor_z = way_of(problem), _top_under(problem, problem.drop_column)
    if _is_above(problem):
        return lifted(problem, way, (floor_z, _top_under(problem, problem.goal)), like)
    return pushed(problem, way, floor_z, like)


def _is_above(problem: Problem) -> bool:
    return problem.goal.low[2] >= problem.start[2]


def _is_on_its_floor(problem: Problem) -> bool:
    bottom_z = problem.drop_column.low[2]
    stands = any(abs(bottom_z - top) <= _STANDS_WITHIN_MM for top in _tops_under(problem, problem.drop_column))
    return stands and problem.goal.low[2] < problem.drop_column.high[2] and problem.goal.high[2] > bottom_z


def _top_under(problem: Problem, column: Bounds) -> float:
    tops = _tops_under(problem, column)
    if not tops:
        x, y, z = column.center
        raise NoWayError(f"Nothing lies under ({x:.0f}, {y:.0f}, {z:.0f}) mm on which a machine could stand.")
    return max(tops)


def _tops_under(problem: Problem, column: Bounds) -> list[float]:
    """Return the heights of all solids under the middle of a box and not above its bottom."""
    x, y, _ = column.center
    return [
        solid.high[2]
        for solid in problem.solids
        if solid.low[0] <= x <= solid.high[0]
        and solid.low[1] <= y <= solid.high[1]
        and solid.high[2] <= column.low[2] + _STANDS_WITHIN_MM
    ]
