"""Wheels: round parts on an axis, which stand for toothed wheels, and their pitch radii.

A made wheel may be a plain disc of the pitch diameter or have teeth; the pitch circle of teeth that interlock lies
halfway between the tips of the two sides. A bought gear has the pitch diameter of its data sheet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import asin, degrees

import numpy as np
from contracts.criteria import LEAST_PITCH_MM
from geometry.arrays import FloatArray
from geometry.formatting import format_mm
from geometry.occt.measures import volume_integrals
from geometry.occt.meshes import closed_mesh
from geometry.spatial import convex_hull
from parts_catalog import parts as catalog

from design_rules.bodies.solid_bodies import SolidBody

MAX_OFFSET_MM = 1.0
MAX_TILT_DEG = 2.0
ROUND_SHARE = 0.9
"""Least radius of a wheel's outline over its largest: seven tips on a circle have 0.90, a square has 0.71."""
LEAST_PITCH_SHARE = 0.75
"""Pitch radius over tip radius of a wheel of six teeth, the fewest: z / (z + 2)."""
CHORD_MM = 0.02
CHORD_RAD = 0.1
LEAST_DIFFERENCE = 0.05
"""Between the moments of inertia along and across an axis, relative, from which on they show a tilt."""


class NotAWheelError(ValueError):
    """A part is not a wheel on an axis; the message continues after the part's name."""


@dataclass(frozen=True, eq=False)
class Wheel:
    """A round part on an axis."""

    body: SolidBody
    center_mm: FloatArray
    """(3,) the middle of its width, on the axis."""
    axis: FloatArray
    """(3,) unit vector."""
    half_width_mm: float
    tip_mm: float
    """Largest radius."""
    listed_pitch_mm: float | None
    """Pitch radius by the data sheet of a bought gear."""


def wheel_on(body: SolidBody, point_mm: FloatArray, axis: FloatArray) -> Wheel:
    """Return a part as a wheel on the axis through a point; raise `NotAWheelError`."""
    integrals = volume_integrals(body.solid)
    middle = np.array(integrals.center_mm)
    off_mm = float(np.linalg.norm(np.cross(middle - point_mm, axis)))
    if off_mm > MAX_OFFSET_MM:
        raise NotAWheelError(
            f"is {format_mm(off_mm)} off its axis, the maximum is {format_mm(MAX_OFFSET_MM)}; move it onto the axis"
        )
    tilt = _tilt_deg(integrals.inertia_mm5, axis)
    if tilt > MAX_TILT_DEG:
        raise NotAWheelError(f"is tilted by {tilt:.1f}° against its axis, the maximum is {MAX_TILT_DEG:g}°; turn it")
    vertices = closed_mesh(body.solid, CHORD_MM, CHORD_RAD).vertices_mm
    along = (vertices - point_mm) @ axis
    outline = (vertices - middle) @ _across(axis)
    tip_mm = float(np.linalg.norm(outline, axis=1).max())
    least_mm = float(convex_hull(outline)[1].min())
    if least_mm < ROUND_SHARE * tip_mm:
        raise NotAWheelError(
            f"is not round: its outline reaches {format_mm(tip_mm)} from its middle at most and {format_mm(least_mm)} "
            f"at least, a wheel's at least {ROUND_SHARE:.0%} of the most; make the wheel a disc and a part of its own"
        )
    low, high = float(along.min()), float(along.max())
    center = point_mm + axis * (low + high) / 2
    return Wheel(body, center, axis, (high - low) / 2, tip_mm, _listed_pitch_mm(body))


def require_pitch(wheel: Wheel, pitch_mm: float) -> float:
    """Return a pitch radius; raise `NotAWheelError` if the wheel is too small, or its teeth could not be so long."""
    if pitch_mm < LEAST_PITCH_MM:
        raise NotAWheelError(
            f"has a pitch radius of {format_mm(pitch_mm)}, the minimum is {format_mm(LEAST_PITCH_MM)}; make it larger"
        )
    if pitch_mm < LEAST_PITCH_SHARE * wheel.tip_mm:
        raise NotAWheelError(
            f"reaches {format_mm(wheel.tip_mm)} from its axis, too far for a pitch radius of {format_mm(pitch_mm)}; "
            "let the wheels touch at their rims, without a flange"
        )
    return pitch_mm


def wheels_on(bodies: Mapping[str, SolidBody], point_mm: FloatArray, axis: FloatArray) -> tuple[list[Wheel], list[str]]:
    """Return the wheels among some parts, on the axis through a point, and why the others are not."""
    found: list[Wheel] = []
    problems: list[str] = []
    for label in sorted(bodies):
        try:
            found.append(wheel_on(bodies[label], point_mm, axis))
        except NotAWheelError as error:
            problems.append(f"{label} {error}")
    return found, problems


def _listed_pitch_mm(body: SolidBody) -> float | None:
    row = catalog.parts().get(body.catalog_id or "")
    return row.gear.pitch_d_mm / 2 if row is not None and row.gear is not None else None


def _tilt_deg(inertia_mm5: tuple[float, float, float, float, float, float], axis: FloatArray) -> float:
    """Return the angle between an axis and a wheel's own, by its deviation moments; 0 if it is as wide as it is long.

    About an axis that is off by t, the deviation moment of a wheel is (axial - transverse) sin t cos t.
    """
    xx, yy, zz, xy, xz, yz = inertia_mm5
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    axial = float(axis @ tensor @ axis)
    difference = abs(axial - (xx + yy + zz - axial) / 2)
    if difference < LEAST_DIFFERENCE * axial:
        return 0.0
    deviation = float(np.linalg.norm(tensor @ axis - axial * axis))
    return degrees(asin(min(1.0, 2 * deviation / difference))) / 2


def _across(axis: FloatArray) -> FloatArray:
    """Return (3, 2): two unit vectors at right angles to an axis."""
    lines: FloatArray = np.linalg.svd(axis[None, :])[2]
    return lines[1:].T
