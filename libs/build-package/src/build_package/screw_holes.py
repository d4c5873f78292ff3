"""Holes that designs need not draw. Screws go through the first part with clearance, and are tapped into the second.

A heat-set insert is drawn in a hole of its own width, and melted into one that is narrower.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from build123d import GeomType, Plane, Solid
from contracts.models.geometry import Vector
from contracts.models.mechanism import Mechanism
from geometry.arrays import as_vector
from geometry.occt.surfaces import cylinder_of
from parts_catalog.fasteners import COARSE_PITCH_MM
from parts_catalog.hardware import fastener
from parts_catalog.mounts.inserts import INSERTS, Insert

CLEARANCE_MM = {2.0: 2.4, 2.5: 2.9, 3.0: 3.4, 4.0: 4.5, 5.0: 5.5, 6.0: 6.6, 8.0: 9.0, 10.0: 11.0}
"""By the screw's diameter, ISO 273, medium series."""
BEYOND_MM = 1.0
"""Depth of a tapped hole beyond the screw's end."""
SEEN_MM = 0.1
"""Beyond an insert's end, where a hole that goes on is seen."""


class SplitPartError(ValueError):
    """Holes take a part apart."""


@dataclass(frozen=True, eq=False)
class NeededHole:
    """A round hole in one part, which its design need not draw."""

    label: str
    foot_mm: Vector
    direction: Vector
    diameter_mm: float
    depth_mm: float
    use: str
    """What it is for."""
    sleeve: Solid | None = None
    """What is added around it before it is cut: the design draws it wider."""

    @property
    def solid(self) -> Solid:
        """What is cut away."""
        return Solid.make_cylinder(
            self.diameter_mm / 2, self.depth_mm, Plane(origin=self.foot_mm, z_dir=self.direction)
        )


@dataclass(frozen=True, eq=False)
class DrilledPart:
    """A made part with its holes."""

    solid: Solid
    holes: tuple[NeededHole, ...]


def drilled_parts(holes: Iterable[NeededHole], made: Mapping[str, Solid]) -> dict[str, DrilledPart]:
    """Return the made parts with holes, by label. A hole that the design draws, and that is wider, stays."""
    by_label: dict[str, list[NeededHole]] = {}
    for hole in holes:
        if hole.label in made:
            by_label.setdefault(hole.label, []).append(hole)
    found: dict[str, DrilledPart] = {}
    for label, own in by_label.items():
        sleeves = [hole.sleeve for hole in own if hole.sleeve is not None]
        whole = made[label].fuse(*sleeves) if sleeves else made[label]  # pyright: ignore[reportUnknownMemberType]
        solids = list(whole.cut(*(hole.solid for hole in own)).solids())  # pyright: ignore[reportUnknownMemberType]
        if len(solids) != 1:
            raise SplitPartError(
                f"holes for screws, inserts and shafts cut {label} into {len(solids)} pieces: make it wider there"
            )
        found[label] = DrilledPart(solids[0], tuple(own))
    return found


def screw_holes(mechanism: Mechanism) -> Iterator[NeededHole]:
    """Yield the clearance holes and the core holes, whose diameter is the thread's less the pitch, of all screws."""
    for connection in mechanism.connections:
        if connection.fastener_id is None:
            continue
        screw = fastener(connection.fastener_id)
        size_mm, length_mm = screw.diameter_mm, screw.length_mm
        core_mm = size_mm - COARSE_PITCH_MM[size_mm]
        core = f"core of M{size_mm:g}, tap or let the screw cut"
        for place in zip(connection.places_mm, connection.directions, strict=True):
            yield NeededHole(connection.first, *place, CLEARANCE_MM[size_mm], length_mm, f"clearance of M{size_mm:g}")
            yield NeededHole(connection.second, *place, core_mm, length_mm + BEYOND_MM, core)


def insert_holes(
    mechanism: Mechanism, catalog_ids: Mapping[str, str], solids: Mapping[str, Solid]
) -> Iterator[NeededHole]:
    """Yield the holes of heat-set inserts in the parts that hold them, deeper at an end that is closed."""
    bonds = [each for each in mechanism.connections if each.means == "bonded"]
    for first, second in ((pair.first, pair.second) for pair in bonds):
        for label, holder in ((first, second), (second, first)):
            sheet = INSERTS.get(catalog_ids.get(label, ""))
            if sheet is not None and holder in solids:
                yield _insert_hole(sheet, solids[label], holder, solids[holder])


def _insert_hole(sheet: Insert, insert: Solid, holder: str, solid: Solid) -> NeededHole:
    axis = cylinder_of(next(face for face in insert.faces() if face.geom_type == GeomType.CYLINDER)).axis
    middle, along, half_mm = np.array(tuple(insert.center())), np.array(axis), sheet.length_mm / 2
    more_mm = sheet.hole_depth_mm - sheet.length_mm
    beyond = [more_mm * solid.is_inside(as_vector(middle + side * (half_mm + SEEN_MM) * along)) for side in (-1, 1)]
    body = Solid.make_cylinder(
        sheet.outer_mm / 2, sheet.length_mm, Plane(as_vector(middle - half_mm * along), z_dir=axis)
    )
    use = f"for the heat-set insert M{sheet.diameter_mm:g} x {sheet.length_mm:g}"
    foot, depth_mm = as_vector(middle - (half_mm + beyond[0]) * along), sheet.length_mm + sum(beyond)
    return NeededHole(holder, foot, axis, sheet.hole_mm, depth_mm, use, sleeve=body)
