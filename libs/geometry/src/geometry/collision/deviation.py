"""How far collision geometry is from the solid: fresh places on a finer mesh, whatever the geometry was made from."""

from collections.abc import Sequence

import numpy as np
from build123d import Solid
from contracts.models.scene import Geom

from geometry.boxes import Array, vector
from geometry.collision.hull import Body, Mask, body_of, contained, places_on
from geometry.collision.results import PROTRUSION_LIMIT, Deviation
from geometry.collision.signed_distance import SignedDistance
from geometry.collision.surface_points import scattered
from geometry.occt.solid_mesh import mesh_of

CHORD = 0.1
"""In tolerances."""
ANGLE_RAD = 0.2
SEED = 20_261_121
PROBES = 6000
PLACES = 6000
"""On the geoms together, corners besides."""
BEYOND_MM = 0.05
"""How much farther than the tolerance is probed."""
FILLED_LIMIT = 0.002
EMPTY_LIMIT = 0.005
"""Shares of the probes that may find a difference: a bump jams a ball, a hollow does not."""


def deviation_of(solid: Solid, geoms: Sequence[Geom], tolerance_mm: float) -> Deviation:
    """Measure geoms against the solid they stand for."""
    bodies = [body_of(geom) for geom in geoms]
    mesh = mesh_of(solid, CHORD * tolerance_mm, ANGLE_RAD)
    spacing = max(0.4, float(np.ptp(mesh.vertices_mm, axis=0).max()) / 100)
    distance = SignedDistance(mesh, spacing)
    points = scattered(mesh, PROBES, SEED)
    probe = tolerance_mm + BEYOND_MM
    outside = _really(distance, points.places_mm + probe * points.normals, probe, 1.0)
    inside = _really(distance, points.places_mm - probe * points.normals, probe, -1.0)
    filled, empty = outside[_in_any(bodies, outside)], inside[~_in_any(bodies, inside)]
    places = _places(bodies)
    heights, _, _ = distance.outside(places, tolerance_mm / 2)
    worst = int(np.argmax(heights))
    return Deviation(
        tolerance_mm=tolerance_mm,
        probe_mm=probe,
        probes=min(len(outside), len(inside)),
        filled_outside=len(filled) / max(1, len(outside)),
        empty_inside=len(empty) / max(1, len(inside)),
        protrusion_mm=max(0.0, float(heights[worst])),
        worst_mm=vector(_worst(filled, empty, places[worst])),
    )


def no_deviation(solid: Solid, tolerance_mm: float) -> Deviation:
    """Return what is true without measuring of geoms that are the solid itself."""
    return Deviation(
        tolerance_mm=tolerance_mm,
        probe_mm=tolerance_mm + BEYOND_MM,
        probes=0,
        filled_outside=0.0,
        empty_inside=0.0,
        protrusion_mm=0.0,
        worst_mm=vector(np.array(tuple(solid.center()))),
    )


def is_within_tolerance(found: Deviation) -> bool:
    """Tell whether collision geometry may be trusted."""
    return (
        found.probes > 0
        and found.filled_outside <= FILLED_LIMIT
        and found.empty_inside <= EMPTY_LIMIT
        and found.protrusion_mm <= PROTRUSION_LIMIT * found.tolerance_mm
    )


def wording(found: Deviation) -> str:
    """Return the measurement as a sentence without its end."""
    return (
        f"{found.filled_outside:.2%} of places {found.probe_mm:g} mm outside are filled, {found.empty_inside:.2%} of "
        f"those inside are empty, and the shape stands out by up to {found.protrusion_mm:.2f} mm"
    )


def _really(distance: SignedDistance, points: Array, probe: float, sign: float) -> Array:
    """Leave out points near corners that are closer to another piece of the surface, or through a thin wall."""
    return points[distance(points) * sign >= 0.95 * probe]


def _in_any(bodies: Sequence[Body], points: Array) -> Mask:
    found = np.zeros(len(points), dtype=np.bool_)
    for body in bodies:
        found[~found] = contained(body, points[~found])
    return found


def _places(bodies: Sequence[Body]) -> Array:
    random = np.random.default_rng(SEED)
    each = max(20, PLACES // len(bodies))
    return np.vstack([places_on(body, each, random) for body in bodies])


def _worst(filled: Array, empty: Array, protruding: Array) -> Array:
    """Return the middle of a crowd of wrong places: the one with most others around it."""
    wrong = filled if len(filled) else empty
    if not len(wrong):
        return protruding
    distances = np.linalg.norm(wrong[:, None, :] - wrong[None, :500, :], axis=2)
    return wrong[int(np.argmin(np.sort(distances, axis=1)[:, : max(1, len(wrong) // 4)].sum(axis=1)))]
