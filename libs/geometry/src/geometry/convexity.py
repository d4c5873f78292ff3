"""Qhull and nearest neighbours, typed."""

# pyright: basic, reportMissingTypeStubs=false
# scipy ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, HalfspaceIntersection, KDTree

Array = NDArray[np.float64]
Indexes = NDArray[np.int64]


def hull_of(points: Array) -> tuple[Array, Array, Indexes]:
    """Return normals (m, d), offsets (m,) and facets (k, d), triangles in space, of the hull of points (n, d).

    Inside is `normals @ x <= offsets`. Raises `scipy.spatial.QhullError`, a `RuntimeError`, if the points are flat.
    """
    found = ConvexHull(points)
    planes = np.unique(np.round(found.equations, 9), axis=0)
    return planes[:, :-1], -planes[:, -1], found.simplices.astype(np.int64)


def corners_between(normals: Array, offsets: Array, inner: Array) -> Array:
    """Return the corners (k, 3) of the bounded polyhedron `normals @ x <= offsets` around a point well inside it."""
    found = HalfspaceIntersection(np.column_stack([normals, -offsets]), inner).intersections
    return np.unique(np.round(found[np.isfinite(found).all(axis=1)], 6), axis=0)


class Neighbours:
    """The nearest of many points."""

    def __init__(self, points: Array) -> None:
        """Index points (n, 3)."""
        self._tree = KDTree(points)

    def nearest(self, places: Array, count: int) -> Indexes:
        """Return the indexes (m, k) of the nearest `count` points, or of all if there are fewer."""
        k = min(count, self._tree.n)
        return np.asarray(self._tree.query(places, k=k)[1], dtype=np.int64).reshape(len(places), k)
