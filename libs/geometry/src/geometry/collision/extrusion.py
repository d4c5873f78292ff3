"""Decomposition of extruded solids into prisms over convex pieces of their profile."""

import numpy as np
from build123d import Face, GeomType, Plane, Solid, Vector

from geometry.arrays import FloatArray
from geometry.collision.outlines import outline_of
from geometry.collision.polygon_cover import cover_polygon
from geometry.occt.sections import section_of, wires_of
from geometry.occt.surfaces import cylinder_of, extrusion_direction, plane_of

PARALLEL = 1e-6
"""Sine of the largest angle between directions that count as parallel or perpendicular."""
SAME_MM = 1e-4
EXACT_VOLUME = 1e-5
"""Relative."""
COVERED = 0.1
"""Distance from the profile's edges up to which its pieces fill it, in tolerances."""


def decompose_extrusion(solid: Solid, tolerance_mm: float, limit: int) -> list[FloatArray] | None:
    """Return the corners (k, 3) of at most `limit` convex prisms; None if they do not suffice or for other solids."""
    faces = solid.faces()
    planes = [plane_of(face) for face in faces if face.geom_type == GeomType.PLANE]
    normals, points = np.array([normal for normal, _ in planes]), np.array([point for _, point in planes])
    curved = [face for face in faces if face.geom_type != GeomType.PLANE]
    for direction in normals:
        is_end = _sines(normals, direction) < PARALLEL
        is_side = np.abs(normals @ direction) < PARALLEL
        if (is_end | is_side).all() and all(_runs_along(face, direction) for face in curved):
            ends = points[is_end] @ direction
            low, high = float(ends.min()), float(ends.max())
            if np.minimum(ends - low, high - ends).max() < SAME_MM:
                return _prisms(solid, direction, (low, high), tolerance_mm, limit)
    return None


def _runs_along(face: Face, direction: FloatArray) -> bool:
    if face.geom_type == GeomType.CYLINDER:
        return bool(_sines(np.array(cylinder_of(face).axis), direction) < PARALLEL)
    return face.geom_type == GeomType.EXTRUSION and bool(
        _sines(np.array(extrusion_direction(face)), direction) < PARALLEL
    )


def _prisms(
    solid: Solid, direction: FloatArray, ends: tuple[float, float], tolerance_mm: float, limit: int
) -> list[FloatArray] | None:
    center = np.array(tuple(solid.center()))
    middle = center + ((ends[0] + ends[1]) / 2 - center @ direction) * direction
    plane = Plane(Vector(*middle), z_dir=Vector(*direction))
    reach = float(solid.bounding_box().diagonal)
    faces = section_of(solid, plane, (-reach, -reach), (reach, reach))
    length = ends[1] - ends[0]
    if len(faces) != 1 or abs(faces[0].area * length - solid.volume) > EXACT_VOLUME * solid.volume:
        return None
    outline = outline_of(wires_of(faces[0], plane, tolerance_mm), 0.0)
    if outline.area_mm2 <= 0:  # the tangents of a sliver cross
        return None
    profile = cover_polygon(outline, COVERED * tolerance_mm, limit + 1)
    if len(profile) > limit:
        return None
    axes = np.array([tuple(plane.x_dir), tuple(plane.y_dir)])
    flat = [middle + corners @ axes for corners in profile]
    return [np.vstack([piece - length / 2 * direction, piece + length / 2 * direction]) for piece in flat]


def _sines(directions: FloatArray, other: FloatArray) -> FloatArray:
    """Return (n,): the sines of the angles between directions (n, 3) and another one."""
    return np.linalg.norm(np.cross(directions, other), axis=-1)
