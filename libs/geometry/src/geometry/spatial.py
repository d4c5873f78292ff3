"""Typed wrappers of scipy.spatial: convex hulls, half-space intersections and nearest neighbours."""

# pyright: basic, reportMissingTypeStubs=false
# scipy ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, KDTree, QhullError

from geometry.arrays import FloatArray, IntArray

__all__ = ["NearestNeighbours", "QhullError", "convex_hull", "halfspace_corners"]


def convex_hull(points: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return normals (m, d), offsets (m,) and facets (k, d), triangles in space, of the hull of points (n, d).

    Inside is `normals @ x <= offsets`. Raises `scipy.spatial.QhullError`, a `RuntimeError`, if the points are flat.
    """
    hull = ConvexHull(points)
    planes = np.unique(np.round(hull.equations, 9), axis=0)
    return planes[:, :-1], -planes[:, -1], hull.simplices.astype(np.int64)


def halfspace_corners(normals: FloatArray, offsets: FloatArray, inner: FloatArray) -> FloatArray:
    """Return the corners (k, 3) of the bounded polyhedron `normals @ x <= offsets` around a point well inside it."""
    with np.errstate(divide="ignore", invalid="ignore"):  # parallel planes meet at infinity
        corners = HalfspaceIntersection(np.column_stack([normals, -offsets]), inner).intersections
    return np.unique(np.round(corners[np.isfinite(corners).all(axis=1)], 6), axis=0)


class NearestNeighbours:
    """An index of points (n, 3)."""

    def __init__(self, points: FloatArray) -> None:
        self._tree = KDTree(points)

    def query(self, points: FloatArray, count: int) -> IntArray:
        """Return for points (m, 3) the indexes (m, k) of the `count` nearest ones, or of all if there are fewer."""
        k = min(count, self._tree.n)
        return np.asarray(self._tree.query(points, k=k)[1], dtype=np.int64).reshape(len(points), k)
