"""The exact shape of a payload, and that of a solid which an environment's code builds as its payload."""

import numpy as np
from build123d import Axis, Edge, Face, Location, Plane, Shell, Solid, Wire
from contracts.models.benchmark import Payload
from contracts.models.geometry import Vector, rotated
from geometry.arrays import FloatArray, IntArray, as_vector
from geometry.occt.meshes import closed_mesh
from geometry.spatial import convex_hull

from design_rules.bodies.solid_bodies import SolidBody

MAX_HULL_CORNERS = 500
HOLLOW_SHARE = 1e-3
"""Share of its hull that a convex solid may lack, by rounding."""
EDGES_MM = 0.1
"""How far the box around the solid may be from that of the file."""
ANGLE_RAD = 0.2
CHORD_SHARE = 0.005
"""Of its longest edge: how far the corners' hull may be from a round surface."""


class UnfitPayloadError(ValueError):
    """A solid cannot be a payload; the message continues a sentence about it, with advice."""


def payload_body(payload: Payload) -> SolidBody:
    """Return a payload at its start."""
    x_axis, z_axis = (rotated(axis, payload.start_quaternion) for axis in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    place = Location(Plane(payload.start_mm, x_dir=x_axis, z_dir=z_axis))
    return SolidBody(payload.label, payload_solid(payload).moved(place))


def payload_solid(payload: Payload) -> Solid:
    """Return a payload around the origin, along its own axes."""
    radius, (x, y, z) = payload.size_mm / 2, payload.extents_mm
    match payload.shape:
        case "ball":
            return Solid.make_sphere(radius, angle1=-90, angle2=90)
        case "cube" | "box":
            return Solid.make_box(x, y, z).moved(Location((-x / 2, -y / 2, -z / 2)))
        case "cylinder":
            return Solid.make_cylinder(radius, z).moved(Location((0, 0, -z / 2)))
        case "capsule":
            return _capsule(radius, z / 2)
        case "solid":
            return _polyhedron(np.array(payload.corners_mm))


def hull_corners(solid: Solid, payload: Payload) -> tuple[Vector, ...]:
    """Return the corners of a convex solid that lies around the origin; raise `UnfitPayloadError`."""
    mesh = closed_mesh(solid, CHORD_SHARE * payload.size_mm, ANGLE_RAD)
    _, _, triangles = convex_hull(mesh.vertices_mm)
    corners = mesh.vertices_mm[np.unique(triangles)]
    _require_edges(corners, payload)
    missing = 1 - _volume_mm3(mesh.corners_mm) / _hull_volume_mm3(mesh.vertices_mm, triangles)
    if missing > HOLLOW_SHARE:
        raise UnfitPayloadError(
            f"is not convex: it fills {1 - missing:.1%} of its hull; physics collides with the hull, so build that"
        )
    if len(corners) > MAX_HULL_CORNERS:
        raise UnfitPayloadError(
            f"has {len(corners)} corners once its round faces are divided, at most {MAX_HULL_CORNERS} are possible; "
            "use fewer or smaller round faces"
        )
    rounded: FloatArray = np.round(corners, 6)
    return tuple(as_vector(corner) for corner in rounded)


def _require_edges(corners: FloatArray, payload: Payload) -> None:
    half = np.array(payload.extents_mm) / 2
    ends = np.array([corners.min(axis=0), corners.max(axis=0)])
    if np.abs(ends - np.array([-half, half])).max() > EDGES_MM:
        low, high = (", ".join(f"{each:g}" for each in end) for end in np.round(ends, 3))
        raise UnfitPayloadError(
            f"reaches from ({low}) to ({high}) mm, but payload.edges_mm is {payload.size_text} around the origin; "
            "build it from variant.payload.edges_mm, with the middle of its box at (0, 0, 0)"
        )


def _volume_mm3(corners_mm: FloatArray) -> float:
    """Return the volume inside closed triangles (m, 3, 3), counter-clockwise seen from outside."""
    first, second, third = corners_mm.transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", first, np.cross(second, third)).sum()) / 6


def _hull_volume_mm3(points_mm: FloatArray, triangles: IntArray) -> float:
    """Return the volume of a hull whose triangles are turned any way."""
    corners = points_mm[triangles] - points_mm.mean(axis=0)
    first, second, third = corners.transpose(1, 0, 2)
    return float(np.abs(np.einsum("ij,ij->i", first, np.cross(second, third))).sum()) / 6


def _capsule(radius: float, half_length: float) -> Solid:
    low, high = -half_length, half_length
    middle = half_length - radius
    bend = radius / 2**0.5
    outline = [
        Edge.make_three_point_arc((0, 0, low), (bend, 0, -middle - bend), (radius, 0, -middle)),
        Edge.make_three_point_arc((radius, 0, middle), (bend, 0, middle + bend), (0, 0, high)),
        Edge.make_line((0, 0, high), (0, 0, low)),
    ]
    if middle > 0:
        outline.insert(1, Edge.make_line((radius, 0, -middle), (radius, 0, middle)))
    return Solid.revolve(Face(Wire(outline)), 360, Axis.Z)


def _polyhedron(corners_mm: FloatArray) -> Solid:
    _, _, triangles = convex_hull(corners_mm)
    faces = [Face(Wire.make_polygon([tuple(corners_mm[corner]) for corner in triangle])) for triangle in triangles]
    return Solid(Shell(faces)).fix()
