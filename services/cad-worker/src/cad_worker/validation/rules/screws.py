"""Where a screw passes and where it bites: measured on lines beside its axis, so that drilled holes do not matter."""

from math import cos, isclose, pi, sin, sqrt

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection
from geometry.arrays import as_vector
from geometry.formatting import format_direction, format_mm, format_point
from geometry.occt.distances import lengths_inside
from parts_catalog.hardware.lookup import Fastener

from cad_worker.validation.bodies import Block

RAYS = 6
RAY_RADIUS = 0.75
"""Of the screw's diameter: outside a clearance hole, which is some 1.1 diameters wide, and under the head."""
MIN_BITE = 1.0
"""Diameters of thread in the second part."""
MIN_CLAMPED_MM = 0.5


def misplaced(first: Block, second: Block, connection: Connection, screw: Fastener) -> list[str]:
    """Return what is wrong with the places of the screws of a connection, one sentence for each."""
    places, directions = connection.places_mm, connection.directions
    if not places:
        return ["has 0 places, at least 1 is needed: say at which points the heads sit"]
    if len(directions) != len(places):
        return [f"has {len(places)} places and {len(directions)} directions; give one direction for each place"]
    found = (_problem(first, second, screw, *each) for each in zip(places, directions, strict=True))
    return [problem for problem in found if problem is not None]


def _problem(first: Block, second: Block, screw: Fastener, head: Vector, into: Vector) -> str | None:
    length = sqrt(sum(value * value for value in into))
    if not isclose(length, 1.0, abs_tol=1e-3):
        return (
            f"has a direction {format_direction(into)} of length {length:.3g} at {format_point(head)}, which must be 1"
        )
    clamped, bitten = (_inside(body, screw, head, into) for body in (first, second))
    where = f"at {format_point(head)} along {format_direction(into)}, {screw.id} ({screw.length_mm:g} mm long)"
    if clamped < MIN_CLAMPED_MM and bitten < MIN_CLAMPED_MM:
        return f"{where} meets neither {first.label} nor {second.label}; put the head on a face and point into both"
    needed = MIN_BITE * screw.diameter_mm
    if clamped < MIN_CLAMPED_MM:
        return (
            f"{where} passes {format_mm(clamped)} of {first.label}, at least {format_mm(MIN_CLAMPED_MM)} is needed; put the head on "
            f"{first.label} and point through it into {second.label}"
        )
    if bitten < needed:
        return (
            f"{where} passes {format_mm(clamped)} of {first.label} and bites {format_mm(bitten)} into {second.label}, at least "
            f"{format_mm(needed)} is needed; take a longer screw, a thinner first part, or move the head"
        )
    return None


def _inside(body: Block, screw: Fastener, head: Vector, into: Vector) -> float:
    """Return how much of a screw's length lies in the material of a body: the median over lines around its axis."""
    axis = np.array(into)
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    other = np.cross(axis, across)
    radius = RAY_RADIUS * screw.diameter_mm
    angles = [2 * pi * number / RAYS for number in range(RAYS)]
    starts = [np.array(head) + radius * (cos(angle) * across + sin(angle) * other) for angle in angles]
    rays = [(as_vector(start), as_vector(start + screw.length_mm * axis)) for start in starts]
    return float(np.median(lengths_inside(body.solid, rays)))
