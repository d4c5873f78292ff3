"""Triangulations of solids: per face, or as one closed mesh."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass

import numpy as np
from build123d import Solid
from OCP.BRep import BRep_Tool
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.IMeshTools import IMeshTools_MeshAlgoType, IMeshTools_Parameters
from OCP.ShapeUpgrade import ShapeUpgrade_ShapeDivideClosed
from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Face, TopoDS_Shape

from geometry.arrays import FloatArray, IntArray
from geometry.occt.measures import face_area_mm2

WELD_MM = 1e-5
"""Vertices of neighbouring faces that are closer than this are one vertex."""
LEAST_MM2 = 1e-3
"""Smaller faces may be left without triangles."""
_ALGORITHMS = (
    IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_DEFAULT,
    IMeshTools_MeshAlgoType.IMeshTools_MeshAlgoType_Delabella,
)
"""OCCT's own first; the second for planar faces with edges of micrometres, which the first leaves empty."""
# Two ways to turn a triangle over. Points sampled on triangles depend on the order of the corners: neither may change.
_FLIP_IN_FACE_MESH = [0, 2, 1]
_FLIP_IN_CLOSED_MESH = [2, 1, 0]


@dataclass(frozen=True)
class FaceTriangles:
    """The triangulation of one face."""

    vertices_mm: FloatArray
    """(n, 3)"""
    triangles: IntArray
    """(m, 3), counter-clockwise seen from outside the solid."""
    parameters: FloatArray
    """(n, 2): u and v of each vertex on the face's surface."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles, counter-clockwise seen from outside; neighbouring triangles share vertices."""

    vertices_mm: FloatArray
    """(n, 3), world."""
    triangles: IntArray
    """(m, 3)."""
    faces: IntArray
    """(m,): index of the face that each triangle lies on, in the order of `solid.faces()`."""

    @property
    def corners_mm(self) -> FloatArray:
        """(m, 3, 3)."""
        return self.vertices_mm[self.triangles]


def face_meshes(solid: Solid, deflection_mm: float, angle_rad: float) -> list[FaceTriangles]:
    """Return the triangles of each face, in the order of `solid.faces()`. Neighbouring faces share no vertices."""
    return _meshes(solid, deflection_mm, angle_rad, _FLIP_IN_FACE_MESH)


def closed_mesh(solid: Solid, chord_mm: float, angle_rad: float) -> TriangleMesh:
    """Return triangles at most `chord_mm` from the solid's surface, at most `angle_rad` between neighbours."""
    meshes = _meshes(solid, chord_mm, angle_rad, _FLIP_IN_CLOSED_MESH)
    found = joined(meshes)
    BRepTools.Clean_s(solid.wrapped)
    faces = [np.full(len(mesh.triangles), number) for number, mesh in enumerate(meshes)]
    return _weld(found.vertices_mm, found.triangles, np.concatenate(faces))


def _meshes(solid: Solid, deflection_mm: float, angle_rad: float, flip: list[int]) -> list[FaceTriangles]:
    faces = _faces_of(solid.wrapped)
    for algorithm in _ALGORITHMS:
        _triangulate(solid.wrapped, deflection_mm, angle_rad, algorithm)
        found = [_face_triangles(face, flip) for face in faces]
        if not _are_missing(faces, found):
            return found
    division = ShapeUpgrade_ShapeDivideClosed(solid.wrapped)  # OCCT leaves some faces empty that close on themselves
    division.Perform()
    _triangulate(division.Result(), deflection_mm, angle_rad, _ALGORITHMS[0])
    pieces = [_faces_of(division.GetContext().Apply(face)) for face in faces]
    return [joined([_face_triangles(piece, flip) for piece in each]) for each in pieces]


def _triangulate(
    shape: TopoDS_Shape, deflection_mm: float, angle_rad: float, algorithm: IMeshTools_MeshAlgoType
) -> None:
    BRepTools.Clean_s(shape)  # an earlier triangulation, finer or not, must not change the result
    parameters = IMeshTools_Parameters()
    parameters.Deflection, parameters.Angle, parameters.MeshAlgo = deflection_mm, angle_rad, algorithm
    BRepMesh_IncrementalMesh(shape, parameters)


def _are_missing(faces: list[TopoDS_Face], found: list[FaceTriangles]) -> bool:
    empty = [face for face, triangles in zip(faces, found, strict=True) if not len(triangles.triangles)]
    return any(face_area_mm2(face) > LEAST_MM2 for face in empty)


def _faces_of(shape: TopoDS_Shape) -> list[TopoDS_Face]:
    faces: list[TopoDS_Face] = []
    explorer = TopExp_Explorer(shape, TopAbs_ShapeEnum.TopAbs_FACE)
    while explorer.More():
        faces.append(TopoDS.Face(explorer.Current()))
        explorer.Next()
    return faces


def joined(pieces: list[FaceTriangles]) -> FaceTriangles:
    """Return several triangulations as one, whose pieces share no vertices."""
    starts = np.cumsum([0, *(len(piece.vertices_mm) for piece in pieces)])
    return FaceTriangles(
        np.concatenate([piece.vertices_mm for piece in pieces]),
        np.concatenate([piece.triangles + start for piece, start in zip(pieces, starts, strict=False)]),
        np.concatenate([piece.parameters for piece in pieces]),
    )


def _face_triangles(face: TopoDS_Face, flip: list[int]) -> FaceTriangles:
    location = TopLoc_Location()
    mesh = BRep_Tool.Triangulation_s(face, location)
    if mesh is None:
        return FaceTriangles(np.empty((0, 3)), np.empty((0, 3), dtype=np.int64), np.empty((0, 2)))
    moved = location.Transformation()
    nodes = (mesh.Node(index).Transformed(moved) for index in range(1, mesh.NbNodes() + 1))
    vertices = np.array([(node.X(), node.Y(), node.Z()) for node in nodes])
    triangles = np.array([mesh.Triangle(index).Get() for index in range(1, mesh.NbTriangles() + 1)], dtype=np.int64) - 1
    if face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED:
        triangles = triangles[:, flip]
    corners = (mesh.UVNode(index) for index in range(1, mesh.NbNodes() + 1))
    return FaceTriangles(vertices, triangles, np.array([(corner.X(), corner.Y()) for corner in corners]))


def _weld(vertices: FloatArray, triangles: IntArray, faces: IntArray) -> TriangleMesh:
    _, first, index = np.unique(np.round(vertices / WELD_MM), axis=0, return_index=True, return_inverse=True)
    corners = index.reshape(-1)[triangles]
    is_proper = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    return TriangleMesh(vertices[first], corners[is_proper], faces[is_proper])
