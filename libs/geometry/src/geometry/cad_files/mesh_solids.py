"""Solids from triangle meshes: watertight bodies become solids of flat faces, open ones are refused with the place."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections.abc import Sequence

import numpy as np
from build123d import Solid
from contracts.models.geometry import Box
from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeShapeOnMesh
from OCP.gp import gp_Pnt
from OCP.Poly import Poly_Triangle, Poly_Triangulation
from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain
from OCP.TopoDS import TopoDS_Shape
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from geometry.arrays import FloatArray, IntArray, as_vector
from geometry.boxes import are_within
from geometry.cad_files.contents import NamedSolid, UnusableFileError
from geometry.cad_files.explored import pieces_of
from geometry.cad_files.mesh_file import RawMesh
from geometry.cad_files.skins import shell_of, solid_of_shells
from geometry.display_mesh import MAX_FACES
from geometry.formatting import format_point
from geometry.self_intersection import overlap_of_triangles
from geometry.single_solid import MAX_SIZE_MM

WELD_SHARE = 1e-7
"""Corners closer than this share of the mesh's size are one: STL repeats each corner in every triangle."""
LEAST_VOLUME_MM3 = 1e-6


def solids_of_mesh(mesh: RawMesh, notes: list[str]) -> list[NamedSolid]:
    """Return the bodies of a mesh, each with its voids; raise `UnusableFileError` for an open mesh."""
    vertices, triangles = _welded(mesh)
    if not len(triangles):
        raise UnusableFileError("no_shape", "has no triangles in it; export it again with the part")
    _require_closed(vertices, triangles)
    bodies = _bodies(vertices, triangles)
    volumes = [_volume_mm3(vertices, body) for body in bodies]
    if max(volumes) <= 0:
        notes.append(f"{mesh.name} was inside out and was turned")
        bodies, volumes = [body[:, ::-1] for body in bodies], [-volume for volume in volumes]
    outer = [number for number, volume in enumerate(volumes) if volume > LEAST_VOLUME_MM3]
    voids = _voids_of(vertices, bodies, volumes)
    if not outer:
        raise UnusableFileError("open", "encloses no volume: its triangles lie in a plane, or on each other")
    _require_apart(vertices, [bodies[number] for number in outer])
    return [
        NamedSolid(
            mesh.name if len(outer) == 1 else f"{mesh.name} #{position}",
            _solid(vertices, bodies[number], [bodies[void] for void in voids.get(number, ())]),
            mesh.count,
            is_mesh=True,
        )
        for position, number in enumerate(outer, start=1)
    ]


def _welded(mesh: RawMesh) -> tuple[FloatArray, IntArray]:
    """Return the mesh with shared corners and without triangles that have no area."""
    vertices = mesh.vertices_mm
    if not np.isfinite(vertices).all() or (len(vertices) and np.abs(vertices).max() > MAX_SIZE_MM * 100):
        raise UnusableFileError("damaged", "has coordinates that are not finite or beyond all sizes; export it again")
    size = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 0.0
    grid = max(size * WELD_SHARE, 1e-9)
    _, first, index = np.unique(np.round(vertices / grid), axis=0, return_index=True, return_inverse=True)
    corners = index.reshape(-1)[mesh.triangles]
    is_proper = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    return vertices[first], corners[is_proper]


def _require_closed(vertices: FloatArray, triangles: IntArray) -> None:
    """Raise `UnusableFileError` unless every edge has one triangle on either side."""
    sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, index, uses = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True)
    forwards = np.bincount(index.reshape(-1), weights=(sides[:, 0] < sides[:, 1]), minlength=len(edges))
    is_open = uses % 2 == 1
    if is_open.any():
        ends = vertices[edges[is_open]].reshape(-1, 3)
        place = as_vector((ends.min(axis=0) + ends.max(axis=0)) / 2)
        raise UnusableFileError(
            "open",
            f"is an open mesh: {int(is_open.sum())} open edges around {format_point(place)}; close the holes, or "
            "export it again as a solid",
            place,
        )
    is_turned = forwards * 2 != uses
    if is_turned.any():
        place = as_vector(vertices[edges[is_turned][0]].mean(axis=0))
        raise UnusableFileError(
            "damaged",
            f"is a mesh whose triangles look both ways, such as at {format_point(place)}, and at "
            f"{int(is_turned.sum())} edges in all; unify the normals and export it again",
            place,
        )


def _bodies(vertices: FloatArray, triangles: IntArray) -> list[IntArray]:
    """Return the triangles of each connected piece."""
    pairs = triangles[:, [0, 1, 1, 2]].reshape(-1, 2)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(vertices), len(vertices)))
    _, piece_of = connected_components(graph, directed=False)
    pieces = piece_of[triangles[:, 0]]
    return [triangles[pieces == piece] for piece in np.unique(pieces)]


def _volume_mm3(vertices: FloatArray, triangles: IntArray) -> float:
    first, second, third = (vertices[triangles[:, corner]] - vertices[triangles[0, 0]] for corner in range(3))
    return float(np.einsum("nx,nx->n", first, np.cross(second, third)).sum() / 6)


def _voids_of(vertices: FloatArray, bodies: Sequence[IntArray], volumes: Sequence[float]) -> dict[int, list[int]]:
    """Return the voids of each body: pieces that are inside out, in the smallest body whose box is around them."""
    boxes = [(vertices[body].min(axis=(0, 1)), vertices[body].max(axis=(0, 1))) for body in bodies]
    found: dict[int, list[int]] = {}
    for number, volume in enumerate(volumes):
        if volume >= -LEAST_VOLUME_MM3:
            continue
        low, high = boxes[number]
        around = [
            other
            for other, (below, above) in enumerate(boxes)
            if volumes[other] > -volume and (below <= low).all() and (above >= high).all()
        ]
        if around:
            found.setdefault(min(around, key=lambda other: volumes[other]), []).append(number)
    return found


def _require_apart(vertices: FloatArray, bodies: Sequence[IntArray]) -> None:
    """Raise `UnusableFileError` for bodies of one mesh that overlap: what both fill would be counted twice."""
    spans = [Box.around(vertices[np.unique(body)].tolist()) for body in bodies]
    near = [
        number
        for number, span in enumerate(spans)
        if any(are_within(span, other, 0.0) for place, other in enumerate(spans) if place != number)
    ]
    if not near:
        return
    triangles = np.concatenate([bodies[number] for number in near])
    groups = np.repeat(near, [len(bodies[number]) for number in near])
    place = overlap_of_triangles(vertices[triangles], groups, Box.around(vertices[np.unique(triangles)].tolist()))
    if place is not None:
        raise UnusableFileError(
            "damaged",
            f"has bodies that overlap near {format_point(place)}, so that its volume is undefined; unite them and "
            "export it again",
            place,
        )


def _solid(vertices: FloatArray, outer: IntArray, voids: Sequence[IntArray]) -> Solid:
    return solid_of_shells(_shell(vertices, outer), [_shell(vertices, void) for void in voids])


def _shell(vertices: FloatArray, triangles: IntArray) -> TopoDS_Shape:
    """Return the triangles as a shell, those in one plane as one face."""
    used, corners = np.unique(triangles, return_inverse=True)
    mesh = Poly_Triangulation(len(used), len(triangles), False)
    for number, point in enumerate(vertices[used].tolist(), start=1):
        mesh.SetNode(number, gp_Pnt(*point))
    for number, triangle in enumerate((corners.reshape(-1, 3) + 1).tolist(), start=1):
        mesh.SetTriangle(number, Poly_Triangle(*triangle))
    made = BRepBuilderAPI_MakeShapeOnMesh(mesh)
    made.Build()
    unified = ShapeUpgrade_UnifySameDomain(shell_of(pieces_of(made.Shape(), "FACE")), True, True, False)
    unified.Build()
    faces = pieces_of(unified.Shape(), "FACE")
    if len(faces) > MAX_FACES:
        raise UnusableFileError(
            "too_complex",
            f"has {len(faces)} flat faces, at most {MAX_FACES} can be judged; export it more coarsely, or as STEP",
        )
    return shell_of(faces)
