"""Selection of a machine by the heights of start and goal, and of a motor from the catalog's search."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, product
from math import dist

from offline_expert.boxes import Bounds, Vec
from offline_expert.drives.axis import MotionAxis, NoMachineError, barrier_before_goal, motion_axes
from offline_expert.drives.clearance import require_clearance
from offline_expert.drives.ledge import edge_ahead, is_goal_ahead, ledge_pusher, ledge_z
from offline_expert.drives.lift import Heights, lift
from offline_expert.drives.machine import PINION_MM, DrivenMachine, DriveProportions, FoundMotor, Gearmotor
from offline_expert.drives.pen import pen
from offline_expert.drives.pusher import pusher
from offline_expert.drives.sweeper import BEYOND_EDGE_RATIO, Sweeper, sweepers
from offline_expert.routing.dimensions import ChannelProportions
from offline_expert.routing.problem import SUPPORT_GAP_MM, RoutingProblem
from offline_expert.routing.router import LEAST_ROOM_MM

MIN_TORQUE_N_M = 0.3
"""Continuous; with the pinion's radius 30 N, over three times the load of the heaviest carriage of the benchmarks."""
MOTOR_SEARCH = (
    f"a 12 V gear motor with at least {MIN_TORQUE_N_M:g} N m continuous torque at 10 rad/s, with a position sensor, "
    "cheap"
)
_MOST_SWEEPERS, _SKIPPED_SWEEPERS = 3, 4
"""After as many a trolley is tried; after each, as many that hardly differ are left out."""
_AHEAD = ((1.0, False), (1.0, True), (2.5, True))
"""Speeds of sweepers over the usual one, and whether they have a pen, for a goal farther ahead than below the edge."""
_NOSES = (0.0, 0.5, 1.0)
"""Lengths of a trolley's nose over the way to the goal's end: its motor stays back where there is no room for it."""
_THINNEST_MM = 1.6
"""Of a channel's floor."""
_SPEED_RESERVE = 2.0
"""No-load speed over the speed needed: half of the stall torque is left then."""
_MAX_DIAMETER_MM, _ROUND_WITHIN_MM = 26.0, 0.5


def needs_motor(problem: RoutingProblem) -> bool:
    """Tell whether gravity is not enough: the goal is above the payload or behind a barrier, or a solid carries it."""
    return _is_lifted(problem) or _is_goal_on_same_floor(problem) or rests_on_ledge(problem)


def choose_machine(
    problem: RoutingProblem,
    proportions: DriveProportions,
    channels: Sequence[ChannelProportions] = (ChannelProportions(),),
) -> DrivenMachine:
    """Return the first machine that fits; raise the first `NoMachineError` if none does.

    `channels` are the proportions of channels that lead on from an edge, the best first.
    """
    reason: NoMachineError | None = None
    noses = _NOSES if _is_goal_on_same_floor(problem) and not _is_lifted(problem) else _NOSES[:1]
    for share, axis, hand in product(noses, _axes(problem), (1, -1)):
        nosed = replace(proportions, nose_mm=share * axis.goal[1])
        try:
            return _machine(problem, replace(axis, hand=hand), nosed, channels)
        except NoMachineError as error:
            reason = reason or error
    raise reason or NoMachineError("The payload rests on a solid without an edge inside the build zone.")


def _axes(problem: RoutingProblem) -> list[MotionAxis]:
    """Return the axes along which a machine may move the payload, the most promising first."""
    if not rests_on_ledge(problem):
        return motion_axes(problem)
    goal = problem.goal.center
    found: list[tuple[float, MotionAxis]] = []
    for yaw_deg in (0.0, 90.0, 180.0, 270.0):
        edge = edge_ahead(problem, yaw_deg)
        axis = MotionAxis(problem.start, yaw_deg, (edge, edge))
        beyond = axis.point(edge, 0.0, goal[2])
        if edge > 0 and problem.build.contains(Bounds(beyond, beyond)):
            to_goal = abs(goal[0] - beyond[0]) + abs(goal[1] - beyond[1])
            found.append((edge + to_goal, axis))
    return [axis for _, axis in sorted(found, key=lambda each: each[0])]


def _machine(
    problem: RoutingProblem, axis: MotionAxis, proportions: DriveProportions, channels: Sequence[ChannelProportions]
) -> DrivenMachine:
    if _is_lifted(problem):
        floor_z = _carrying(problem.floor_z, problem.start)
        shelf_z = _carrying(problem.top_under(problem.goal), problem.goal.center)
        barrier = barrier_before_goal(problem)
        has_table = barrier is None and problem.goal.low[2] - shelf_z > problem.size_mm / 2
        shelf_z = problem.goal.low[2] if has_table else shelf_z
        machine = lift(problem, axis, Heights(floor_z, shelf_z, has_table, barrier), proportions)
    elif _is_goal_on_same_floor(problem):
        machine = pusher(problem, axis, _carrying(problem.floor_z, problem.start), proportions)
    else:
        machine = ledge_pusher(problem, axis, proportions, channels)
    require_clearance(machine, problem)
    return machine


def choose_sweeper(problem: RoutingProblem, tried: int, *, is_cheap: bool = False) -> Sweeper | None:
    """Return a servo that sweeps the payload over an edge towards the goal; None without such an edge or place.

    `tried` is how many have failed: where the goal is straight below the edge, the next one is longer; where it is
    farther ahead, physics decides whether the payload gets there, and the next one is faster. On one floor it is less
    certain than a trolley, and tried where a machine must be cheap or have few parts.
    """
    if problem.lies is not None:
        problem = replace(problem, size_mm=problem.lies[0], room_mm=None)  # it is swept as it rolls
    if is_cheap and _is_goal_on_same_floor(problem) and not _is_lifted(problem):
        found = islice(_sweepers(problem, _level_axes(problem)), tried * _SKIPPED_SWEEPERS, None)
        return next(found, None) if tried < _MOST_SWEEPERS else None
    if not rests_on_ledge(problem):
        return None
    axes = _axes(problem)
    if below := [axis for axis in axes if is_goal_ahead(problem, axis, 2 * problem.size_mm)]:
        has_pen = tried > 0 or (problem.is_ball and problem.is_held)
        fenced = _sweepers(problem, below, has_pen=True) if has_pen else iter(())
        found = islice(chain(fenced, _sweepers(problem, below)), tried * _SKIPPED_SWEEPERS, None)
        return next(found, None) if tried < _MOST_SWEEPERS else None
    if tried >= len(_AHEAD):
        return None
    faster, has_pen = _AHEAD[tried]
    ahead = [axis for axis in axes if is_goal_ahead(problem, axis, dist(*problem.build))]
    found = next(_sweepers(problem, ahead, has_pen=has_pen), None)
    return found and replace(found, seconds=found.seconds / faster)


def _level_axes(problem: RoutingProblem) -> list[MotionAxis]:
    """Return the axes on one floor, as if an edge were where the payload must get to."""
    axes = motion_axes(problem)
    ways = [sum(axis.goal) / 2 - BEYOND_EDGE_RATIO * problem.size_mm for axis in axes]
    return [replace(axis, goal=(way, way)) for axis, way in zip(axes, ways, strict=True)]


def _sweepers(problem: RoutingProblem, axes: Sequence[MotionAxis], *, has_pen: bool = False) -> Iterator[Sweeper]:
    """Yield sweepers along the axes, on either side; those with a pen only where there is room for it."""
    for axis, hand in product(axes, (1, -1)):
        side = replace(axis, hand=hand)
        panels = pen(problem, side) if has_pen else ()
        if panels or not has_pen:
            yield from (replace(each, pen=panels) for each in sweepers(problem, side, ledge_z(problem)))


def choose_motor(found: Sequence[FoundMotor], proportions: DriveProportions) -> Gearmotor | None:
    """Return the cheapest motor that is round, strong and fast enough, turns without limit and has a sensor."""
    suitable = [motor for motor in found if _is_suitable(motor, proportions.speed_mm_s / PINION_MM)]
    if not suitable:
        return None
    best = min(suitable, key=lambda motor: (motor["unit_price_usd"], motor["id"]))
    x, y, z = best["size_mm"]
    torque = best["continuous_torque_n_m"] or 0.0
    return Gearmotor(best["id"], max(x, y) / 2, z, best["mass_g"] / 1000, torque)


def _is_suitable(motor: FoundMotor, speed_rad_s: float) -> bool:
    x, y, _ = motor["size_mm"]
    return (
        motor["control"] == "position_or_velocity"
        and (motor["continuous_torque_n_m"] or 0.0) >= MIN_TORQUE_N_M
        and (motor["no_load_speed_rad_s"] or 0.0) >= _SPEED_RESERVE * speed_rad_s
        and abs(x - y) <= _ROUND_WITHIN_MM
        and max(x, y) <= _MAX_DIAMETER_MM
    )


def _is_lifted(problem: RoutingProblem) -> bool:
    return _is_goal_above(problem) or barrier_before_goal(problem) is not None


def rests_on_ledge(problem: RoutingProblem) -> bool:
    """Tell whether the payload is too close to the solid below it for a channel's floor, and the goal is lower."""
    has_room = problem.room_below_mm >= _THINNEST_MM + LEAST_ROOM_MM
    return not (has_room or _is_lifted(problem) or _is_goal_on_same_floor(problem))


def _is_goal_above(problem: RoutingProblem) -> bool:
    below_goal_z = problem.top_under(problem.goal)
    is_on_step = below_goal_z is not None and below_goal_z > problem.start_box.low[2] + SUPPORT_GAP_MM
    return is_on_step or problem.goal.low[2] >= problem.start[2]


def _is_goal_on_same_floor(problem: RoutingProblem) -> bool:
    bottom_z, floor_z = problem.start_box.low[2], problem.floor_z
    is_supported = floor_z is not None and abs(bottom_z - floor_z) <= SUPPORT_GAP_MM
    x, y, _ = problem.goal.center
    below_goal = problem.top_under(Bounds((x, y, bottom_z), (x, y, bottom_z)))
    is_level = below_goal is None or floor_z is None or below_goal >= floor_z - SUPPORT_GAP_MM
    return (
        is_supported
        and is_level
        and problem.goal.low[2] < problem.start_box.high[2]
        and problem.goal.high[2] > bottom_z
    )


def _carrying(top_z: float | None, above: Vec) -> float:
    if top_z is None:
        x, y, z = above
        raise NoMachineError(f"No solid under ({x:.0f}, {y:.0f}, {z:.0f}) mm can carry a machine.")
    return top_z
