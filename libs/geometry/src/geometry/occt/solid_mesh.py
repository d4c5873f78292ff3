"""A solid as a closed mesh of triangles."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from dataclasses import dataclass

import numpy as np
from build123d import Solid
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.TopAbs import TopAbs_Orientation, TopAbs_ShapeEnum
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS

WELD_MM = 1e-5
"""Corners of neighbouring faces are this near to each other and are one."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles, counter-clockwise seen from outside; corners of neighbouring triangles are shared."""

    vertices_mm: NDArray[np.float64]
    """(n, 3), world."""
    triangles: NDArray[np.int64]
    """(m, 3)."""
    faces: NDArray[np.int64]
    """(m,): which face of the solid a triangle lies on, in the solid's own order."""

    @property
    def corners_mm(self) -> NDArray[np.float64]:
        """(m, 3, 3)."""
        return self.vertices_mm[self.triangles]

    @property
    def open_edges(self) -> int:
        """How many edges lack the one neighbour that runs the other way."""
        pairs = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        forth = np.unique(pairs, axis=0, return_counts=True)
        back = np.unique(pairs[:, ::-1], axis=0, return_counts=True)
        same = np.array_equal(forth[0], back[0]) and np.array_equal(forth[1], back[1])
        return 0 if same else len(set(map(tuple, forth[0])) ^ set(map(tuple, back[0]))) or 1


def mesh_of(solid: Solid, chord_mm: float, angle_rad: float) -> TriangleMesh:
    """Return triangles that lie at most `chord_mm` from the solid's surface and bend at most `angle_rad`."""
    BRepTools.Clean_s(solid.wrapped)  # what was meshed before, more finely or not, must not change the answer
    BRepMesh_IncrementalMesh(solid.wrapped, chord_mm, False, angle_rad, False)
    places, triangles, faces, count = [], [], [], 0
    explorer = TopExp_Explorer(solid.wrapped, TopAbs_ShapeEnum.TopAbs_FACE)
    while explorer.More():
        points, corners = _face_triangles(TopoDS.Face(explorer.Current()))
        places.append(points)
        triangles.append(corners + count)
        faces.append(np.full(len(corners), len(faces)))
        count += len(points)
        explorer.Next()
    BRepTools.Clean_s(solid.wrapped)
    return _welded(np.concatenate(places), np.concatenate(triangles), np.concatenate(faces))


def _face_triangles(face: object) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    location = TopLoc_Location()
    found = BRep_Tool.Triangulation_s(face, location)
    if found is None:  # a face too small to be meshed leaves no hole wider than the weld
        return np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)
    moved = location.Transformation()
    nodes = (found.Node(index).Transformed(moved) for index in range(1, found.NbNodes() + 1))
    points = np.array([(node.X(), node.Y(), node.Z()) for node in nodes])
    corners = np.array([found.Triangle(index).Get() for index in range(1, found.NbTriangles() + 1)], dtype=np.int64) - 1
    if face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED:
        corners = corners[:, ::-1]
    return points, corners


def _welded(points: NDArray[np.float64], corners: NDArray[np.int64], faces: NDArray[np.int64]) -> TriangleMesh:
    _, first, index = np.unique(np.round(points / WELD_MM), axis=0, return_index=True, return_inverse=True)
    corners = index.reshape(-1)[corners]
    alive = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    return TriangleMesh(points[first], corners[alive], faces[alive])
