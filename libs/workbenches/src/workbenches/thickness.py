"""How thick walls are: straight through the material to a face that looks the other way."""

from dataclasses import dataclass

import numpy as np

from workbenches.part_mesh import OFF_SURFACE_MM, Flags, Floats, Ints, PartMesh, Samples

OPPOSED = -0.7
"""Cosine between the two faces of a wall: near an edge a ray leaves through a neighbour, and that is no wall."""


@dataclass(frozen=True)
class Thickness:
    """Wall thickness at places on the surface."""

    samples: Samples
    thickness_mm: Floats
    """(n,), inf where no opposite face was met."""
    is_wall: Flags
    """(n,), whether there was one."""
    opposite_faces: Ints
    """(n,), the face on the other side, -1 where there is none."""

    def thinnest(self, share: float = 0.01) -> tuple[float, int] | None:
        """Return the thickness that `share` of all walls stay below, and the sample where it is; None without walls.

        A share and not the minimum: where faces run together every solid becomes thin.
        """
        walls = np.flatnonzero(self.is_wall)
        if not len(walls):
            return None
        order = walls[np.argsort(self.thickness_mm[walls], kind="stable")]
        sample = int(order[min(int(share * len(order)), len(order) - 1)])
        return float(self.thickness_mm[sample]), sample


def thickness_of(mesh: PartMesh, samples: Samples) -> Thickness:
    """Measure through the material from every sample."""
    hits = mesh.first_hits(samples.places_mm - samples.normals * OFF_SURFACE_MM, -samples.normals)
    opposed = hits.struck & (np.einsum("nx,nx->n", hits.normals, samples.normals) < OPPOSED)
    thickness = np.where(opposed, hits.distance_mm + OFF_SURFACE_MM, np.inf)
    return Thickness(samples, thickness, opposed, np.where(opposed, hits.faces, -1).astype(np.int64))
