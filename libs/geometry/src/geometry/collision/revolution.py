"""Decomposition of solids of revolution: convex pieces of the half profile, swept by sectors.

A sector's concave side is flat and touches the bore in its middle: with N sectors a bore of radius R becomes a polygon
around it, R (1 / cos(pi / N) - 1) too wide at its corners and nowhere too narrow.
"""

from math import acos, ceil, cos, pi

import numpy as np
from build123d import CenterOf, Face, GeomType, Plane, Solid, Vector

from geometry.arrays import BoolArray, FloatArray
from geometry.collision.outlines import Outline, outline_of
from geometry.collision.polygon_cover import cover_polygon
from geometry.occt.sections import section_of, wires_of
from geometry.occt.surfaces import axis_of, plane_of, sphere_of

SAME_MM = 1e-4
ON_EDGE_MM = 1e-5
PARALLEL = 1e-6
"""Sine of the largest angle between directions that count as parallel."""
EXACT_VOLUME = 1e-4
"""Relative."""
LIFTS = (0.0, 0.5, 0.75)
"""Of concave curves of the profile, in tolerances: a bowl takes fewer facets if they protrude a little."""
COVERED = 0.1
"""Distance from the profile's edges up to which its pieces fill it, in tolerances."""
OUTSIDE = 0.25
"""Largest depth of outer facets under the surface, in tolerances: finer ones cost only corners."""
LEAST_ALLOWED = 0.1
"""Share of the tolerance that sectors may use where a freeform profile has used it up."""
FEWEST_SECTORS = 6
"""Of a piece at a bore."""
SECTORS = (4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40)
"""Numbers of sectors to try for a piece within the material."""
SHRINKAGE = 1e-3
MAX_CORNERS = 300
"""Of a piece around the axis."""
FREEFORM = (GeomType.BSPLINE, GeomType.BEZIER, GeomType.OTHER)
"""Types that fillets may give to surfaces of revolution; volume and deviation decide whether the solid is one."""


def decompose_revolution(solid: Solid, tolerance_mm: float, limit: int) -> list[FloatArray] | None:
    """Return the corners (k, 3) of at most `limit` convex pieces; None if they do not suffice or for other solids."""
    plane = _half_plane(solid)
    if plane is None:
        return None
    reach = 2 * float(solid.bounding_box().diagonal) + float((solid.center() - plane.origin).length)
    faces = section_of(solid, plane, (0.0, -reach), (reach, reach))
    if len(faces) != 1:
        return None
    offset = float((faces[0].center(CenterOf.MASS) - plane.origin).dot(plane.x_dir))
    if abs(2 * pi * offset * faces[0].area - solid.volume) > EXACT_VOLUME * solid.volume:
        return None
    for lift in LIFTS:
        wires = wires_of(faces[0], plane, (1 + lift) / 2 * tolerance_mm)
        outline = outline_of(wires, lift * tolerance_mm)
        # A piece may be longer than needed along a cylindrical bore, but would get too wide along a cone or a bowl.
        sloped = (outline.normals[:, 0] < -PARALLEL) & (np.abs(outline.normals[:, 1]) > PARALLEL)
        profile = cover_polygon(outline, COVERED * tolerance_mm, limit, sloped)
        pieces = [piece for corners in profile for piece in _sweep(corners, outline, tolerance_mm)]
        if len(pieces) <= limit:
            return [_to_world(piece, plane) for piece in pieces]
    return None


def _half_plane(solid: Solid) -> Plane | None:
    """Return a plane with the axis as its y if all faces are surfaces of revolution about one axis."""
    line = _axis(solid)
    if line is None:
        return None
    point, axis = line
    if not all(_is_coaxial(face, point, axis) for face in solid.faces()):
        return None
    # askew to the usual positions of seams
    across = np.cross(axis, [0.31, 0.87, 0.39] if abs(axis[1]) < 0.8 else [0.87, 0.31, 0.39])
    across /= np.linalg.norm(across)
    return Plane(Vector(*point), x_dir=Vector(*across), z_dir=Vector(*np.cross(across, axis)))


def _is_coaxial(face: Face, point: FloatArray, axis: FloatArray) -> bool:
    if face.geom_type == GeomType.PLANE:
        return _is_parallel(np.array(plane_of(face)[0]), axis)
    if face.geom_type == GeomType.SPHERE:
        return _is_on_axis(np.array(sphere_of(face).center_mm), point, axis)
    if (own := axis_of(face)) is None:
        return face.geom_type in FREEFORM
    return _is_parallel(np.array(own[1]), axis) and _is_on_axis(np.array(own[0]), point, axis)


def _axis(solid: Solid) -> tuple[FloatArray, FloatArray] | None:
    faces = solid.faces()
    for face in faces:
        if (line := axis_of(face)) is not None:
            return np.array(line[0]), np.array(line[1])
    centers = [np.array(sphere_of(face).center_mm) for face in faces if face.geom_type == GeomType.SPHERE]
    normals = [np.array(plane_of(face)[0]) for face in faces if face.geom_type == GeomType.PLANE]
    if not centers:
        return None
    apart = max((center - centers[0] for center in centers), key=lambda offset: float(np.linalg.norm(offset)))
    if normals:
        return centers[0], normals[0]
    length = float(np.linalg.norm(apart))
    return centers[0], apart / length if length > SAME_MM else np.array([0.0, 0.0, 1.0])


def _is_parallel(direction: FloatArray, axis: FloatArray) -> bool:
    return float(np.linalg.norm(np.cross(direction, axis))) < PARALLEL


def _is_on_axis(place: FloatArray, point: FloatArray, axis: FloatArray) -> bool:
    return float(np.linalg.norm(np.cross(place - point, axis))) < SAME_MM


def _sweep(corners: FloatArray, outline: Outline, tolerance_mm: float) -> list[FloatArray]:
    """Return the corners (k, 3), radially, tangentially and axially, of one piece of the profile in every sector."""
    ends = np.roll(corners, -1, axis=0)
    faces_axis = (ends[:, 1] - corners[:, 1] < -ON_EDGE_MM) & (np.maximum(corners[:, 0], ends[:, 0]) > SAME_MM)
    step = _outer_step(float(corners[:, 0].max()), OUTSIDE * tolerance_mm)
    if corners[:, 0].min() < SAME_MM and not faces_axis.any():
        turns = min(ceil(2 * pi / step), MAX_CORNERS // len(corners))
        return [_at_angles(corners, np.linspace(-pi, pi, turns, endpoint=False))]
    concave, sectors = _concave_sides(corners, ends, outline, tolerance_mm)
    if concave.any():
        inner = concave | np.roll(concave, 1) | (faces_axis & np.roll(faces_axis, 1))
    else:
        inner, sectors = concave, _fewest_sectors(corners, ends, outline)
    half = pi / sectors
    widened = _at_angles(corners[inner] * np.array([1 / cos(half), 1.0]), np.array([-half, half]))
    first = np.vstack([widened, _at_angles(corners[~inner], np.linspace(-half, half, ceil(2 * half / step) + 1))])
    return [_rotated(first, 2 * half * number) for number in range(sectors)]


def _outer_step(radius_mm: float, allowed_mm: float) -> float:
    """Return the angle between points of an outer circle whose chords are at most `allowed_mm` inside it."""
    return 2 * acos(max(0.5, 1 - allowed_mm / radius_mm))


def _concave_sides(
    corners: FloatArray, ends: FloatArray, outline: Outline, tolerance_mm: float
) -> tuple[BoolArray, int]:
    """Return which sides (k,) of a piece are on a concave surface, and the number of sectors that they need."""
    concave = np.zeros(len(corners), dtype=np.bool_)
    sectors = FEWEST_SECTORS
    facing = np.flatnonzero(outline.normals[:, 0] < -PARALLEL)
    for side, (start, end) in enumerate(zip(corners, ends, strict=True)):
        for edge in facing:
            radius = _shared_radius(start, end, outline.starts_mm[edge], outline.ends_mm[edge])
            if radius > SAME_MM:
                concave[side] = True
                radius *= -float(outline.normals[edge, 0])
                allowed = max(LEAST_ALLOWED * tolerance_mm, tolerance_mm - float(outline.depth_mm[edge]))
                sectors = max(sectors, ceil(pi / acos(radius / (radius + allowed)) - PARALLEL))
    return concave, sectors


def _shared_radius(start: FloatArray, end: FloatArray, first: FloatArray, last: FloatArray) -> float:
    """Return the largest radius at which a side coincides with an edge of the profile; 0 if it does not."""
    length = float(np.linalg.norm(end - start))
    if length < ON_EDGE_MM:
        return 0.0
    along = (end - start) / length
    normal = np.array([along[1], -along[0]])
    if max(abs(normal @ (first - start)), abs(normal @ (last - start))) > ON_EDGE_MM:
        return 0.0
    low, high = max(0.0, float(along @ (first - start))), min(length, float(along @ (last - start)))
    return max(float((start + low * along)[0]), float((start + high * along)[0])) if high - low > ON_EDGE_MM else 0.0


def _fewest_sectors(corners: FloatArray, ends: FloatArray, outline: Outline) -> int:
    """Return the number of sectors that keeps the chords on the inner side of a piece in the material."""
    shares = np.linspace(0.0, 1.0, 9)[:, None, None]
    points = (corners + shares * (ends - corners)).reshape(-1, 2)
    middle = corners.mean(axis=0)
    points = middle + (1 - SHRINKAGE) * (points - middle)  # off the surface, where inside and outside meet
    for sectors in SECTORS:
        if len(outline.indexes_inside(points * np.array([cos(pi / sectors), 1.0]), 0.0)) == len(points):
            return sectors
    return SECTORS[-1]


def _at_angles(corners: FloatArray, angles: FloatArray) -> FloatArray:
    """Return corners (k, 2) of the half plane at every angle, (k * n, 3): radially, tangentially and axially."""
    radii, heights = np.repeat(corners[:, 0], len(angles)), np.repeat(corners[:, 1], len(angles))
    turns = np.tile(angles, len(corners))
    return np.column_stack([radii * np.cos(turns), radii * np.sin(turns), heights])


def _rotated(points: FloatArray, angle: float) -> FloatArray:
    x, y, z = points.T
    return np.column_stack([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), z])


def _to_world(points: FloatArray, plane: Plane) -> FloatArray:
    axes = np.array([tuple(plane.x_dir), tuple(-plane.z_dir), tuple(plane.y_dir)])
    return np.unique(np.round(np.array(tuple(plane.origin)) + points @ axes, 6), axis=0)
