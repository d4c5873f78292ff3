"""The core of a plane section: what lies deeper under all outlines than a shell."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import shapely
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


def core_shares(starts: FloatArray, ends: FloatArray, moments_mm4: FloatArray, shell_mm: float) -> CoreShares:
    """Return what is deeper than a shell.

    `starts`, `ends` (n, 2), mm: the section's directed edges along its principal axes (u, v) from its centroid;
    `moments_mm4` (2,): its integrals of u² and v².
    """
    edges = np.round(np.stack([starts, ends], axis=1) / GRID_MM) * GRID_MM
    edges = edges[(edges[:, 0] != edges[:, 1]).any(axis=1)]
    section = cast("BaseGeometry", shapely.build_area(shapely.multilinestrings(edges)))  # of one geometry, one
    core = section.buffer(-shell_mm, join_style="mitre")
    if core.is_empty:
        return NO_CORE
    area, *moments = _integrals(core)
    return CoreShares(area / section.area, np.asarray(moments) / moments_mm4)


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
