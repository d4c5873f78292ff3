"""Motors and bearings of the catalog's seed as the rules need them: what the seed does not say is estimated."""

from parts_catalog.hardware.sheets import Bearing, Mode, MotorSheet
from parts_catalog.recipes import seed_housing
from parts_catalog.seed import SAME_AS_SEED, SeedRow, seed_rows

_MODES: dict[str, tuple[Mode, ...]] = {
    "dc_gearmotor": ("voltage",),  # none of them has an encoder
    "rc_servo": ("position",),
}
"""Steppers have no sheet: their torque does not fall in a straight line with speed, as physics here has it."""
_NO_LOAD_SHARE = {"dc_gearmotor": 0.05, "rc_servo": 0.1}
"""Of the stall current."""
_ROTOR_SHARE = 0.2
"""Of the motor's mass."""
_ROTOR_RADIUS_SHARE = 0.25
"""Of the motor's width."""
_CONTINUOUS_SHARE = 0.25
_THERMAL_LIMIT_S = 5.0
_STATIC_SHARE = 0.4
"""Of a ball bearing's dynamic load rating, where its static one is not told: 1370 N of 3450 N for a 608."""
_MOMENT_SHARE_M = 0.0015
"""N m for each newton that a ball bearing bears: one row of balls resists tilting little."""


def seed_motors() -> tuple[MotorSheet, ...]:
    """Return a sheet for every gear motor and servo of the seed that has none of its own."""
    return tuple(_sheet(row) for row in _rows("motor") if row.subcategory in _MODES)


def seed_bearings() -> tuple[Bearing, ...]:
    """Return a row for every ball bearing of the seed that has none of its own."""
    return tuple(_bearing(row) for row in _rows("bearing"))


def _rows(category: str) -> list[SeedRow]:
    same = set(SAME_AS_SEED.values())
    return [row for row in seed_rows() if row.category == category and row.id not in same]


def _sheet(row: SeedRow) -> MotorSheet:
    stall_n_m, stall_current_a = float(row.spec["stall_torque_nm"]), float(row.spec["stall_current_a"])
    for_long_n_m = _CONTINUOUS_SHARE * stall_n_m
    return MotorSheet(
        id=row.id,
        what=row.name,
        modes=_MODES[row.subcategory],
        nominal_voltage_v=float(row.spec["voltage_v"]),
        stall_torque_n_m=stall_n_m,
        no_load_speed_rad_s=float(row.spec["no_load_speed_rad_s"]),
        stall_current_a=stall_current_a,
        no_load_current_a=_NO_LOAD_SHARE[row.subcategory] * stall_current_a,
        continuous_torque_n_m=min(for_long_n_m, row.number("max_cont_torque_nm") or for_long_n_m),
        thermal_limit_s=_THERMAL_LIMIT_S,
        armature_kg_m2=_armature_kg_m2(row, stall_n_m),
        housing=seed_housing(row),
        mass_kg=row.mass_g / 1000,
        price_usd=row.price_usd,
        source=row.source,
        confidence=f"{row.confidence} others:estimate",
    )


def _armature_kg_m2(row: SeedRow, stall_n_m: float) -> float:
    """Return half the rotor's mass times its radius squared, behind the gears; of a servo as of the others."""
    if row.subcategory == "rc_servo":
        return 2e-3 * stall_n_m
    radius_m = _ROTOR_RADIUS_SHARE * min(row.size_mm) / 1000
    rotor_kg = _ROTOR_SHARE * row.mass_g / 1000
    return 0.5 * rotor_kg * radius_m**2 * (row.number("gear_ratio") or 1.0) ** 2


def _bearing(row: SeedRow) -> Bearing:
    max_force_n = row.number("static_load_n") or _STATIC_SHARE * float(row.spec["dyn_load_n"])
    return Bearing(
        id=row.id,
        what=row.name,
        kinds=("revolute",),
        max_force_n=max_force_n,
        max_moment_n_m=_MOMENT_SHARE_M * max_force_n,
        friction_torque_n_m=0.0005,
        friction_force_n=0.0,
        mass_kg=row.mass_g / 1000,
        price_usd=row.price_usd,
        source=row.source,
        confidence=f"{row.confidence} force,moment,friction:estimate",
    )
