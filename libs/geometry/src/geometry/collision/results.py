"""What is known of a solid's collision geometry."""

from contracts.model import Model
from contracts.models.geometry import Vector
from contracts.models.scene import Geom
from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat

TOLERANCE_MM = 0.2
"""How far collision geometry may lie from the true surface, on either side."""
TOLERANCE_SHARE = 1 / 800
"""Of a part's diagonal, where that is more: of parts longer than 160 mm."""
PROTRUSION_LIMIT = 1.5
"""In tolerances: of the one place that stands out most."""
MAX_GEOMS = 300
"""Of one part: more makes a scene slow."""


class Deviation(Model):
    """How collision geometry differs from the B-rep, measured at fresh places on a finer mesh than it was made from."""

    tolerance_mm: PositiveFloat
    probe_mm: PositiveFloat
    """Distance from the true surface at which was probed: a little more than the tolerance."""
    probes: NonNegativeInt
    """Places probed on each side; none if the geoms are the solid itself."""
    filled_outside: NonNegativeFloat
    """Share of the places outside the part that lie in a geom."""
    empty_inside: NonNegativeFloat
    """Share of the places inside the part that lie in no geom."""
    protrusion_mm: NonNegativeFloat
    """How far a geom was seen to stand out of the part."""
    worst_mm: Vector
    """Where the worst of this is."""


class CollisionGeometry(Model):
    """The shapes that stand for a solid in physics, in world coordinates."""

    geoms: tuple[Geom, ...]
    is_exact: bool
    """The geoms are the solid itself: no surface is needed for pictures."""
    deviation: Deviation

    @property
    def protrusion_mm(self) -> float:
        """How far geoms that were accepted may stand out of the solid; 0 where they are the solid itself."""
        return 0.0 if self.is_exact else PROTRUSION_LIMIT * self.deviation.tolerance_mm


class NotDecomposableError(ValueError):
    """A solid has no collision geometry within tolerance; says where, what was measured and what to do."""

    def __init__(self, place_mm: Vector, measured: str, advice: str) -> None:
        """Keep the place for whoever marks it in a picture."""
        place = ", ".join(f"{value:.1f}" for value in place_mm)
        super().__init__(f"no collision geometry within tolerance near ({place}) mm: {measured}. {advice}")
        self.place_mm = place_mm
        self.measured = measured
        self.advice = advice
