"""Solids that are a box, a cylinder or a ball, or almost: small fillets and chamfers are left to the measurement."""

from math import pi

import numpy as np
from build123d import Face, GeomType, Solid
from contracts.models.geometry import Quaternion
from contracts.models.scene import BoxGeom, CylinderGeom, SphereGeom

from geometry.boxes import Array, OrientedBox, recognise_box, vector
from geometry.occt.shapes import plane_of
from geometry.occt.surfaces import cylinder_of, sphere_of

Primitive = BoxGeom | CylinderGeom | SphereGeom

PARALLEL = 1e-6
"""Sine of the angle below which directions are the same."""
SAME_MM = 1e-4
EXACT_VOLUME = 1e-6
"""Relative."""
EDGES_LOST = 0.02
"""Share of a primitive's volume that fillets and chamfers may have taken before it is not even tried."""


def exact_primitive(solid: Solid) -> Primitive | None:
    """Return the primitive that a solid is, or None."""
    if (box := recognise_box(solid)) is not None:
        return _box_geom(box)
    primitive = _ball(solid) or _cylinder(solid)
    if primitive is None or abs(volume_mm3(primitive) - solid.volume) > EXACT_VOLUME * solid.volume:
        return None
    return primitive


def near_primitives(solid: Solid) -> list[Primitive]:
    """Return primitives that a solid with rounded or bevelled edges may be taken for; measure before trusting them."""
    candidates: list[Primitive | None] = [_cylinder(solid), _bounding_box(solid)]
    return [
        candidate
        for candidate in candidates
        if candidate is not None and abs(1 - solid.volume / volume_mm3(candidate)) <= EDGES_LOST
    ]


def volume_mm3(primitive: Primitive) -> float:
    """Return the exact volume."""
    if isinstance(primitive, BoxGeom):
        return float(np.prod(primitive.size_mm))
    if isinstance(primitive, CylinderGeom):
        return pi * primitive.radius_mm**2 * primitive.length_mm
    return 4 / 3 * pi * primitive.radius_mm**3


def rotation_to(axis: Array) -> Quaternion:
    """Return w x y z of the shortest rotation that turns z into a unit vector."""
    if axis[2] < -1 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    turned = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    w, x, y, z = (float(value) for value in turned / np.linalg.norm(turned))
    return (w, x, y, z)


def _box_geom(box: OrientedBox) -> BoxGeom:
    return BoxGeom(center_mm=vector(box.center_mm), quaternion=box.quaternion, size_mm=vector(box.size_mm))


def _ball(solid: Solid) -> SphereGeom | None:
    faces = solid.faces()
    if any(face.geom_type != GeomType.SPHERE for face in faces):
        return None
    first, *others = (sphere_of(face) for face in faces)
    if any(not np.allclose(other.center_mm, first.center_mm, rtol=0, atol=SAME_MM) for other in others):
        return None
    return SphereGeom(center_mm=first.center_mm, radius_mm=first.radius_mm)


def _cylinder(solid: Solid) -> CylinderGeom | None:
    """Return the cylinder of the largest round face between the outermost flat faces across its axis."""
    round_faces = [face for face in solid.faces() if face.geom_type == GeomType.CYLINDER]
    if not round_faces:
        return None
    widest = cylinder_of(max(round_faces, key=lambda face: face.area))
    axis, point = np.array(widest.axis), np.array(widest.point_mm)
    ends = [offset for face in solid.faces() if (offset := _offset_across(face, axis, point)) is not None]
    if len(ends) < 2 or max(ends) - min(ends) < SAME_MM:
        return None
    return CylinderGeom(
        center_mm=vector(point + axis * (min(ends) + max(ends)) / 2),
        quaternion=rotation_to(axis),
        radius_mm=widest.radius_mm,
        length_mm=max(ends) - min(ends),
    )


def _offset_across(face: Face, axis: Array, point: Array) -> float | None:
    if face.geom_type != GeomType.PLANE:
        return None
    normal, place = (np.array(found) for found in plane_of(face))
    return float((place - point) @ axis) if np.linalg.norm(np.cross(normal, axis)) < PARALLEL else None


def _bounding_box(solid: Solid) -> BoxGeom | None:
    """Return the box around a solid along its largest flat face and the largest one that is square to it."""
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
