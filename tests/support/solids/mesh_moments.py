"""Volume, centre and inertia from triangles: another way to the same figures."""

import numpy as np
from geometry.occt.meshes import TriangleMesh
from numpy.typing import NDArray

Array = NDArray[np.float64]


def moments(mesh: TriangleMesh) -> tuple[float, Array, Array]:
    """Return volume in mm³, centre (3,) in mm and inertia tensor (3, 3) in mm⁵ about it, of density one.

    Sums tetrahedra from the origin to every triangle.
    """
    corners = mesh.corners_mm
    volumes = np.linalg.det(corners) / 6
    volume = float(volumes.sum())
    center = np.einsum("n,nki->i", volumes, corners) / 4 / volume
    sums = corners.sum(axis=1)
    second = np.einsum("n,nki,nkj->ij", volumes, corners, corners) + np.einsum("n,ni,nj->ij", volumes, sums, sums)
    second = second / 20 - volume * np.outer(center, center)
    return volume, center, np.trace(second) * np.eye(3) - second


def worst_difference(found: tuple[float, ...], center: Array, wanted: tuple[float, Array, Array]) -> float:
    """Compare mass, xx, yy, zz, xy, xz, yz (density one) and the centre, each relative to its size."""
    volume, place, tensor = wanted
    mass, xx, yy, zz, xy, xz, yz = found
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    reach = float(np.sqrt(np.trace(tensor) / volume))
    return max(
        abs(mass - volume) / volume,
        float(np.linalg.norm(center - place)) / reach,
        float(np.abs(own - tensor).max() / np.trace(tensor)),
    )
