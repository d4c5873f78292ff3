"""What is bought and not made, by its catalog id. What the rules of joining and driving need of it.

Every row says where its figures come from and how far they can be trusted. The words of `confidence`: "sourced" is the
maker's document, "standard" follows from a standard, "typical" is what makers agree on, "computed" is measured on
geometry, "conflicting" means that sellers disagree, "estimate" is ours.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from contracts.models.mechanism import Constant, Control, Steps

from parts_catalog.aliases import canonical
from parts_catalog.hardware.joining import ADHESIVE, BEARINGS, FASTENERS
from parts_catalog.hardware.motors import MOTORS
from parts_catalog.hardware.sheets import Adhesive, Bearing, Fastener, Housing, JointKind, Mode, MotorSheet
from parts_catalog.seed import seed_rows

__all__ = [
    "ADHESIVE",
    "BEARINGS",
    "FASTENERS",
    "HARDWARE",
    "MOTORS",
    "Adhesive",
    "Bearing",
    "Fastener",
    "Housing",
    "JointKind",
    "Mode",
    "MotorSheet",
    "UnknownHardwareError",
    "bearing",
    "bearing_of",
    "fastener",
    "mode_of",
    "motor",
]


def _motor_line(row: MotorSheet) -> str:
    size = " x ".join(f"{edge:g}" for edge in row.housing.size_mm)
    return (
        f"{row.id}: {row.what}; stall {row.stall_torque_n_m:.3g} N m, for long {row.continuous_torque_n_m:.3g} N m, "
        f"{row.no_load_speed_rad_s:.3g} rad/s, takes {' and '.join(row.modes)}, {row.mass_kg * 1000:.3g} g, "
        f"{row.price_usd:.2f} USD, housing {size} mm"
    )


HARDWARE = "\n".join(
    [
        *(_motor_line(row) for row in MOTORS.values()),
        *(f"{row.id}: {row.what}; {row.tensile_n:.0f} N, {row.price_usd:.2f} USD" for row in FASTENERS.values()),
        *(f"{row.id}: {row.what}; {row.max_force_n:.0f} N, {row.price_usd:.2f} USD" for row in BEARINGS.values()),
    ]
)
"""Everything that is sold, one line each, for agents to read."""

_TOLD = 8
"""Ids in an error."""
_Row = TypeVar("_Row", MotorSheet, Fastener, Bearing)


class UnknownHardwareError(ValueError):
    """Nothing is sold under this id; the message names what comes near."""


def motor(motor_id: str) -> MotorSheet:
    """Return a motor's data sheet by its id or an alias, in any case; raise `UnknownHardwareError`."""
    return _found("motor", motor_id, MOTORS)


def fastener(fastener_id: str) -> Fastener:
    """Return a fastener's row by its id or an alias, in any case; raise `UnknownHardwareError`."""
    return _found("fastener", fastener_id, FASTENERS)


def bearing(bearing_id: str) -> Bearing:
    """Return a bearing's row by its id or an alias, in any case; raise `UnknownHardwareError`."""
    return _found("bearing", bearing_id, BEARINGS)


def bearing_of(kind: JointKind, bearing_id: str | None) -> Bearing:
    """Return what carries a joint: the bearing it names, or the plain one of its kind; raise `UnknownHardwareError`."""
    return bearing(f"plain-{kind}" if bearing_id is None else bearing_id)


def mode_of(control: Control) -> Mode:
    """Return what a motor must understand to follow a program."""
    return "voltage" if isinstance(control, Constant | Steps) else "position"


def _found(kind: str, wanted: str, rows: Mapping[str, _Row]) -> _Row:
    own = canonical(wanted)
    if own in rows:
        return rows[own]
    near = get_close_matches(own, rows, n=3, cutoff=0.5)
    some = f"there are {', '.join(list(rows)[:_TOLD])}; print(HARDWARE) lists all"
    if own in {row.id for row in seed_rows()}:
        raise UnknownHardwareError(f"{own} is sold, but is no {kind} that does this; {some}")
    advice = f"did you mean {' or '.join(near)}?" if near else some
    raise UnknownHardwareError(f"no {kind} is sold as {wanted[:80]!r}; {advice}")
