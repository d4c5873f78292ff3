"""Typed figures and interfaces of a catalog part, from its CSV row or data sheet."""

import re
from collections.abc import Iterator

from contracts.models.catalog import (
    BearingFigures,
    FastenerFigures,
    GearFigures,
    Interface,
    MotorFigures,
    SprocketFigures,
)

from parts_catalog.datasheets import Bearing, Fastener, MotorSheet
from parts_catalog.fasteners import COARSE_PITCH_MM, PROOF_MPA
from parts_catalog.mounts.hole_places import hole_places, seat_mm
from parts_catalog.mounts.inserts import INSERT
from parts_catalog.rows import CatalogRow

STEPPER_SHARE = 0.5
"""Continuous torque of a slowly turning stepper over its holding torque, approximately."""
_UP = (0.0, 0.0, 1.0)
_ORIGIN = (0.0, 0.0, 0.0)
_STANDARD = re.compile(r"ISO \d+(?:-\d+)?")
_GRADES = {"steel-8.8": "8.8", "steel-10.9": "10.9", "steel-45H": "45H", "steel-8": "8", "steel-200HV": "200HV"}


def row_motor(row: CatalogRow, sheet: MotorSheet | None) -> MotorFigures:
    """Return the figures of a motor with a row; those of its sheet, which physics uses, take precedence."""
    usable_n_m = STEPPER_SHARE * float(row.spec["stall_torque_nm"])
    fields = {
        **row.spec,
        "kind": row.subcategory,
        "stall_torque_n_m": usable_n_m if sheet is None else sheet.stall_torque_n_m,
        "continuous_torque_n_m": usable_n_m if sheet is None else sheet.continuous_torque_n_m,
        "stall_current_a": row.number("stall_current_a") or row.number("rated_current_a"),
        "rotor_inertia_kg_m2": None if sheet is None else sheet.armature_kg_m2,
    }
    return MotorFigures.model_validate(fields)


def sheet_motor(sheet: MotorSheet, kind: str) -> MotorFigures:
    """Return the figures of a motor by its data sheet."""
    has_voltage, has_position = "voltage" in sheet.modes, "position" in sheet.modes
    has_both = has_voltage and has_position
    return MotorFigures.model_validate(
        {
            "kind": kind,
            "control": "position_or_velocity" if has_both else "velocity" if has_voltage else "position",
            "voltage_v": sheet.nominal_voltage_v,
            "stall_torque_n_m": sheet.stall_torque_n_m,
            "continuous_torque_n_m": sheet.continuous_torque_n_m,
            "no_load_speed_rad_s": sheet.no_load_speed_rad_s,
            "stall_current_a": sheet.stall_current_a,
            "range_deg": sheet.range_deg,
            "rotor_inertia_kg_m2": sheet.armature_kg_m2,
        }
    )


def row_fastener(row: CatalogRow) -> FastenerFigures | None:
    """Return the dimensions of a screw, nut or washer; None for other parts."""
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


def sheet_fastener(sheet: Fastener) -> FastenerFigures:
    """Return the dimensions of a socket head screw by its data sheet."""
    return FastenerFigures(
        standard="ISO 4762",
        d_mm=sheet.diameter_mm,
        pitch_mm=COARSE_PITCH_MM[sheet.diameter_mm],
        length_mm=sheet.length_mm,
        head="socket_head_cap_screw",
        grade="8.8",
        proof_stress_mpa=PROOF_MPA["8.8"],
    )


def row_bearing(row: CatalogRow, sheet: Bearing) -> BearingFigures:
    """Return the dimensions of a bearing and its admissible force."""
    return BearingFigures.model_validate({**row.spec, "max_force_n": sheet.max_force_n})


def row_gear(row: CatalogRow) -> GearFigures | None:
    """Return the dimensions of a spur gear; None for other parts."""
    return GearFigures.model_validate(row.spec) if row.subcategory == "spur" else None


def row_sprocket(row: CatalogRow) -> SprocketFigures | None:
    """Return the dimensions of a chain wheel; None for other parts."""
    return SprocketFigures.model_validate(row.spec) if row.subcategory == "sprocket" else None


def row_interfaces(row: CatalogRow) -> tuple[Interface, ...]:
    """Return the shaft, bores or mounting holes of a part, as far as its row gives them."""
    if row.category == "motor":
        return (shaft_interface(row.number("shaft_d_mm")),)
    if row.recipe.class_name in ("Rail", "Carriage", "HousedBearing"):
        return tuple(_hole_interfaces(row))
    if row.subcategory == INSERT:
        top = (0.0, 0.0, float(row.spec["length_mm"]) / 2)
        return (Interface(name="bore", kind="bore", at_mm=top, axis=_UP, size_mm=row.number("d_mm")),)
    if row.category == "bearing" or (row.subcategory in ("spur", "sprocket") and "bore_mm" in row.spec):
        # these parts are centred on the origin
        return (_bore_interface("bore", row.number("bore_mm")),)
    if row.category == "coupling":
        names = [name for name in ("bore_mm", "bore_a_mm", "bore_b_mm") if name in row.spec]
        return tuple(_bore_interface(name.removesuffix("_mm"), row.number(name)) for name in names)
    return ()


def shaft_interface(diameter_mm: float | None) -> Interface:
    """Return the point and axis at which a motor's shaft leaves its housing."""
    return Interface(name="shaft", kind="shaft", at_mm=_ORIGIN, axis=_UP, size_mm=diameter_mm)


def _hole_interfaces(row: CatalogRow) -> Iterator[Interface]:
    """Yield the mounting holes of a slide, each where a head, or what is screwed on, rests."""
    sizes = {name: float(value) for name, value in row.recipe.args.items()}
    diameter_mm = row.number("thread_mm") or sizes["hole"]
    for number, (x, y) in enumerate(hole_places(sizes), start=1):
        place = (x, y, seat_mm(sizes))
        yield Interface(name=f"hole-{number}", kind="bolt_pattern", at_mm=place, axis=_UP, size_mm=diameter_mm)


def _bore_interface(name: str, diameter_mm: float | None) -> Interface:
    return Interface(name=name, kind="bore", at_mm=_ORIGIN, axis=_UP, size_mm=diameter_mm)
