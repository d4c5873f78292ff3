"""Racks: parts whose straight side lies along a travel, at the radius of the wheel that climbs it."""

from dataclasses import dataclass
from math import ceil

import numpy as np
from build123d import Plane, Solid
from contracts.criteria import MESHING_MM
from contracts.models.mechanism import Range
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_mm
from geometry.occt.distances import closest_points, lengths_inside

from design_rules.bodies.solid_bodies import SolidBody
from design_rules.transmission.shafts import tilt_deg
from design_rules.transmission.wheels import MAX_TILT_DEG, NotAWheelError, Wheel, require_pitch

BEHIND_MM = 1.0
"""Least depth of material behind the teeth."""
STEP_MM = 5.0
"""Between the places of the travel that are looked at."""
NEEDLE_MM = 0.01
"""Radius of the thin rod that stands for the axis of a wheel."""


class NotARackError(ValueError):
    """A wheel cannot climb a part; the message continues after the part's name."""


@dataclass(frozen=True, eq=False)
class Climb:
    """How a wheel moves against a rack."""

    direction: FloatArray
    """(3,) unit vector: the wheel's motion against the rack where the joint's position grows."""
    range_mm: Range


def rack_pitch_mm(wheel: Wheel, rack: SolidBody, climb: Climb) -> float:
    """Return the pitch radius of a wheel on a rack; raise `NotARackError` if it cannot climb along it all the way."""
    off_square = 90.0 - tilt_deg(wheel.axis, climb.direction)
    if off_square > MAX_TILT_DEG:
        raise NotARackError(
            f"is climbed by {wheel.body.label}, whose axis is {off_square:.1f}° off a right angle to the travel, the "
            f"maximum is {MAX_TILT_DEG:g}°; turn motor and wheel"
        )
    gap = _shaft_distance_mm(wheel, rack) - wheel.tip_mm
    if gap > MESHING_MM:
        raise NotARackError(
            f"is {format_mm(gap)} away from {wheel.body.label}, the maximum is {format_mm(MESHING_MM)}; let the rim of "
            "the wheel touch its side"
        )
    _require_length(wheel, rack, climb)
    if wheel.listed_pitch_mm is not None:
        return wheel.listed_pitch_mm
    try:
        return require_pitch(wheel, (wheel.tip_mm + _shaft_distance_mm(wheel, rack)) / 2)
    except NotAWheelError as error:
        raise NotARackError(f"is climbed by {wheel.body.label}, which {error}") from error


def _require_length(wheel: Wheel, rack: SolidBody, climb: Climb) -> None:
    """Raise `NotARackError` unless there is material behind the rim all along the travel."""
    towards_rack = outwards(wheel, rack, climb.direction)
    low, high = climb.range_mm
    places = np.linspace(low, high, 1 + max(1, ceil((high - low) / STEP_MM)))
    starts = [
        wheel.center_mm + place * climb.direction + (wheel.tip_mm + MESHING_MM) * towards_rack for place in places
    ]
    rays = [(as_vector(start), as_vector(start + BEHIND_MM * towards_rack)) for start in starts]
    lengths = lengths_inside(rack.solid, rays)
    bare = [place for place, length in zip(places, lengths, strict=True) if length < 0.95 * BEHIND_MM]
    if not bare:
        return
    raise NotARackError(
        f"has no straight side beside {wheel.body.label} at {min(bare, key=abs):.1f} mm of the travel, which is from "
        f"{low:g} to {high:g} mm; make it as long as the travel, parallel to it and at least "
        f"{format_mm(MESHING_MM + BEHIND_MM)} thick, opposite the middle of the wheel"
    )


def outwards(wheel: Wheel, rack: SolidBody, direction: FloatArray) -> FloatArray:
    """Return the unit vector from the wheel's axis to the side of the rack."""
    across = np.cross(wheel.axis, direction)
    across /= np.linalg.norm(across)
    nearest = np.array(closest_points(_needle(wheel), rack.solid).second_mm)
    return across if (nearest - wheel.center_mm) @ across >= 0 else -across


def _shaft_distance_mm(wheel: Wheel, rack: SolidBody) -> float:
    return closest_points(_needle(wheel), rack.solid).gap_mm + NEEDLE_MM


def _needle(wheel: Wheel) -> Solid:
    foot = wheel.center_mm - wheel.half_width_mm * wheel.axis
    return Solid.make_cylinder(NEEDLE_MM, 2 * wheel.half_width_mm, Plane(as_vector(foot), z_dir=as_vector(wheel.axis)))
