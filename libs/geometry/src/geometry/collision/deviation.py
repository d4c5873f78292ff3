"""The deviation of collision geometry from its solid, measured at fresh points on a finer mesh.

The points and the mesh do not depend on those that the geometry was made from.
"""

from collections.abc import Sequence

import numpy as np
from build123d import Solid
from contracts.models.scene import Geom

from geometry.arrays import BoolArray, FloatArray, as_vector
from geometry.collision.containment import ConvexBody, convex_body, is_inside, surface_points
from geometry.collision.results import PROTRUSION_LIMIT, Deviation
from geometry.collision.signed_distance import SignedDistance
from geometry.collision.surface_sampling import sample_randomly
from geometry.occt.meshes import closed_mesh

CHORD = 0.1
"""In tolerances."""
ANGLE_RAD = 0.2
SEED = 20_261_121
PROBES = 6000
GEOM_POINTS = 6000
"""On the geoms together, in addition to their corners."""
BEYOND_MM = 0.05
"""Distance of the probes beyond the tolerance."""
FILLED_LIMIT = 0.002
EMPTY_LIMIT = 0.005
"""Shares of the probes that may find a difference: a bump jams a ball, a hollow does not."""


def measure_deviation(solid: Solid, geoms: Sequence[Geom], tolerance_mm: float) -> Deviation:
    """Measure how far geoms deviate from the solid that they represent."""
    bodies = [convex_body(geom) for geom in geoms]
    mesh = closed_mesh(solid, CHORD * tolerance_mm, ANGLE_RAD)
    spacing = max(0.4, float(np.ptp(mesh.vertices_mm, axis=0).max()) / 100)
    distance = SignedDistance(mesh, spacing)
    points = sample_randomly(mesh, PROBES, SEED)
    probe = tolerance_mm + BEYOND_MM
    outside = _at_distance(distance, points.points_mm + probe * points.normals, probe, 1.0)
    inside = _at_distance(distance, points.points_mm - probe * points.normals, probe, -1.0)
    filled, empty = outside[_in_any(bodies, outside)], inside[~_in_any(bodies, inside)]
    on_geoms = _points_on(bodies)
    heights, _, _ = distance.outside(on_geoms, tolerance_mm / 2)
    worst = int(np.argmax(heights))
    return Deviation(
        tolerance_mm=tolerance_mm,
        probe_mm=probe,
        probes=min(len(outside), len(inside)),
        filled_outside=len(filled) / max(1, len(outside)),
        empty_inside=len(empty) / max(1, len(inside)),
        protrusion_mm=max(0.0, float(heights[worst])),
        worst_mm=as_vector(_worst(filled, empty, on_geoms[worst])),
    )


def zero_deviation(solid: Solid, tolerance_mm: float) -> Deviation:
    """Return the deviation of geoms that are the solid itself, without measuring."""
    return Deviation(
        tolerance_mm=tolerance_mm,
        probe_mm=tolerance_mm + BEYOND_MM,
        probes=0,
        filled_outside=0.0,
        empty_inside=0.0,
        protrusion_mm=0.0,
        worst_mm=as_vector(np.array(tuple(solid.center()))),
    )


def is_within_tolerance(deviation: Deviation) -> bool:
    """Tell whether the collision geometry is accurate enough."""
    return (
        deviation.probes > 0
        and deviation.filled_outside <= FILLED_LIMIT
        and deviation.empty_inside <= EMPTY_LIMIT
        and deviation.protrusion_mm <= PROTRUSION_LIMIT * deviation.tolerance_mm
    )


def deviation_text(deviation: Deviation) -> str:
    """Return the measurement as a clause, without a full stop."""
    return (
        f"{deviation.filled_outside:.2%} of the points {deviation.probe_mm:g} mm outside are filled, "
        f"{deviation.empty_inside:.2%} of those inside are empty, and the shape protrudes by up to "
        f"{deviation.protrusion_mm:.2f} mm"
    )


def _at_distance(distance: SignedDistance, points: FloatArray, probe: float, sign: float) -> FloatArray:
    """Drop points near corners or behind thin walls, which are closer to another piece of the surface."""
    return points[distance(points) * sign >= 0.95 * probe]


def _in_any(bodies: Sequence[ConvexBody], points: FloatArray) -> BoolArray:
    result = np.zeros(len(points), dtype=np.bool_)
    for body in bodies:
        result[~result] = is_inside(body, points[~result])
    return result


def _points_on(bodies: Sequence[ConvexBody]) -> FloatArray:
    random = np.random.default_rng(SEED)
    each = max(20, GEOM_POINTS // len(bodies))
    return np.vstack([surface_points(body, each, random) for body in bodies])


def _worst(filled: FloatArray, empty: FloatArray, protruding: FloatArray) -> FloatArray:
    """Return the middle of a cluster of wrong points: the one with most others around it."""
    wrong = filled if len(filled) else empty
    if not len(wrong):
        return protruding
    distances = np.linalg.norm(wrong[:, None, :] - wrong[None, :500, :], axis=2)
    return wrong[int(np.argmin(np.sort(distances, axis=1)[:, : max(1, len(wrong) // 4)].sum(axis=1)))]
