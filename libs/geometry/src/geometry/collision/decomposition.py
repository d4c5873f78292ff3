"""From a solid to its collision geometry: the simplest shapes that measure as true."""

import hashlib
from collections.abc import Sequence

import numpy as np
from build123d import Solid
from contracts.models.scene import Geom, HullGeom

from geometry.boxes import vector
from geometry.collision.deviation import deviation_of, is_within_tolerance, no_deviation, wording
from geometry.collision.primitives import exact_primitive, near_primitives
from geometry.collision.prisms import extruded
from geometry.collision.results import MAX_GEOMS, TOLERANCE_MM, TOLERANCE_SHARE, CollisionGeometry, NotDecomposableError
from geometry.collision.revolution import revolved
from geometry.collision.solid_cover import Closeness, cover
from geometry.convexity import Array
from geometry.digest import canonical_text
from geometry.display_mesh import require_few_faces

EDITION = "2"
"""Changes whenever the same solid would get other geoms: what is cached under another one is not used."""

LIFTS = (0.0, 0.5)
"""In tolerances."""
ADVICE = "Make the part simpler there: larger radii, fewer holes, or two parts that are joined"


def collision_geometry(solid: Solid, tolerance_mm: float | None = None) -> CollisionGeometry:
    """Return convex geoms that fill a valid solid within the tolerance, and how far off they were measured to be.

    A primitive is itself; what is turned or extruded is cut up in its profile; everything else is filled.
    The tolerance is `tolerance_for(solid)` unless another one is given.
    The same solid gets the same geoms in every process. Raises `NotDecomposableError` if no decomposition measures
    as true, `TooManyTrianglesError` if the solid has too many faces to try.
    """
    require_few_faces(solid)
    tolerance_mm = tolerance_for(solid) if tolerance_mm is None else tolerance_mm
    if (primitive := exact_primitive(solid)) is not None:
        return CollisionGeometry(geoms=(primitive,), is_exact=True, deviation=no_deviation(solid, tolerance_mm))
    for candidate in near_primitives(solid):
        if (found := _measured(solid, (candidate,), tolerance_mm)) is not None:
            return found
    pieces = revolved(solid, tolerance_mm, MAX_GEOMS) or extruded(solid, tolerance_mm, MAX_GEOMS)
    if pieces and (found := _measured(solid, _hull_geoms(pieces), tolerance_mm)) is not None:
        return found
    return _decomposed(solid, tolerance_mm)


def tolerance_for(solid: Solid) -> float:
    """Return `TOLERANCE_MM`, or for a large part a share of its size: a hollow takes more regions the larger it is."""
    return max(TOLERANCE_MM, float(solid.bounding_box().diagonal) * TOLERANCE_SHARE)


def geometry_key(solid: Solid) -> str:
    """Return a digest (64 hex digits) under which a solid's collision geometry may be cached: shape and place."""
    return hashlib.sha256(f"{EDITION} {canonical_text(solid)}".encode()).hexdigest()


def _decomposed(solid: Solid, tolerance_mm: float) -> CollisionGeometry:
    """Fill the solid, first with planes that touch it, then with planes that stand a little off: those need fewer."""
    refusal = ""
    place = vector(np.array(tuple(solid.center())))
    for lift in LIFTS:
        geoms = _hulls(solid, lift, tolerance_mm)
        found = deviation_of(solid, geoms, tolerance_mm)
        if is_within_tolerance(found):
            return CollisionGeometry(geoms=geoms, is_exact=False, deviation=found)
        refusal, place = f"{len(geoms)} convex pieces: {wording(found)}", found.worst_mm
    raise NotDecomposableError(place, refusal, ADVICE)


def _hulls(solid: Solid, lift: float, tolerance_mm: float) -> tuple[HullGeom, ...]:
    closeness = Closeness(
        clear_mm=(0.5 + lift / 2) * tolerance_mm,
        lift_mm=lift * tolerance_mm,
        depth_mm=tolerance_mm,
        protrusion_mm=(0.75 + lift / 3) * tolerance_mm,
    )
    return _hull_geoms(cover(solid, closeness, MAX_GEOMS))


def _hull_geoms(pieces: Sequence[Array]) -> tuple[HullGeom, ...]:
    return tuple(HullGeom(vertices_mm=tuple(vector(corner) for corner in corners)) for corners in pieces)


def _measured(solid: Solid, geoms: tuple[Geom, ...], tolerance_mm: float) -> CollisionGeometry | None:
    found = deviation_of(solid, geoms, tolerance_mm)
    return CollisionGeometry(geoms=geoms, is_exact=False, deviation=found) if is_within_tolerance(found) else None
