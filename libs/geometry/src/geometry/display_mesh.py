"""The surface of a solid for pictures."""

import numpy as np
from build123d import Solid
from contracts.models.scene import Surface

from geometry.occt.solid_mesh import TriangleMesh, mesh_of

CHORD_MM = 0.1
"""How far a triangle may lie from a curved surface."""
ANGLE_RAD = 0.3
COARSER = 4.0
ATTEMPTS = 3
MAX_TRIANGLES = 60_000
"""Of one part: what a picture can show and a message can carry."""
MAX_FACES = 20_000
"""Of one part: a flat face is two triangles at least, and meshing so many takes longer than anybody waits."""


class TooManyTrianglesError(ValueError):
    """A part has more faces than can be drawn or simulated."""


def surface_of(solid: Solid) -> Surface:
    """Return the closed surface, outward, packed; raise `TooManyTrianglesError` beyond `MAX_TRIANGLES`.

    A part with many curved faces is drawn more coarsely first, up to 16 times `CHORD_MM`.
    """
    mesh = _bounded_mesh(solid)
    return Surface(
        vertices_mm=mesh.vertices_mm.astype("<f4").tobytes(),
        triangles=mesh.triangles.astype("<i4").tobytes(),
    )


def require_few_faces(solid: Solid) -> None:
    """Raise `TooManyTrianglesError` before anything slow is done with a solid of too many faces."""
    faces = len(solid.faces())
    if faces > MAX_FACES:
        raise TooManyTrianglesError(
            f"{faces} faces around {_place(solid)}; at most {MAX_FACES} can be drawn and simulated. "
            "Build the part from few exact faces (extrude, revolve, sweep) instead of importing a mesh"
        )


def _bounded_mesh(solid: Solid) -> TriangleMesh:
    require_few_faces(solid)
    mesh = mesh_of(solid, CHORD_MM, ANGLE_RAD)
    for attempt in range(1, ATTEMPTS):
        if len(mesh.triangles) <= MAX_TRIANGLES:
            return mesh
        mesh = mesh_of(solid, CHORD_MM * COARSER**attempt, ANGLE_RAD * COARSER**attempt)
    if len(mesh.triangles) <= MAX_TRIANGLES:
        return mesh
    raise TooManyTrianglesError(
        f"{len(mesh.triangles)} triangles around {_place(solid)} even {CHORD_MM * COARSER ** (ATTEMPTS - 1):g} mm "
        f"coarse; at most {MAX_TRIANGLES} are drawn. Leave out threads, knurls and texts, or split the part"
    )


def _place(solid: Solid) -> str:
    center = np.round(tuple(solid.bounding_box().center()), 1)
    return "(" + ", ".join(f"{value:g}" for value in center) + ") mm"
