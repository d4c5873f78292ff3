"""The measured cause of a failure, one sentence for each ending."""

from contracts.criteria import START_RESERVE_MM
from contracts.models.benchmark import GoalRule
from contracts.models.geometry import Vector

from sim_worker.judge.criteria import Criteria
from sim_worker.units import millimetres

AFTERMATH_S = 2.0
"""How long a replica is watched after success."""
RULE_TEXTS: dict[GoalRule, str] = {
    "touch": "not",
    "inside": "was not entirely inside it",
    "at_rest": "was not at rest in it",
}
"""What a payload that touched the goal zone failed to do."""


def format_point(point_mm: Vector) -> str:
    """Return a point in millimetres as text."""
    x, y, z = point_mm
    return f"({x:.0f}, {y:.0f}, {z:.0f}) mm"


def touched_forbid(culprit: str, zone: str, depth_m: float, point_mm: Vector) -> str:
    """Return the cause of `touched_forbid`; the point is the culprit's position."""
    depth = f"{millimetres(depth_m):.2f} mm"
    return f"{culprit} touched the forbid zone {zone}, {depth} deep, when it was at {format_point(point_mm)}"


def no_room(culprit: str, depth_m: float, point_mm: Vector, jitter_mm: float, payload: str) -> str:
    """Return the cause of `no_room`; the point is the start of the payload that the text calls so."""
    depth, free = f"{millimetres(depth_m):.2f} mm", f"{jitter_mm + START_RESERVE_MM:g} mm"
    return (
        f"released a few millimetres off, at {format_point(point_mm)}, {payload} would be {depth} inside {culprit}; "
        f"leave it {free} on all sides where it is released"
    )


def missed_goal(point_mm: Vector, speed_m_s: float, closest_mm: float, criteria: Criteria, is_settled: bool) -> str:
    """Return the cause of `missed_goal`, with the least distance from the goal zone and the final state."""
    if closest_mm <= 0.0:
        rule = RULE_TEXTS[criteria.scene.goal_rule]
        near = f"it touched the goal zone, but {rule} for {criteria.hold_s:g} s without a break"
    else:
        near = f"it came no nearer than {closest_mm:.1f} mm to the goal zone"
    end = "everything came to rest with it" if is_settled else f"time was up with it moving at {speed_m_s:.2f} m/s"
    return f"{near}; {end} at {format_point(point_mm)}"


def left_goal(point_mm: Vector, distance_mm: float) -> str:
    """Return what is reported of a payload that does not touch the goal zone any more some time after success."""
    return f"{distance_mm:.1f} mm from the goal zone {AFTERMATH_S:g} s later, at {format_point(point_mm)}"


def spurious_energy(speed_m_s: float) -> str:
    """Return the cause of `numerical` for energy that has no source."""
    return (
        f"there was more energy than height and motors can give, the payload at {speed_m_s:.2f} m/s: "
        "a fault of the simulator, not of the design"
    )


def diverged() -> str:
    """Return the cause of `diverged`."""
    return "the state of the world stopped being finite: forces grew without bound"


def simulator_stopped(warnings: tuple[str, ...]) -> str:
    """Return the cause of `numerical` for a simulator that stopped with these warnings."""
    return f"the simulator gave up: {', '.join(warnings)}"
