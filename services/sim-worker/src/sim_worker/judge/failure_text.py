"""The measured cause of a failure, one sentence for each ending."""

import numpy as np
from contracts.models.geometry import Vector

from sim_worker.judge.criteria import Criteria
from sim_worker.units import Floats, millimetres


def format_point(point_mm: Vector) -> str:
    """Return a point in millimetres as text."""
    x, y, z = point_mm
    return f"({x:.0f}, {y:.0f}, {z:.0f}) mm"


def touched_forbid(culprit: str, zone: str, depth_m: float, point_mm: Vector) -> str:
    """Return the cause of `touched_forbid`; the point is the culprit's position."""
    depth = f"{millimetres(depth_m):.2f} mm"
    return f"{culprit} touched the forbid zone {zone}, {depth} deep, when it was at {format_point(point_mm)}"


def left_bounds(position_m: Floats, criteria: Criteria) -> str:
    """Return the cause of `left_bounds`, with the side through which the payload's centre went."""
    excess_m = np.concatenate([criteria.low_m - position_m, position_m - criteria.high_m])
    side = int(np.argmax(excess_m))
    axis, bound_m = "xyz"[side % 3], np.concatenate([criteria.low_m, criteria.high_m])[side]
    at_mm, bound_mm = millimetres(position_m[side % 3]), millimetres(bound_m)
    return f"the payload's centre came to {axis} = {at_mm:.1f} mm; the bounds end at {bound_mm:.1f} mm"


def missed_goal(point_mm: Vector, speed_m_s: float, closest_mm: float, hold_s: float, is_settled: bool) -> str:
    """Return the cause of `missed_goal`, with the least distance from the goal zone and the final state."""
    if closest_mm <= 0.0:
        near = f"it touched the goal zone, but not for {hold_s:g} s without a break"
    else:
        near = f"it came no nearer than {closest_mm:.1f} mm to the goal zone"
    end = "everything came to rest with it" if is_settled else f"time was up with it moving at {speed_m_s:.2f} m/s"
    return f"{near}; {end} at {format_point(point_mm)}"


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
