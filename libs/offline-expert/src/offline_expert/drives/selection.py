"""Selection of a machine by the heights of start and goal, and of a motor from the catalog's search."""

from collections.abc import Sequence
from dataclasses import replace

from offline_expert.boxes import Vec
from offline_expert.drives.axis import MotionAxis, NoMachineError, barrier_before_goal, motion_axis
from offline_expert.drives.clearance import require_clearance
from offline_expert.drives.lift import Heights, lift
from offline_expert.drives.machine import PINION_MM, DrivenMachine, DriveProportions, FoundMotor, Gearmotor
from offline_expert.drives.pusher import pusher
from offline_expert.routing.problem import SUPPORT_GAP_MM, RoutingProblem

MIN_TORQUE_N_M = 0.3
"""Continuous; with the pinion's radius 30 N, over three times the load of the heaviest carriage of the benchmarks."""
MOTOR_SEARCH = (
    f"a 12 V gear motor with at least {MIN_TORQUE_N_M:g} N m continuous torque at 10 rad/s, with a position sensor, "
    "cheap"
)
_SPEED_RESERVE = 2.0
"""No-load speed over the speed needed: half of the stall torque is left then."""
_MAX_DIAMETER_MM, _ROUND_WITHIN_MM = 26.0, 0.5


def needs_motor(problem: RoutingProblem) -> bool:
    """Tell whether gravity is not enough: the goal is above the payload, behind a barrier, or on the same floor."""
    return _is_goal_above(problem) or barrier_before_goal(problem) is not None or _is_goal_on_same_floor(problem)


def choose_machine(problem: RoutingProblem, proportions: DriveProportions) -> DrivenMachine:
    """Return a machine whose motor is on the left, or else on the right; raise `NoMachineError` if none fits."""
    axis = motion_axis(problem)
    try:
        return _machine(problem, axis, proportions)
    except NoMachineError as error:
        try:
            return _machine(problem, replace(axis, hand=-1), proportions)
        except NoMachineError:
            raise error from None


def _machine(problem: RoutingProblem, axis: MotionAxis, proportions: DriveProportions) -> DrivenMachine:
    barrier = barrier_before_goal(problem)
    floor_z = _carrying(problem.floor_z, problem.start)
    if _is_goal_above(problem) or barrier is not None:
        shelf_z = _carrying(problem.top_under(problem.goal), problem.goal.center)
        machine = lift(problem, axis, Heights(floor_z, shelf_z, barrier), proportions)
    else:
        machine = pusher(problem, axis, floor_z, proportions)
    require_clearance(machine, problem)
    return machine


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


def _is_goal_above(problem: RoutingProblem) -> bool:
    return problem.goal.low[2] >= problem.start[2]


def _is_goal_on_same_floor(problem: RoutingProblem) -> bool:
    bottom_z, floor_z = problem.start_box.low[2], problem.floor_z
    is_supported = floor_z is not None and abs(bottom_z - floor_z) <= SUPPORT_GAP_MM
    return is_supported and problem.goal.low[2] < problem.start_box.high[2] and problem.goal.high[2] > bottom_z


def _carrying(top_z: float | None, above: Vec) -> float:
    if top_z is None:
        x, y, z = above
        raise NoMachineError(f"No solid under ({x:.0f}, {y:.0f}, {z:.0f}) mm can carry a machine.")
    return top_z
