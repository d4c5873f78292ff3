"""Lookup of bought hardware by catalog id, and its list for agents: motors, fasteners and bearings."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from contracts.models.mechanism import Constant, Control, Steps

from parts_catalog.aliases import canonical
from parts_catalog.bearings import BEARINGS
from parts_catalog.datasheets import Bearing, Fastener, JointKind, Mode, MotorSheet
from parts_catalog.fasteners import FASTENERS
from parts_catalog.motors import MOTORS
from parts_catalog.rows import catalog_rows


def _motor_line(motor: MotorSheet) -> str:
    size, beside_mm = " x ".join(f"{edge:g}" for edge in motor.housing.size_mm), motor.housing.center_mm[0]
    beside = f", its middle at x = {beside_mm:g} of the shaft" if beside_mm else ""
    return (
        f"{motor.id}: {motor.name}; stall {motor.stall_torque_n_m:.3g} N m, "
        f"continuous {motor.continuous_torque_n_m:.3g} N m, {motor.no_load_speed_rad_s:.3g} rad/s, "
        f"control by {' or '.join(motor.modes)}, {_turns(motor)}, {motor.mass_kg * 1000:.3g} g, "
        f"{motor.price_usd:.2f} USD, housing {size} mm{beside}"
    )


def _turns(motor: MotorSheet) -> str:
    if not motor.turns_in_range:
        return "turns without end"
    return f"turns {motor.range_deg:g}°" if motor.range_deg else "turning range unknown"


HARDWARE = "\n".join(
    [
        *(_motor_line(row) for row in MOTORS.values()),
        *(f"{row.id}: {row.name}; {row.tensile_n:.0f} N, {row.price_usd:.2f} USD" for row in FASTENERS.values()),
        *(f"{row.id}: {row.name}; {row.max_force_n:.0f} N, {row.price_usd:.2f} USD" for row in BEARINGS.values()),
    ]
)
"""Every motor, fastener and bearing, one line each, for agents to read."""

_LISTED_IDS = 8
"""Ids in an error message."""
_Sheet = TypeVar("_Sheet", MotorSheet, Fastener, Bearing)


class UnknownHardwareError(ValueError):
    """The catalog has no such hardware; the message suggests similar ids."""


def motor(motor_id: str) -> MotorSheet:
    """Return a motor by its id or an alias, in any case; raise `UnknownHardwareError`."""
    return _find("motor", motor_id, MOTORS)


def fastener(fastener_id: str) -> Fastener:
    """Return a fastener by its id or an alias, in any case; raise `UnknownHardwareError`."""
    return _find("fastener", fastener_id, FASTENERS)


def bearing(bearing_id: str) -> Bearing:
    """Return a bearing by its id or an alias, in any case; raise `UnknownHardwareError`."""
    return _find("bearing", bearing_id, BEARINGS)


def bearing_of(kind: JointKind, bearing_id: str | None) -> Bearing:
    """Return the bearing of a joint: the one given, or the plain one of its kind; raise `UnknownHardwareError`."""
    return bearing(f"plain-{kind}" if bearing_id is None else bearing_id)


def mode_of(control: Control) -> Mode:
    """Return the control mode that a motor must support to follow a control program."""
    return "voltage" if isinstance(control, Constant | Steps) else "position"


def _find(kind: str, name: str, sheets: Mapping[str, _Sheet]) -> _Sheet:
    part_id = canonical(name)
    if part_id in sheets:
        return sheets[part_id]
    similar = get_close_matches(part_id, sheets, n=3, cutoff=0.5)
    listed = f"there are {', '.join(list(sheets)[:_LISTED_IDS])}; print(HARDWARE) lists all"
    if part_id in {row.id for row in catalog_rows()}:
        raise UnknownHardwareError(f"{part_id} cannot be used as a {kind} of a mechanism; {listed}")
    advice = f"did you mean {' or '.join(similar)}?" if similar else listed
    raise UnknownHardwareError(f"the catalog has no {kind} {name[:80]!r}; {advice}")
