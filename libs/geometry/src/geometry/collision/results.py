"""Collision geometry of a solid, its measured deviation, and the error if there is none."""

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.scene import Geom
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat

from geometry.formatting import format_point

TOLERANCE_MM = 0.2
"""Largest distance of collision geometry from the true surface, on either side."""
TOLERANCE_SHARE = 1 / 800
"""Tolerance of parts longer than 160 mm, as a share of their diagonal."""
PROTRUSION_LIMIT = 1.5
"""Largest protrusion of a geom out of the solid, in tolerances."""
MAX_GEOMS = 300
"""Of one part: more make a scene slow."""


class Deviation(Model):
    """How collision geometry differs from the B-rep, at fresh points on a finer mesh than it was made from."""

    tolerance_mm: PositiveFloat
    probe_mm: PositiveFloat
    """Distance of the probes from the true surface: a little more than the tolerance."""
    probes: NonNegativeInt
    """Number of probes on each side; 0 if the geoms are the solid itself."""
    filled_outside: NonNegativeFloat
    """Share of the probes outside the part that are in a geom."""
    empty_inside: NonNegativeFloat
    """Share of the probes inside the part that are in no geom."""
    protrusion_mm: NonNegativeFloat
    """Largest measured distance of a geom's surface outside the part."""
    worst_mm: Vector
    """Position of the worst deviation."""


class CollisionGeometry(Model):
    """The convex shapes that represent a solid in physics, in world coordinates."""

    geoms: tuple[Geom, ...]
    is_exact: bool
    """The geoms are the solid itself: images need no separate surface."""
    deviation: Deviation

    @property
    def protrusion_mm(self) -> float:
        """Upper bound of the protrusion of accepted geoms; 0 where they are the solid itself."""
        return 0.0 if self.is_exact else PROTRUSION_LIMIT * self.deviation.tolerance_mm


class NotDecomposableError(ValueError):
    """A solid has no collision geometry within tolerance; the message has position, measurement and advice."""

    def __init__(self, point_mm: Vector, measured: str, advice: str) -> None:
        super().__init__(f"no collision geometry within tolerance near {format_point(point_mm)}: {measured}. {advice}")
        self.point_mm = point_mm
