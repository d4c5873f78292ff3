"""Triangulations of solids: per face, or as one closed mesh."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass

import numpy as np
from build123d import Solid
from OCP.BRep import BRep_Tool
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS, TopoDS_Face

from geometry.arrays import FloatArray, IntArray

WELD_MM = 1e-5
"""Vertices of neighbouring faces that are closer than this are one vertex."""
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
    BRepTools.Clean_s(solid.wrapped)  # an earlier triangulation, finer or not, must not change the result
    BRepMesh_IncrementalMesh(solid.wrapped, deflection_mm, False, angle_rad, False)
    return [_face_triangles(face.wrapped, _FLIP_IN_FACE_MESH) for face in solid.faces()]


def closed_mesh(solid: Solid, chord_mm: float, angle_rad: float) -> TriangleMesh:
    """Return triangles at most `chord_mm` from the solid's surface, at most `angle_rad` between neighbours."""
    BRepTools.Clean_s(solid.wrapped)  # an earlier triangulation, finer or not, must not change the result
    BRepMesh_IncrementalMesh(solid.wrapped, chord_mm, False, angle_rad, False)
    vertices, triangles, faces, count = [], [], [], 0
    explorer = TopExp_Explorer(solid.wrapped, TopAbs_ShapeEnum.TopAbs_FACE)
    while explorer.More():
        face = _face_triangles(TopoDS.Face(explorer.Current()), _FLIP_IN_CLOSED_MESH)
        vertices.append(face.vertices_mm)
        triangles.append(face.triangles + count)
        faces.append(np.full(len(face.triangles), len(faces)))
        count += len(face.vertices_mm)
        explorer.Next()
    BRepTools.Clean_s(solid.wrapped)
    return _weld(np.concatenate(vertices), np.concatenate(triangles), np.concatenate(faces))


def _face_triangles(face: TopoDS_Face, flip: list[int]) -> FaceTriangles:
    location = TopLoc_Location()
    mesh = BRep_Tool.Triangulation_s(face, location)
    if mesh is None:  # a face too small to be meshed leaves no hole wider than the weld
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
