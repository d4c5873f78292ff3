"""Guides: the side of a slide's partner along which it travels, from end to end."""

from math import ceil

import numpy as np
from build123d import Location
from contracts.criteria import GUIDE_GAP_MM, LEAST_GUIDE_MM
from contracts.models.mechanism import Joint
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_mm
from geometry.occt.meshes import closed_mesh

from design_rules.bodies.distances import gap_mm, overlap
from design_rules.bodies.solid_bodies import SolidBody

DRIFT_MM = 1.0
"""How much that distance may change on the way."""
STEP_MM = 10.0
MAX_STEPS = 40
CONTACT_VOLUME_MM3 = 1.0
CHORD_MM, CHORD_RAD = 0.1, 0.2


def unguided(parent: SolidBody, child: SolidBody, joint: Joint) -> str | None:
    """Return why the joint's parent is not a rail for its child, or None. The sentence continues the joint's name."""
    if joint.travel_range_mm is None:
        return "slides without limits, and no rail is endless; give it a linear_range"
    low, high = joint.travel_range_mm
    direction = _direction(joint)
    rail, slide = _extent(parent, direction), _extent(child, direction)
    needed = min(LEAST_GUIDE_MM, rail[1] - rail[0], slide[1] - slide[0])
    travel = f"of its travel from {low:g} to {high:g} mm"
    for place in _ends(joint):
        length = _shared_mm(rail, slide, place)
        if length < needed - 1e-6:
            return (
                f"leaves its guide: at {place:g} mm {travel}, {child.label} lies beside {parent.label} over "
                f"{format_mm(max(0.0, length))}, at least {format_mm(needed)} are needed; make {parent.label} a rail "
                "as long as the travel, or shorten the travel"
            )
    return _off_rail(parent, child, direction, (low, high), travel)


def guide_length_mm(parent: SolidBody, child: SolidBody, joint: Joint) -> float:
    """Return the length over which a slide lies beside its rail, where that is least."""
    direction = _direction(joint)
    rail, slide = _extent(parent, direction), _extent(child, direction)
    return max(0.0, min(_shared_mm(rail, slide, place) for place in _ends(joint)))


def guide_middle_mm(parent: SolidBody, child: SolidBody, joint: Joint) -> float:
    """Return the position along its axis of the middle of a slide's guide, at the start."""
    direction = _direction(joint)
    rail, slide = _extent(parent, direction), _extent(child, direction)
    return (max(rail[0], slide[0]) + min(rail[1], slide[1])) / 2


def _ends(joint: Joint) -> list[float]:
    """Return the positions at the ends of a travel and at the start, the nearest first."""
    return sorted({0.0, *(joint.travel_range_mm or ())}, key=abs)


def _shared_mm(rail: tuple[float, float], slide: tuple[float, float], place: float) -> float:
    return min(rail[1], slide[1] + place) - max(rail[0], slide[0] + place)


def _direction(joint: Joint) -> FloatArray:
    return np.array(joint.axis) / np.linalg.norm(joint.axis)


def _off_rail(
    parent: SolidBody, child: SolidBody, direction: FloatArray, limits: tuple[float, float], travel: str
) -> str | None:
    """Return where the child is too far from its rail, or inside it."""
    start_mm = gap_mm(parent, child)
    most = min(GUIDE_GAP_MM, start_mm + DRIFT_MM)
    for place in _places(*limits):
        moved = SolidBody(child.label, child.solid.moved(Location(as_vector(place * direction))))
        gap = start_mm if place == 0.0 else gap_mm(parent, moved)
        if gap > most:
            return (
                f"leaves its guide: at {place:.1f} mm {travel}, {child.label} is {format_mm(gap)} away from "
                f"{parent.label}, the maximum is {format_mm(most)}; let it slide beside a straight rail, and name the "
                "rail as its partner"
            )
        common = overlap(moved, parent)
        if common is not None and common.volume_mm3 > CONTACT_VOLUME_MM3:
            return (
                f"slides into its own guide: at {place:.1f} mm {travel}, {child.label} overlaps {parent.label} by "
                f"{common.volume_mm3:.0f} mm³; move it beside the rail, or turn the axis along the rail"
            )
    return None


def _places(low: float, high: float) -> list[float]:
    """Return positions over a travel, those near the start first."""
    steps = min(MAX_STEPS, max(1, ceil((high - low) / STEP_MM)))
    return sorted({0.0, *(float(place) for place in np.linspace(low, high, 1 + steps))}, key=abs)


def _extent(body: SolidBody, direction: FloatArray) -> tuple[float, float]:
    """Return the positions of a body's two ends along a direction."""
    corners = body.box.corners_mm if body.box is not None else closed_mesh(body.solid, CHORD_MM, CHORD_RAD).vertices_mm
    along = corners @ direction
    return float(along.min()), float(along.max())
