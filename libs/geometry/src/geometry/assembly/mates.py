"""Parts that fit into each other in a way that their modelled shapes do not show: hubs on shafts, and teeth in mesh."""

from dataclasses import dataclass
from math import radians, tan

import numpy as np
from contracts.models.geometry import Vector

from geometry.occt.meshes import TriangleMesh

FLANK = tan(radians(20.0))
"""Teeth of 20 degrees part where the motion leans from the line between them by no more than their flanks."""
STRAIGHT = 1e-3


@dataclass(frozen=True, eq=False)
class Mate:
    """Two parts that come apart along an axis, and where one meshes with the other also away from it."""

    first: str
    second: str
    axis: Vector
    """Unit vector."""
    away: Vector | None = None
    """Unit vector at right angles to the axis along which the first leaves the teeth of the second."""
    shaft: TriangleMesh | None = None
    """What reaches from the second to the first, and is in the way of all other parts."""

    @property
    def ways(self) -> tuple[Vector, ...]:
        """The lines along which they come apart."""
        return (self.axis,) if self.away is None else (self.axis, self.away)

    def parts_along(self, direction: Vector) -> bool:
        """Tell whether the first part leaves the second along a direction, a unit vector."""
        motion, axis = np.array(direction), np.array(self.axis)
        across = motion - (motion @ axis) * axis
        if float(np.linalg.norm(across)) < STRAIGHT:
            return True
        if self.away is None:
            return False
        out = float(across @ np.array(self.away))
        sideways = float(np.linalg.norm(across - out * np.array(self.away)))
        return sideways <= FLANK * out + STRAIGHT
