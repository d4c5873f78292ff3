"""Convex decomposition: from a solid to the simplest collision geometry that measures as accurate."""

from collections.abc import Sequence

import numpy as np
from build123d import Solid
from contracts.models.scene import Geom, HullGeom

from geometry.arrays import FloatArray, as_vector
from geometry.collision.deviation import deviation_text, is_within_tolerance, measure_deviation, zero_deviation
from geometry.collision.extrusion import decompose_extrusion
from geometry.collision.primitives import exact_primitive, near_primitives
from geometry.collision.results import MAX_GEOMS, TOLERANCE_MM, TOLERANCE_SHARE, CollisionGeometry, NotDecomposableError
from geometry.collision.revolution import decompose_revolution
from geometry.collision.solid_cover import Closeness, cover_solid
from geometry.display_mesh import require_few_faces
from geometry.spatial import QhullError

LIFTS = (0.0, 0.5)
"""Distances of the regions' planes from the surface, in tolerances."""
ADVICE = "Make the part simpler there: larger radii, fewer holes, or two parts that are joined"


def collision_geometry(solid: Solid, tolerance_mm: float | None = None) -> CollisionGeometry:
    """Return convex geoms that fill a valid solid within the tolerance, with their measured deviation.

    A primitive stands for itself; solids of revolution and extrusions are decomposed in their profile; all others are
    covered by convex regions. The tolerance is `tolerance_for(solid)` unless another one is given.
    The same solid gets the same geoms in every process. Raises `NotDecomposableError` if no decomposition is accurate
    enough, `TooManyTrianglesError` if the solid has too many faces to try.
    """
    require_few_faces(solid)
    tolerance_mm = tolerance_for(solid) if tolerance_mm is None else tolerance_mm
    if (primitive := exact_primitive(solid)) is not None:
        return CollisionGeometry(geoms=(primitive,), is_exact=True, deviation=zero_deviation(solid, tolerance_mm))
    for candidate in near_primitives(solid):
        if (accepted := _if_accurate(solid, (candidate,), tolerance_mm)) is not None:
            return accepted
    pieces = decompose_revolution(solid, tolerance_mm, MAX_GEOMS) or decompose_extrusion(solid, tolerance_mm, MAX_GEOMS)
    if pieces and (accepted := _if_accurate(solid, _hull_geoms(pieces), tolerance_mm)) is not None:
        return accepted
    return _cover(solid, tolerance_mm)


def tolerance_for(solid: Solid) -> float:
    """Return `TOLERANCE_MM`, or for a large part a share of its size: a hollow takes more regions the larger it is."""
    return max(TOLERANCE_MM, float(solid.bounding_box().diagonal) * TOLERANCE_SHARE)


def _cover(solid: Solid, tolerance_mm: float) -> CollisionGeometry:
    """Cover the solid, first with planes on the surface, then with planes a little off it: those need fewer regions."""
    measured = "no convex pieces fit into it: it, or a sliver of it, is thinner than the tolerance"
    worst_mm = as_vector(np.array(tuple(solid.center())))
    for lift in LIFTS:
        try:
            geoms = _region_hulls(solid, lift, tolerance_mm)
        except QhullError:  # the region around a sliver is flat
            continue
        if not geoms:
            continue
        deviation = measure_deviation(solid, geoms, tolerance_mm)
        if is_within_tolerance(deviation):
            return CollisionGeometry(geoms=geoms, is_exact=False, deviation=deviation)
        measured, worst_mm = f"{len(geoms)} convex pieces: {deviation_text(deviation)}", deviation.worst_mm
    raise NotDecomposableError(worst_mm, measured, ADVICE)


def _region_hulls(solid: Solid, lift: float, tolerance_mm: float) -> tuple[HullGeom, ...]:
    closeness = Closeness(
        clear_mm=(0.5 + lift / 2) * tolerance_mm,
        lift_mm=lift * tolerance_mm,
        depth_mm=tolerance_mm,
        protrusion_mm=(0.75 + lift / 3) * tolerance_mm,
    )
    return _hull_geoms(cover_solid(solid, closeness, MAX_GEOMS))


def _hull_geoms(pieces: Sequence[FloatArray]) -> tuple[HullGeom, ...]:
    return tuple(HullGeom(vertices_mm=tuple(as_vector(corner) for corner in corners)) for corners in pieces)


def _if_accurate(solid: Solid, geoms: tuple[Geom, ...], tolerance_mm: float) -> CollisionGeometry | None:
    deviation = measure_deviation(solid, geoms, tolerance_mm)
    if not is_within_tolerance(deviation):
        return None
    return CollisionGeometry(geoms=geoms, is_exact=False, deviation=deviation)
