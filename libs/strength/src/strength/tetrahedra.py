"""A mesh of quadratic tetrahedra."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EDGES = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
"""Corners of a tetrahedron at the ends of its nodes 4 to 9."""


@dataclass(frozen=True)
class Tetrahedra:
    """A mesh of one solid."""

    points: Floats
    """(n, 3), mm; the corners come first."""
    elements: Ints
    """(e, 10), four corners and the nodes on `EDGES`."""
    corners: int
    """Number of nodes that are corners."""
    triangles: Ints
    """(f, 6) of the surface: three corners, outwards, and the nodes opposite to them."""
    faces: Ints
    """(f,) number of the solid's face that each triangle is on."""

    @cached_property
    def ends(self) -> Ints:
        """(n - corners, 2) corners at the ends of each node that is not a corner."""
        found = np.zeros((len(self.points), 2), dtype=np.int64)
        for node, (first, second) in enumerate(EDGES, start=4):
            found[self.elements[:, node]] = np.sort(self.elements[:, [first, second]], axis=1)
        return found[self.corners :]

    @cached_property
    def normals(self) -> Floats:
        """(f, 3) outward normals of the surface's triangles, as long as their areas."""
        first, second, third = (self.points[self.triangles[:, corner]] for corner in range(3))
        cross: Floats = np.cross(second - first, third - first) / 2
        return cross

    @cached_property
    def centers(self) -> Floats:
        """(f, 3) of the surface's triangles."""
        return self.points[self.triangles[:, :3]].mean(axis=1)
