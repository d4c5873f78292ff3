"""What a row's specification says of it, typed by its category."""

import re

from contracts.models.catalog import (
    BearingFigures,
    FastenerFigures,
    GearFigures,
    Interface,
    MotorFigures,
    SprocketFigures,
)

from parts_catalog.hardware.sheets import Bearing, MotorSheet
from parts_catalog.recipes import COARSE_PITCH_MM
from parts_catalog.seed import SeedRow

STEPPER_SHARE = 0.5
"""Of its holding torque a stepper gives about this while it turns slowly, for as long as one likes."""
_UP = (0.0, 0.0, 1.0)
_ORIGIN = (0.0, 0.0, 0.0)
_STANDARD = re.compile(r"ISO \d+(?:-\d+)?")
_GRADES = {"steel-8.8": "8.8", "steel-10.9": "10.9", "steel-45H": "45H", "steel-8": "8", "steel-200HV": "200HV"}


def seed_motor(row: SeedRow, sheet: MotorSheet | None) -> MotorFigures:
    """Return what a motor of the seed does: by the sheet that it is simulated by, and a stepper by its row."""
    usable_n_m = STEPPER_SHARE * float(row.spec["stall_torque_nm"])
    told = {
        **row.spec,
        "kind": row.subcategory,
        "stall_torque_n_m": usable_n_m if sheet is None else sheet.stall_torque_n_m,
        "continuous_torque_n_m": usable_n_m if sheet is None else sheet.continuous_torque_n_m,
        "stall_current_a": row.number("stall_current_a") or row.number("rated_current_a"),
        "rotor_inertia_kg_m2": None if sheet is None else sheet.armature_kg_m2,
    }
    return MotorFigures.model_validate(told)


def sheet_motor(sheet: MotorSheet, kind: str) -> MotorFigures:
    """Return what a motor with a data sheet does."""
    has_voltage, has_position = "voltage" in sheet.modes, "position" in sheet.modes
    both = has_voltage and has_position
    return MotorFigures.model_validate(
        {
            "kind": kind,
            "control": "position_or_velocity" if both else "velocity" if has_voltage else "position",
            "voltage_v": sheet.nominal_voltage_v,
            "stall_torque_n_m": sheet.stall_torque_n_m,
            "continuous_torque_n_m": sheet.continuous_torque_n_m,
            "no_load_speed_rad_s": sheet.no_load_speed_rad_s,
            "stall_current_a": sheet.stall_current_a,
            "rotor_inertia_kg_m2": sheet.armature_kg_m2,
        }
    )


def seed_fastener(row: SeedRow) -> FastenerFigures | None:
    """Return the measures of a screw, nut or washer."""
    if row.category != "fastener":
        return None
    standard = _STANDARD.search(row.name)
    d_mm = float(row.spec["d_mm"])
    pitch_mm = None if row.subcategory == "washer" else COARSE_PITCH_MM[d_mm]
    return FastenerFigures(
        standard=standard.group() if standard else None,
        d_mm=d_mm,
        pitch_mm=row.number("pitch_mm") or pitch_mm,
        length_mm=row.number("length_mm"),
        head=row.subcategory,
        grade=_GRADES.get(row.material_id),
        proof_stress_mpa=row.number("proof_stress_mpa"),
    )


def seed_bearing(row: SeedRow, sheet: Bearing) -> BearingFigures:
    """Return the measures of a bearing, and what a joint may load it with."""
    return BearingFigures.model_validate({**row.spec, "max_force_n": sheet.max_force_n})


def seed_gear(row: SeedRow) -> GearFigures | None:
    """Return the measures of a spur gear."""
    return GearFigures.model_validate(row.spec) if row.subcategory == "spur" else None


def seed_sprocket(row: SeedRow) -> SprocketFigures | None:
    """Return the measures of a chain wheel."""
    return SprocketFigures.model_validate(row.spec) if row.subcategory == "sprocket" else None


def seed_interfaces(row: SeedRow) -> tuple[Interface, ...]:
    """Return where a part meets others, as far as its row says so."""
    if row.category == "motor":
        return (shaft_interface(row.number("shaft_d_mm")),)
    if row.category == "bearing" or (row.subcategory in ("spur", "sprocket") and "bore_mm" in row.spec):
        # the middle of each of them is at the origin
        return (bore_interface("bore", row.number("bore_mm")),)
    if row.category == "coupling":
        names = [name for name in ("bore_mm", "bore_a_mm", "bore_b_mm") if name in row.spec]
        return tuple(bore_interface(name.removesuffix("_mm"), row.number(name)) for name in names)
    return ()


def shaft_interface(diameter_mm: float | None) -> Interface:
    """Return where a motor's shaft leaves its housing."""
    return Interface(name="shaft", kind="shaft", at_mm=_ORIGIN, axis=_UP, size_mm=diameter_mm)


def bore_interface(name: str, diameter_mm: float | None) -> Interface:
    """Return the middle of a bore along the part's own z."""
    return Interface(name=name, kind="bore", at_mm=_ORIGIN, axis=_UP, size_mm=diameter_mm)
