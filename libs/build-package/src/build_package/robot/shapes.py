"""Shapes of links: the exact surface of each part to be seen, and the judge's convex shapes to be touched."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import atan2, hypot

import numpy as np
from build123d import Solid
from contracts.models.geometry import Quaternion, Vector
from contracts.models.label import file_name
from contracts.models.scene import HullGeom, SphereGeom
from geometry.arrays import FloatArray, IntArray, as_vector
from geometry.occt.meshes import closed_mesh
from geometry.rotations import matrix_of
from geometry.spatial import convex_hull

from build_package.printing.mesh_files import NamedMesh, as_stl
from build_package.robot.links import MM, Link

CHORD_MM, ANGLE_RAD = 0.05, 0.2
"""Of the triangles."""


@dataclass(frozen=True)
class Shape:
    """A shape of a link, in metres; its place is from the link's frame."""

    kind: str
    """`mesh`, `box`, `cylinder` or `sphere`, as both formats call them."""
    place_m: Vector
    angles_rad: Vector = (0.0, 0.0, 0.0)
    """Turns about the fixed x, y and z axes, in this order."""
    file: str = ""
    size_m: tuple[float, ...] = ()
    """Edges of a box; radius and length of a cylinder; radius of a sphere."""


@dataclass(frozen=True)
class LinkShapes:
    """The shapes of one link, and the meshes that they name, in mm and in the world's place, by path."""

    seen: tuple[Shape, ...]
    touched: tuple[Shape, ...]
    files: Mapping[str, bytes]


def link_shapes(link: Link, solid: Solid | None) -> LinkShapes:
    """Return the shapes of a link with a body; a body of the benchmark, whose solid is not at hand, shows what it is
    touched by."""
    assert link.body is not None
    files: dict[str, bytes] = {}
    touched = tuple(_touched(link, files))
    if solid is None:
        return LinkShapes(touched, touched, files)
    path = f"meshes/{file_name(link.name)}.stl"
    mesh = closed_mesh(solid, CHORD_MM, ANGLE_RAD)
    files[path] = as_stl(NamedMesh(link.name, "", mesh.vertices_mm, mesh.triangles))
    return LinkShapes((_mesh(link, path),), touched, files)


def _touched(link: Link, files: dict[str, bytes]) -> Iterator[Shape]:
    assert link.body is not None
    for number, geom in enumerate(link.body.geoms, start=1):
        if isinstance(geom, HullGeom):
            path = f"meshes/{file_name(link.name)}-hull-{number}.stl"
            vertices = np.array(geom.vertices_mm)
            files[path] = as_stl(NamedMesh(f"{link.name}-{number}", "", vertices, _facets(vertices)))
            yield _mesh(link, path)
            continue
        place = as_vector((np.array(geom.center_mm) - link.origin_mm) * MM)
        if isinstance(geom, SphereGeom):
            yield Shape("sphere", place, size_m=(geom.radius_mm * MM,))
        elif geom.kind == "cylinder":
            size = (geom.radius_mm * MM, geom.length_mm * MM)
            yield Shape("cylinder", place, _angles(geom.quaternion), size_m=size)
        else:
            yield Shape("box", place, _angles(geom.quaternion), size_m=tuple(edge * MM for edge in geom.size_mm))


def _mesh(link: Link, path: str) -> Shape:
    return Shape("mesh", as_vector(-link.origin_mm * MM), file=path)


def _facets(vertices: FloatArray) -> IntArray:
    """Return the triangles of a hull, counter-clockwise seen from outside."""
    triangles = convex_hull(vertices)[2]
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = ((corners.mean(axis=1) - vertices.mean(axis=0)) * normals).sum(axis=1) < 0
    triangles[inwards] = triangles[inwards][:, ::-1]
    return triangles


def _angles(quaternion: Quaternion) -> Vector:
    """Return roll, pitch and yaw."""
    turned = matrix_of(quaternion)
    pitch = atan2(-turned[2, 0], hypot(turned[0, 0], turned[1, 0]))
    if hypot(turned[0, 0], turned[1, 0]) < 1e-9:  # only the sum or difference of the other two is known
        return (atan2(-turned[1, 2], turned[1, 1]), pitch, 0.0)
    return (atan2(turned[2, 1], turned[2, 2]), pitch, atan2(turned[1, 0], turned[0, 0]))
