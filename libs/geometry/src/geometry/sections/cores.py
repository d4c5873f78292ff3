"""The core of a plane section: what lies deeper under all outlines than a shell."""

# pyright: basic, reportMissingTypeStubs=false
# scipy has no types, so strict checking would see unknowns. Every function is fully annotated.

from collections import Counter
from dataclasses import dataclass
from typing import cast

import numpy as np
import shapely
from scipy.optimize import linear_sum_assignment
from shapely.geometry.base import BaseGeometry

from geometry.arrays import FloatArray

GRID_MM = np.pi * 1e-6
"""Ends of edges in the same cell are one point. No round figure lies on the border of two cells."""


@dataclass(frozen=True, eq=False)
class CoreShares:
    """What the core has of a section."""

    area: float
    moments: FloatArray
    """(2,), of the second moments about the section's two principal axes."""


NO_CORE = CoreShares(0.0, np.zeros(2))


def core_shares(starts: FloatArray, ends: FloatArray, shell_mm: float) -> CoreShares:
    """Return what is deeper than a shell.

    `starts`, `ends` (n, 2), mm: the section's directed edges along its principal axes (u, v) from its centroid.
    """
    cells = np.round(np.stack([starts, ends], axis=1) / GRID_MM)
    cells = cells[(cells[:, 0] != cells[:, 1]).any(axis=1)]
    edges = np.concatenate([cells, _gaps(cells)]) * GRID_MM
    section = cast("BaseGeometry", shapely.build_area(shapely.multilinestrings(edges)))  # of one geometry, one
    core = section.buffer(-shell_mm, join_style="mitre")
    if core.is_empty:
        return NO_CORE
    shares = _integrals(core) / _integrals(section)
    return CoreShares(float(shares[0]), shares[1:])


def _gaps(edges: FloatArray) -> FloatArray:
    """Return the edges (g, 2, 2) that close outlines: OCCT's mesh may lack a face."""
    begins, ends = (Counter((float(u), float(v)) for u, v in edges[:, side]) for side in (0, 1))
    open_ends = np.array(list((ends - begins).elements())).reshape(-1, 2)
    open_begins = np.array(list((begins - ends).elements())).reshape(-1, 2)
    first, second = linear_sum_assignment(np.linalg.norm(open_ends[:, None] - open_begins[None], axis=2))
    return np.stack([open_ends[first], open_begins[second]], axis=1)


def _integrals(shape: BaseGeometry) -> FloatArray:
    """Return (3,) the integrals of 1, u² and v² over an area, by its directed edges."""
    total = np.zeros(3)
    for polygon in shapely.get_parts(shape):
        oriented = shapely.orient_polygons(polygon)
        for ring in (oriented.exterior, *oriented.interiors):
            points = shapely.get_coordinates(ring)
            (u1, v1), (u2, v2) = points[:-1].T, points[1:].T
            twice = u1 * v2 - u2 * v1
            uu, vv = (a * a + a * b + b * b for a, b in ((u1, u2), (v1, v2)))
            total += [twice.sum() / 2, (uu * twice).sum() / 12, (vv * twice).sum() / 12]
    return total
