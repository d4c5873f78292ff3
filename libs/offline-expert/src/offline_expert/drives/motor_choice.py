"""Which of the motors that the catalog's search found drives a carriage on a rack."""

from collections.abc import Sequence
from typing import TypedDict

from offline_expert.drives.machine import PINION_MM, MotorSheet, Proportions

LEAST_N_M = 0.3
"""For long: with the pinion's radius 30 N, over three times what the heaviest carriage of the suite asks for."""
_SPARE_SPEED = 2.0
"""Without load it turns so much faster than it must: half of its stall torque is left then."""
_THICKEST_MM, _ROUND_WITHIN_MM = 26.0, 0.5

WORDS = f"a 12 V gear motor with at least {LEAST_N_M:g} N m for long at 10 rad/s, with a position sensor, cheap"


class SoldMotor(TypedDict):
    """What the search's cell prints of each motor that it found; sizes of its housing, its shaft along z."""

    id: str
    size_mm: Sequence[float]
    control: str
    continuous_torque_n_m: float | None
    no_load_speed_rad_s: float | None
    mass_g: float
    unit_price_usd: float


def motor_among(found: Sequence[SoldMotor], like: Proportions) -> MotorSheet | None:
    """Return the cheapest that turns without end, knows where it is, and is round, strong and fast enough."""
    fit = [motor for motor in found if _fits(motor, like.speed_mm_s / PINION_MM)]
    if not fit:
        return None
    best = min(fit, key=lambda motor: (motor["unit_price_usd"], motor["id"]))
    x, y, z = best["size_mm"]
    torque = best["continuous_torque_n_m"] or 0.0
    return MotorSheet(best["id"], max(x, y) / 2, z, best["mass_g"] / 1000, torque)


def _fits(motor: SoldMotor, speed_rad_s: float) -> bool:
    x, y, _ = motor["size_mm"]
    return (
        motor["control"] == "position_or_velocity"
        and (motor["continuous_torque_n_m"] or 0.0) >= LEAST_N_M
        and (motor["no_load_speed_rad_s"] or 0.0) >= _SPARE_SPEED * speed_rad_s
        and abs(x - y) <= _ROUND_WITHIN_MM
        and max(x, y) <= _THICKEST_MM
    )
