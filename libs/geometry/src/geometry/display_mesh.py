"""The triangulated surface of a solid for images and videos."""

from build123d import Solid
from contracts.models.geometry import Vector
from contracts.models.scene import Surface

from geometry.formatting import format_point
from geometry.occt.meshes import TriangleMesh, closed_mesh

CHORD_MM = 0.1
"""Largest distance of a triangle from a curved surface."""
ANGLE_RAD = 0.3
COARSENING = 4.0
ATTEMPTS = 3
MAX_TRIANGLES = 60_000
"""Of one part: what an image can show and a message can carry."""
MAX_FACES = 20_000
"""Of one part: a flat face has at least two triangles, and meshing more faces takes minutes."""


class TooManyTrianglesError(ValueError):
    """A part has more faces or triangles than can be drawn or simulated."""


def display_surface(solid: Solid) -> Surface:
    """Return the closed surface, normals outward, packed; raise `TooManyTrianglesError` beyond `MAX_TRIANGLES`.

    A part with many curved faces is meshed more coarsely, up to 16 times `CHORD_MM`.
    """
    mesh = _bounded_mesh(solid)
    return Surface(
        vertices_mm=mesh.vertices_mm.astype("<f4").tobytes(),
        triangles=mesh.triangles.astype("<i4").tobytes(),
    )


def require_few_faces(solid: Solid) -> None:
    """Raise `TooManyTrianglesError` for more than `MAX_FACES` faces, before any slow operation."""
    faces = len(solid.faces())
    if faces > MAX_FACES:
        raise TooManyTrianglesError(
            f"{faces} faces around {format_point(_center(solid))}; at most {MAX_FACES} can be drawn and simulated. "
            "Build the part from few exact faces (extrude, revolve, sweep) instead of importing a mesh"
        )


def _bounded_mesh(solid: Solid) -> TriangleMesh:
    require_few_faces(solid)
    mesh = closed_mesh(solid, CHORD_MM, ANGLE_RAD)
    for attempt in range(1, ATTEMPTS):
        if len(mesh.triangles) <= MAX_TRIANGLES:
            return mesh
        mesh = closed_mesh(solid, CHORD_MM * COARSENING**attempt, ANGLE_RAD * COARSENING**attempt)
    if len(mesh.triangles) <= MAX_TRIANGLES:
        return mesh
    chord_mm = CHORD_MM * COARSENING ** (ATTEMPTS - 1)
    raise TooManyTrianglesError(
        f"{len(mesh.triangles)} triangles around {format_point(_center(solid))} even at a chord height of "
        f"{chord_mm:g} mm; at most {MAX_TRIANGLES} are drawn. Leave out threads, knurls and text, or split the part"
    )


def _center(solid: Solid) -> Vector:
    x, y, z = solid.bounding_box().center()
    return (x, y, z)
