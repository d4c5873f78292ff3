"""Why a run did not reach the goal, in one measured sentence each."""

import numpy as np
from contracts.models.geometry import Vector

from sim_worker.judge.rules import Rules
from sim_worker.units import Floats, millimetres


def said(place: Vector) -> str:
    """Return a place in words."""
    x, y, z = place
    return f"({x:.0f}, {y:.0f}, {z:.0f}) mm"


def touched_forbid(culprit: str, zone: str, depth_m: float, place: Vector) -> str:
    """Name who touched what."""
    return f"{culprit} touched the forbid zone {zone}, {millimetres(depth_m):.2f} mm deep, when it was at {said(place)}"


def left_bounds(position_m: Floats, rules: Rules) -> str:
    """Name the side through which the payload's centre went."""
    over_m = np.concatenate([rules.low_m - position_m, position_m - rules.high_m])
    side = int(np.argmax(over_m))
    axis, bound_m = "xyz"[side % 3], np.concatenate([rules.low_m, rules.high_m])[side]
    at_mm, bound_mm = millimetres(position_m[side % 3]), millimetres(bound_m)
    return f"the payload's centre came to {axis} = {at_mm:.1f} mm; the bounds end at {bound_mm:.1f} mm"


def missed(place: Vector, speed_m_s: float, closest_mm: float, hold_s: float, is_settled: bool) -> str:
    """Tell how near it came and how it ended."""
    if closest_mm <= 0.0:
        near = f"it touched the goal zone, but not for {hold_s:g} s without a break"
    else:
        near = f"it came no nearer than {closest_mm:.1f} mm to the goal zone"
    end = "everything came to rest with it" if is_settled else f"time was up with it moving at {speed_m_s:.2f} m/s"
    return f"{near}; {end} at {said(place)}"


def gained_energy(speed_m_s: float) -> str:
    """Blame the simulator."""
    return (
        f"there was more energy than height and motors can give, the payload at {speed_m_s:.2f} m/s: "
        "a fault of the simulator, not of the design"
    )


def not_finite() -> str:
    """Tell that there is no state to go on from."""
    return "the state of the world stopped being finite: forces grew without bound"


def exhausted(names: tuple[str, ...]) -> str:
    """Tell what the simulator itself complained of."""
    return f"the simulator gave up: {', '.join(names)}"
