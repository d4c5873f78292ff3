"""Holes of screws, which designs need not draw: through the first part with clearance, and tapped into the second."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from build123d import Plane, Solid
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection, Mechanism
from parts_catalog.datasheets import Fastener
from parts_catalog.fasteners import COARSE_PITCH_MM
from parts_catalog.hardware import fastener

CLEARANCE_MM = {2.0: 2.4, 2.5: 2.9, 3.0: 3.4, 4.0: 4.5, 5.0: 5.5, 6.0: 6.6, 8.0: 9.0, 10.0: 11.0}
"""By the screw's diameter, ISO 273, medium series."""
BEYOND_MM = 1.0
"""Depth of a tapped hole beyond the screw's end."""


class SplitPartError(ValueError):
    """Holes of screws take a part apart."""


@dataclass(frozen=True, eq=False)
class ScrewHole:
    """A hole of one screw in one part, from the face below its head."""

    label: str
    screw: Fastener
    head_mm: Vector
    direction: Vector
    is_tapped: bool

    @property
    def diameter_mm(self) -> float:
        """Of the clearance hole, or of the core hole, which is the diameter less the pitch."""
        thread_mm = self.screw.diameter_mm
        return thread_mm - COARSE_PITCH_MM[thread_mm] if self.is_tapped else CLEARANCE_MM[thread_mm]

    @property
    def use(self) -> str:
        """What it is for."""
        size = f"M{self.screw.diameter_mm:g}"
        return f"core of {size}, tap or let the screw cut" if self.is_tapped else f"clearance of {size}"

    @property
    def solid(self) -> Solid:
        """What is cut away."""
        depth_mm = self.screw.length_mm + (BEYOND_MM if self.is_tapped else 0.0)
        return Solid.make_cylinder(self.diameter_mm / 2, depth_mm, Plane(origin=self.head_mm, z_dir=self.direction))


@dataclass(frozen=True, eq=False)
class DrilledPart:
    """A made part with the holes of its screws."""

    solid: Solid
    holes: tuple[ScrewHole, ...]


def drilled_parts(mechanism: Mechanism, made: Mapping[str, Solid]) -> dict[str, DrilledPart]:
    """Return the made parts that screws go into, by label. A hole that the design draws, and that is wider, stays."""
    by_label: dict[str, list[ScrewHole]] = {}
    for connection in mechanism.connections:
        for hole in _holes(connection):
            if hole.label in made:
                by_label.setdefault(hole.label, []).append(hole)
    found: dict[str, DrilledPart] = {}
    for label, holes in by_label.items():
        solids = list(made[label].cut(*(hole.solid for hole in holes)).solids())  # pyright: ignore[reportUnknownMemberType]
        if len(solids) != 1:
            raise SplitPartError(f"the holes of its screws cut {label} into {len(solids)} pieces: make it wider there")
        found[label] = DrilledPart(solids[0], tuple(holes))
    return found


def _holes(connection: Connection) -> Iterator[ScrewHole]:
    if connection.fastener_id is None:
        return
    screw = fastener(connection.fastener_id)
    for head_mm, direction in zip(connection.places_mm, connection.directions, strict=True):
        yield ScrewHole(connection.first, screw, head_mm, direction, is_tapped=False)
        yield ScrewHole(connection.second, screw, head_mm, direction, is_tapped=True)
