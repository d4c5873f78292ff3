"""Motors: gear motors and servos of a table, and those of the CSV rows, whose missing figures are estimated.

Torques and speeds are the makers'; see each sheet's source and confidence.
"""

from dataclasses import dataclass
from math import cos, radians, sin

from parts_catalog.aliases import rows_without_datasheet
from parts_catalog.datasheets import Front, Housing, Lugs, Mode, MotorSheet
from parts_catalog.materials import MATERIALS
from parts_catalog.rows import CatalogRow
from parts_catalog.strength import max_stress_mpa

_CONTINUOUS_SHARE = 0.25
"""Continuous over stall torque. Pololu advises a quarter of the stall current; for servos an estimate."""
THERMAL_LIMIT_S = 5.0
"""An estimate: makers only state that a stall can damage a motor within seconds."""
_SHAFT_FROM_END_MM = 10.0
"""Distance of a standard servo's shaft from the end of its long side. An estimate."""
_NO_LOAD_SHARE = {"dc_gearmotor": 0.05, "rc_servo": 0.1}
"""No-load over stall current."""
_STEEL_MPA = max_stress_mpa(MATERIALS["steel-1018"], "cnc")
_NYLON_MPA = 30.0
"""Of the plastic output gear of the smallest servos: half of nylon's yield strength. An estimate."""
_STANDARD_SPLINE_MM, _MICRO_SPLINE_MM = 5.9, 4.8
"""Outer diameter of the output splines of servos: 25 teeth in standard size, 21 in micro size."""
_STANDARD_SERVO_MM = 30.0
"""Servos of standard size are longer."""
_ROTOR_MASS_SHARE = 0.2
"""Rotor's mass over the motor's."""
_ROTOR_RADIUS_SHARE = 0.25
"""Rotor's radius over the motor's width."""
_SERVO_ARMATURE_S2 = 2e-3
"""Armature inertia over stall torque of a servo: a rotor of about 4e-8 kg m² behind gears of 1:230, for an MG996R."""
_SERVO_RANGE_DEG = 180.0
"""Of MG996R, MG90S and SG90, as in their CSV rows."""
_ROW_MODES: dict[str, tuple[Mode, ...]] = {
    "dc_gearmotor": ("voltage",),  # none of them has an encoder
    "rc_servo": ("position",),
}
"""Steppers have no sheet: their torque does not fall in a straight line with speed, as the physics model assumes."""
_ENCODER: tuple[Mode, ...] = ("voltage", "position")


_ESTIMATED = "boss and holes are estimates: check them against the maker's drawing before you drill"
_37D_BESIDE_MM = 7.0
"""From the middle of a 37D's housing to its shaft."""
_37D_HOLE_CIRCLE_MM = 31.0
"""About the middle of the housing: its six holes are a regular hexagon."""
_FRONTS = {
    "37d": Front(
        shaft_length_mm=21.5,
        boss_mm=(12.0, 6.0),
        holes_mm=tuple(
            (
                round(_37D_HOLE_CIRCLE_MM / 2 * cos(radians(30 + 60 * number)) - _37D_BESIDE_MM, 2),
                round(_37D_HOLE_CIRCLE_MM / 2 * sin(radians(30 + 60 * number)), 2),
            )
            for number in range(6)
        ),
        note=f"x points from the middle of the housing to the shaft, {_37D_BESIDE_MM:g} mm beside it; offset, boss and "
        "holes are those of a motor of its form, FIT0492-A: check them against the maker's drawing before you drill",
    ),
    "25d": Front(shaft_length_mm=12.5, boss_mm=(7.0, 2.5), holes_mm=((8.5, 0.0), (-8.5, 0.0)), note=_ESTIMATED),
    "n20": Front(
        shaft_length_mm=10.0,
        boss_mm=(4.0, 0.8),
        thread_mm=1.6,
        hole_depth_mm=1.5,
        holes_mm=((4.5, 0.0), (-4.5, 0.0)),
        note=_ESTIMATED,
    ),
}
"""Fronts of Pololu's frames. Offset, boss and holes of the 37D: NopSCADlib's table of gear motors (FIT0492-A, of the
same form), and Pololu's page 4743, by which neighbouring holes are 15.5 mm apart and screws go in by 3 mm at most (as
recalled). Of the others estimates, but for the length of the 25D's shaft (its product page 4828)."""
_LUG_HOLES_MM = ((-24.4, -4.5), (-24.4, 4.5), (24.4, -4.5), (24.4, 4.5))
_STANDARD_LUGS = Lugs(length_mm=54.2, thickness_mm=2.5, foot_mm=26.8, hole_mm=4.4, holes_mm=_LUG_HOLES_MM)
_MICRO_LUGS = Lugs(length_mm=32.4, thickness_mm=2.5, foot_mm=15.6, hole_mm=2.6, holes_mm=((-14.0, 0.0), (14.0, 0.0)))
_METAL_MICRO_LUGS = _MICRO_LUGS.model_copy(update={"foot_mm": 18.3, "hole_mm": 2.2})
"""Of servos, as openscad-servo-library measured them on one S3003, SG90 and MG90S each; the first one's thickness is an
estimate, since its 4 mm were measured over ribs."""
_CLONES = "lugs are those of one copy that others measured: check them against the one you buy before you drill"


@dataclass(frozen=True)
class _Frame:
    """Figures shared by all ratios of one frame size. Masses, prices and rotor inertias are estimates."""

    housing: Housing
    modes: tuple[Mode, ...]
    mass_kg: float
    price_usd: float
    rotor_kg_m2: float
    """Half the rotor's mass times its radius squared; the gearbox adds little."""
    shaft_mm: float
    encoder_counts: float | None
    """Of the motor's own shaft, over one turn."""
    gearbox_limit_n_m: float
    """Continuous torque that the gears withstand."""
    source: str
    front: Front


def _along_shaft(diameter_mm: float, length_mm: float, beside_mm: float = 0.0) -> Housing:
    """Return a round housing, whose middle is beside the shaft."""
    size = (diameter_mm, diameter_mm, length_mm)
    return Housing(shape="cylinder", size_mm=size, center_mm=(-beside_mm, 0.0, -length_mm / 2))


def _block(size_mm: tuple[float, float, float], shaft_from_end_mm: float) -> Housing:
    """Return the housing of a servo, whose shaft is near one end of the long side."""
    center = (size_mm[0] / 2 - shaft_from_end_mm, 0.0, -size_mm[2] / 2)
    return Housing(shape="box", size_mm=size_mm, center_mm=center)


_37D = _Frame(
    _along_shaft(37, 70, _37D_BESIDE_MM),
    _ENCODER,
    0.205,
    51.95,
    1.2e-6,
    6.0,
    64,
    0.98,
    "Pololu 37D datasheet rev. 1.2, 12 V table",
    _FRONTS["37d"],
)
_25D = _Frame(
    _along_shaft(25, 68), _ENCODER, 0.104, 45.95, 6e-7, 4.0, 48, 1.47, "pololu.com product page", _FRONTS["25d"]
)
_N20 = _Frame(
    Housing(shape="box", size_mm=(12.0, 10.0, 26.0), center_mm=(0.0, 0.0, -13.0)),
    ("voltage",),
    0.010,
    24.95,
    1.2e-8,
    3.0,
    None,
    0.22,
    "pololu.com product page 5215",
    _FRONTS["n20"],
)


def _spline_mm(housing: Housing) -> float:
    return _STANDARD_SPLINE_MM if _is_standard(housing) else _MICRO_SPLINE_MM


def _is_standard(housing: Housing) -> bool:
    return max(housing.size_mm[:2]) > _STANDARD_SERVO_MM


def _servo_front(motor_id: str, housing: Housing) -> Front:
    """Return spline, whose length is an estimate, and lugs."""
    if _is_standard(housing):
        return Front(shaft_length_mm=4.0, lugs=_STANDARD_LUGS, note=_CLONES)
    lugs = _METAL_MICRO_LUGS if motor_id == "mg90s" else _MICRO_LUGS
    return Front(shaft_length_mm=3.0, lugs=lugs, note=_CLONES)


def _gearmotor(
    motor_id: str, frame: _Frame, ratio: float, currents_a: tuple[float, float], outputs: tuple[float, float]
) -> MotorSheet:
    """Return a 12 V gear motor; currents: stall, no load; outputs: stall torque in N m, no-load speed in rad/s."""
    stall_n_m, no_load_rad_s = outputs
    with_encoder = " with encoder" if "position" in frame.modes else ""
    return MotorSheet(
        id=motor_id,
        name=f"Pololu gear motor {motor_id.removeprefix('pololu-').replace('-', ' ')}:1, 12 V{with_encoder}",
        modes=frame.modes,
        nominal_voltage_v=12.0,
        stall_torque_n_m=stall_n_m,
        no_load_speed_rad_s=no_load_rad_s,
        stall_current_a=currents_a[0],
        no_load_current_a=currents_a[1],
        continuous_torque_n_m=min(_CONTINUOUS_SHARE * stall_n_m, frame.gearbox_limit_n_m),
        thermal_limit_s=THERMAL_LIMIT_S,
        armature_kg_m2=frame.rotor_kg_m2 * ratio**2,
        housing=frame.housing,
        shaft_mm=frame.shaft_mm,
        front=frame.front,
        shaft_mpa=_STEEL_MPA,
        encoder_counts_per_turn=None if frame.encoder_counts is None else frame.encoder_counts * ratio,
        mass_kg=frame.mass_kg,
        price_usd=frame.price_usd,
        source=frame.source,
        confidence="torque, speed, stall current: sourced; others: estimate",
    )


def _servo(
    motor_id: str, voltage_v: float, outputs: tuple[float, float], current_a: float, body: tuple[Housing, float, float]
) -> MotorSheet:
    """Return a hobby servo; outputs: stall torque in N m, no-load speed in rad/s; body: housing, kg, USD."""
    housing, mass_kg, price_usd = body
    stall_n_m, no_load_rad_s = outputs
    is_sourced = motor_id == "mg90s"
    return MotorSheet(
        id=motor_id,
        name=f"servo {motor_id.upper()}, {voltage_v:g} V",
        modes=("position",),
        nominal_voltage_v=voltage_v,
        stall_torque_n_m=stall_n_m,
        no_load_speed_rad_s=no_load_rad_s,
        stall_current_a=current_a,
        no_load_current_a=0.1 * current_a,
        continuous_torque_n_m=_CONTINUOUS_SHARE * stall_n_m,
        thermal_limit_s=THERMAL_LIMIT_S,
        armature_kg_m2=_SERVO_ARMATURE_S2 * stall_n_m,
        housing=housing,
        shaft_mm=_spline_mm(housing),
        front=_servo_front(motor_id, housing),
        shaft_mpa=_NYLON_MPA if motor_id == "sg90" else _STEEL_MPA,
        range_deg=_SERVO_RANGE_DEG,
        mass_kg=mass_kg,
        price_usd=price_usd,
        source="MG90S datasheet" if is_sourced else "sellers' pages; they differ by a third, a low value taken",
        confidence=f"torque, speed, stall current: {'sourced' if is_sourced else 'conflicting'}; others: estimate",
    )


def row_housing(row: CatalogRow) -> Housing:
    """Return the housing of a motor that has a CSV row only."""
    if row.subcategory == "rc_servo":
        return _block(row.size_mm, _SHAFT_FROM_END_MM)
    x, y, z = row.size_mm
    if x == y and row.recipe.proxy == "motor_box_cyl":
        return _along_shaft(x, z, _37D_BESIDE_MM if _frame(row) == "37d" else 0.0)
    return Housing(shape="box", size_mm=(x, y, z), center_mm=(0.0, 0.0, -z / 2))


def _row_sheet(row: CatalogRow) -> MotorSheet:
    stall_n_m, stall_current_a = float(row.spec["stall_torque_nm"]), float(row.spec["stall_current_a"])
    continuous_n_m = _CONTINUOUS_SHARE * stall_n_m
    return MotorSheet(
        id=row.id,
        name=row.name,
        modes=_ROW_MODES[row.subcategory],
        nominal_voltage_v=float(row.spec["voltage_v"]),
        stall_torque_n_m=stall_n_m,
        no_load_speed_rad_s=float(row.spec["no_load_speed_rad_s"]),
        stall_current_a=stall_current_a,
        no_load_current_a=_NO_LOAD_SHARE[row.subcategory] * stall_current_a,
        continuous_torque_n_m=min(continuous_n_m, row.number("max_cont_torque_nm") or continuous_n_m),
        thermal_limit_s=THERMAL_LIMIT_S,
        armature_kg_m2=_armature_kg_m2(row, stall_n_m),
        housing=row_housing(row),
        shaft_mm=row.number("shaft_d_mm") or _spline_mm(row_housing(row)),
        front=_row_front(row),
        shaft_mpa=_STEEL_MPA,
        range_deg=row.number("range_deg"),
        mass_kg=row.mass_g / 1000,
        price_usd=row.price_usd,
        source=row.source,
        confidence=f"{row.confidence} others:estimate",
    )


def _row_front(row: CatalogRow) -> Front | None:
    if row.subcategory == "rc_servo":
        return _servo_front(row.id, row_housing(row))
    return _FRONTS.get(_frame(row))


def _frame(row: CatalogRow) -> str:
    """Return the key of a gear motor's front; empty for another make."""
    return next((frame for frame in _FRONTS if row.id.removeprefix("gm").startswith(frame)), "")


def _armature_kg_m2(row: CatalogRow, stall_n_m: float) -> float:
    """Return the estimated inertia of rotor and gears: of a servo by its torque, of a gear motor by its rotor."""
    if row.subcategory == "rc_servo":
        return _SERVO_ARMATURE_S2 * stall_n_m
    radius_m = _ROTOR_RADIUS_SHARE * min(row.size_mm) / 1000
    rotor_kg = _ROTOR_MASS_SHARE * row.mass_g / 1000
    return 0.5 * rotor_kg * radius_m**2 * (row.number("gear_ratio") or 1.0) ** 2


MOTORS: dict[str, MotorSheet] = {
    motor.id: motor
    for motor in (
        _gearmotor("pololu-37d-10", _37D, 10, (5.5, 0.2), (0.4805, 104.72)),
        _gearmotor("pololu-37d-30", _37D, 30, (5.5, 0.2), (1.3729, 34.558)),
        _gearmotor("pololu-37d-50", _37D, 50, (5.5, 0.2), (2.0594, 20.944)),
        _gearmotor("pololu-37d-100", _37D, 100, (5.5, 0.2), (3.3343, 10.472)),
        _gearmotor("pololu-37d-150", _37D, 150, (5.5, 0.2), (4.8053, 7.016)),
        _gearmotor("pololu-25d-hp-47", _25D, 46.85, (5.0, 0.3), (1.471, 23.038)),
        _gearmotor("pololu-25d-lp-75", _25D, 74.83, (0.9, 0.1), (0.6963, 7.854)),
        _gearmotor("pololu-n20-hpcb-75", _N20, 75.81, (0.75, 0.06), (0.0981, 47.124)),
        _servo("mg996r", 6.0, (1.0787, 6.16), 2.5, (_block((40.7, 19.7, 42.9), 10.0), 0.055, 12.0)),
        _servo("mg90s", 4.8, (0.1765, 10.472), 0.7, (_block((22.5, 12.0, 35.5), 6.0), 0.0134, 4.0)),
        _servo("sg90", 4.8, (0.1765, 10.472), 0.65, (_block((22.2, 11.8, 31.0), 6.0), 0.009, 2.5)),
        *(_row_sheet(row) for row in rows_without_datasheet() if row.subcategory in _ROW_MODES),
    )
}
"""Every motor by its id."""
