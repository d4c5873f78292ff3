"""Screws in their places: what of a solid lies around one, the room that its head needs, and where two collide."""

from dataclasses import dataclass
from functools import cached_property
from math import cos, dist, isclose, pi, sin, sqrt

import numpy as np
from build123d import Plane, Solid
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection
from geometry.arrays import FloatArray, as_vector
from geometry.formatting import format_direction, format_point
from geometry.occt.distances import lengths_inside
from parts_catalog.datasheets import Fastener
from parts_catalog.hardware import fastener
from parts_catalog.mounts.inserts import INSERTS

from design_rules.bodies.distances import overlap
from design_rules.bodies.solid_bodies import SolidBody

CONTACT_VOLUME_MM3 = 1.0
"""Common volume of two touching bodies that counts as rounding."""
LINES = 24
"""Around a screw's axis, on which material is measured."""
HEAD_RING = 0.75
"""Radius in diameters of the ring on which a head rests: a clearance hole is about 1.1 diameters wide."""
THREAD_RING = 0.52
"""Radius in diameters at which a thread holds: a hole may be drawn up to the screw's diameter, and is tapped."""
EDGE_RING = 1.0
"""Radius in diameters of the material that a screw needs around its axis: the usual boss is two diameters wide."""
SLACK_MM = 0.05
"""By which a ring or a way is smaller than its name, so that exact fits pass."""


KEYS_MM = {2.0: 14.0, 2.5: 16.0, 3.0: 18.0, 4.0: 20.0, 5.0: 25.0, 6.0: 28.0, 8.0: 32.0, 10.0: 36.0}
"""Short arm of the hex key by the screw's diameter, ISO 2936: the shortest tool that turns it."""
LONGEST_KEY_MM = 36.0
"""Of screws of other diameters."""


class InvalidPlacesError(ValueError):
    """A connection does not say where its screws are, or which way they point."""


@dataclass(frozen=True, eq=False)
class PlacedScrew:
    """A screw with the place below its head and the unit direction into the material."""

    sheet: Fastener
    head_mm: Vector
    direction: Vector

    def __str__(self) -> str:
        """Return what findings call it."""
        place = f"at {format_point(self.head_mm)} along {format_direction(self.direction)}"
        return f"{place}, {self.sheet.id} ({self.sheet.length_mm:g} mm long)"

    @cached_property
    def _across(self) -> tuple[FloatArray, FloatArray]:
        """Two unit vectors across the axis."""
        axis = np.array(self.direction)
        across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        across /= np.linalg.norm(across)
        return across, np.cross(axis, across)

    def point_mm(self, depth_mm: float) -> Vector:
        """Return the point of the axis that lies this deep below the head."""
        return as_vector(np.array(self.head_mm) + depth_mm * np.array(self.direction))

    def clamped_mm(self, body: SolidBody) -> float:
        """Return the least thickness of a body below the head and around the screw."""
        rings = (HEAD_RING * self.sheet.diameter_mm, self._edge_mm)
        return min(min(self._lengths_mm(body, radius, 0.0, self.sheet.length_mm)) for radius in rings)

    def threaded_mm(self, body: SolidBody) -> float:
        """Return the least length of thread that a body holds; an insert's wall is as thick as it must be."""
        rings = (THREAD_RING * self.sheet.diameter_mm, *(() if body.catalog_id in INSERTS else (self._edge_mm,)))
        return min(min(self._lengths_mm(body, radius, 0.0, self.sheet.length_mm)) for radius in rings)

    def passed_mm(self, body: SolidBody) -> float:
        """Return the greatest length of the screw in a body, however little of it lies around the screw."""
        ring = THREAD_RING if body.catalog_id in INSERTS else HEAD_RING
        return max(self._lengths_mm(body, ring * self.sheet.diameter_mm, 0.0, self.sheet.length_mm))

    def seated_mm(self, body: SolidBody, within_mm: float) -> float:
        """Return how much of a body lies within a depth below the head, on the line with the most."""
        return max(self._lengths_mm(body, HEAD_RING * self.sheet.diameter_mm, 0.0, within_mm))

    def blocked_mm(self, body: SolidBody) -> float:
        """Return how much of a body lies in the head, or in the straight way of screw and tool."""
        way_mm = self.way_mm
        radii = (0.0, self.sheet.head_diameter_mm / 2 - SLACK_MM)
        return max(max(self._lengths_mm(body, radius, -way_mm, 0.0)) for radius in radii)

    @property
    def way_mm(self) -> float:
        """Length above the face that the screw needs to come in, and its tool to turn it."""
        key_mm = KEYS_MM.get(self.sheet.diameter_mm, LONGEST_KEY_MM)
        return self.sheet.head_height_mm + max(self.sheet.length_mm, key_mm)

    @cached_property
    def way(self) -> SolidBody:
        """The room above the face through which screw and tool come."""
        return self._cylinder(self.sheet.head_diameter_mm, -self.way_mm, 0.0)

    @cached_property
    def solids(self) -> tuple[SolidBody, ...]:
        """Shank and, unless it is countersunk, head as bodies of their own."""
        sheet = self.sheet
        shank = self._cylinder(sheet.diameter_mm, 0.0, sheet.length_mm)
        if not sheet.head_height_mm:
            return (shank,)
        return (shank, self._cylinder(sheet.head_diameter_mm, -sheet.head_height_mm, 0.0))

    def crosses(self, body: SolidBody) -> bool:
        """Tell whether head or shank share space with a body."""
        return any(is_in(mine, body) for mine in self.solids)

    def collides_with(self, other: "PlacedScrew") -> bool:
        """Tell whether head or shank of two screws share space."""
        if dist(self.head_mm, other.head_mm) > self.reach_mm + other.reach_mm:
            return False
        return any(is_in(mine, theirs) for mine in self.solids for theirs in other.solids)

    def _cylinder(self, diameter_mm: float, start_mm: float, end_mm: float) -> SolidBody:
        plane = Plane(origin=self.point_mm(start_mm), z_dir=self.direction)
        return SolidBody(self.sheet.id, Solid.make_cylinder(diameter_mm / 2 - SLACK_MM, end_mm - start_mm, plane))

    @property
    def reach_mm(self) -> float:
        """Distance of the farthest point from the place below the head, at most."""
        return self.sheet.length_mm + self.sheet.head_height_mm + self.sheet.head_diameter_mm

    @property
    def _edge_mm(self) -> float:
        return EDGE_RING * self.sheet.diameter_mm - SLACK_MM

    def _lengths_mm(self, body: SolidBody, radius_mm: float, start_mm: float, end_mm: float) -> list[float]:
        """Return how much of a body lies on each of the lines at a radius, between two depths below the head."""
        one, other = self._across
        count = LINES if radius_mm > 0 else 1
        turns = [2 * pi * number / LINES for number in range(count)]
        offsets = [radius_mm * (cos(turn) * one + sin(turn) * other) for turn in turns]
        start, end = np.array(self.point_mm(start_mm)), np.array(self.point_mm(end_mm))
        return lengths_inside(body.solid, [(as_vector(start + each), as_vector(end + each)) for each in offsets])


def placed_screws(connection: Connection) -> list[PlacedScrew]:
    """Return the screws of a connection; raise `UnknownHardwareError` or `InvalidPlacesError`."""
    sheet, positions, directions = fastener(connection.fastener_id or ""), connection.places_mm, connection.directions
    if not positions:
        raise InvalidPlacesError("has 0 places, at least 1 is needed: give the points of the screw heads")
    if len(directions) != len(positions):
        raise InvalidPlacesError(
            f"has {len(positions)} places and {len(directions)} directions; give one direction for each place"
        )
    for head_mm, direction in zip(positions, directions, strict=True):
        length = sqrt(sum(value * value for value in direction))
        if not isclose(length, 1.0, abs_tol=1e-3):
            raise InvalidPlacesError(
                f"has a direction {format_direction(direction)} of length {length:.3g} at {format_point(head_mm)}; "
                "give a unit vector"
            )
    return [PlacedScrew(sheet, *each) for each in zip(positions, directions, strict=True)]


def is_in(first: SolidBody, second: SolidBody) -> bool:
    """Tell whether two bodies share more space than contact does."""
    common = overlap(first, second)
    return common is not None and common.volume_mm3 > CONTACT_VOLUME_MM3
