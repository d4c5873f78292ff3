"""Recognition of boxes, cylinders and balls, also with small fillets and chamfers, whose effect is measured later."""

from math import pi

import numpy as np
from build123d import Face, GeomType, Solid
from contracts.models.scene import BoxGeom, CylinderGeom, SphereGeom

from geometry.arrays import FloatArray, as_vector
from geometry.boxes import OrientedBox, recognise_box
from geometry.occt.surfaces import cylinder_of, plane_of, sphere_of
from geometry.rotations import quaternion_to

Primitive = BoxGeom | CylinderGeom | SphereGeom

PARALLEL = 1e-6
"""Sine of the largest angle between directions that count as parallel."""
SAME_MM = 1e-4
EXACT_VOLUME = 1e-6
"""Relative."""
EDGES_LOST = 0.02
"""Largest share of a primitive's volume that fillets and chamfers may take for it to be tried."""


def exact_primitive(solid: Solid) -> Primitive | None:
    """Return the primitive that a solid is, or None."""
    if (box := recognise_box(solid)) is not None:
        return _box_geom(box)
    primitive = _ball(solid) or _cylinder(solid)
    if primitive is None or abs(volume_mm3(primitive) - solid.volume) > EXACT_VOLUME * solid.volume:
        return None
    return primitive


def near_primitives(solid: Solid) -> list[Primitive]:
    """Return primitives that may represent a solid with rounded or bevelled edges; their deviation is not known."""
    candidates: list[Primitive | None] = [_cylinder(solid), _bounding_box(solid)]
    return [
        candidate
        for candidate in candidates
        if candidate is not None and abs(1 - solid.volume / volume_mm3(candidate)) <= EDGES_LOST
    ]


def volume_mm3(primitive: Primitive) -> float:
    if isinstance(primitive, BoxGeom):
        return float(np.prod(primitive.size_mm))
    if isinstance(primitive, CylinderGeom):
        return pi * primitive.radius_mm**2 * primitive.length_mm
    return 4 / 3 * pi * primitive.radius_mm**3


def _box_geom(box: OrientedBox) -> BoxGeom:
    return BoxGeom(center_mm=as_vector(box.center_mm), quaternion=box.quaternion, size_mm=as_vector(box.size_mm))


def _ball(solid: Solid) -> SphereGeom | None:
    faces = solid.faces()
    if any(face.geom_type != GeomType.SPHERE for face in faces):
        return None
    first, *others = (sphere_of(face) for face in faces)
    if any(not np.allclose(other.center_mm, first.center_mm, rtol=0, atol=SAME_MM) for other in others):
        return None
    return SphereGeom(center_mm=first.center_mm, radius_mm=first.radius_mm)


def _cylinder(solid: Solid) -> CylinderGeom | None:
    """Return the cylinder of the largest cylindrical face between the outermost flat faces across its axis."""
    round_faces = [face for face in solid.faces() if face.geom_type == GeomType.CYLINDER]
    if not round_faces:
        return None
    widest = cylinder_of(max(round_faces, key=lambda face: face.area))
    axis, point = np.array(widest.axis), np.array(widest.point_mm)
    ends = [offset for face in solid.faces() if (offset := _offset_across(face, axis, point)) is not None]
    if len(ends) < 2 or max(ends) - min(ends) < SAME_MM:
        return None
    return CylinderGeom(
        center_mm=as_vector(point + axis * (min(ends) + max(ends)) / 2),
        quaternion=quaternion_to(axis),
        radius_mm=widest.radius_mm,
        length_mm=max(ends) - min(ends),
    )


def _offset_across(face: Face, axis: FloatArray, point: FloatArray) -> float | None:
    if face.geom_type != GeomType.PLANE:
        return None
    normal, on_plane = (np.array(each) for each in plane_of(face))
    return float((on_plane - point) @ axis) if np.linalg.norm(np.cross(normal, axis)) < PARALLEL else None


def _bounding_box(solid: Solid) -> BoxGeom | None:
    """Return the bounding box along a solid's largest flat face and the largest one perpendicular to it."""
    normals = [
        np.array(plane_of(face)[0])
        for face in sorted(solid.faces(), key=lambda face: -face.area)
        if face.geom_type == GeomType.PLANE
    ]
    second = next((normal for normal in normals if abs(normal @ normals[0]) < PARALLEL), None)
    if second is None:
        return None
    axes = np.array([normals[0], second, np.cross(normals[0], second)])
    points = np.array([tuple(vertex) for vertex in solid.vertices()]) @ axes.T
    low, high = points.min(axis=0), points.max(axis=0)
    if (high - low).min() < SAME_MM:
        return None
    return _box_geom(OrientedBox(axes.T @ ((low + high) / 2), axes, high - low))
