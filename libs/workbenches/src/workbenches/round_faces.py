"""Cylindrical faces: holes, pins, and corners with a radius."""

from dataclasses import dataclass

import numpy as np
from geometry.arrays import FloatArray

from workbenches.part_mesh import PartMesh

FULL_TURN_DEG = 350.0


@dataclass(frozen=True)
class RoundFace:
    """One cylindrical face."""

    face: int
    radius_mm: float
    length_mm: float
    axis: FloatArray
    """(3,), unit vector."""
    axis_point_mm: FloatArray
    """(3,)"""
    is_inner: bool
    """Whether it faces its own axis: a hole, or an inner corner."""
    is_full: bool
    """Whether it goes all the way round its axis."""
    point_mm: FloatArray
    """(3,), a point on it."""

    @property
    def is_hole(self) -> bool:
        return self.is_inner and self.is_full


def round_faces(mesh: PartMesh) -> list[RoundFace]:
    """Return every cylindrical face."""
    faces: list[RoundFace] = []
    for index, surface in enumerate(mesh.surfaces):
        triangles = np.flatnonzero(mesh.face_of == index)
        if surface.kind != "cylinder" or surface.axis is None or surface.axis_point_mm is None or not len(triangles):
            continue
        largest = triangles[int(np.argmax(mesh.areas_mm2[triangles]))]
        on_face = mesh.vertices_mm[mesh.triangles[largest]].mean(axis=0)
        axis, point = np.array(surface.axis), np.array(surface.axis_point_mm)
        inwards = (point - on_face) - axis * float((point - on_face) @ axis)
        along = mesh.vertices_mm[mesh.triangles[triangles]].reshape(-1, 3) @ axis
        faces.append(
            RoundFace(
                face=index,
                radius_mm=surface.radius_mm or 0.0,
                length_mm=float(np.ptp(along)),
                axis=axis,
                axis_point_mm=point,
                is_inner=bool(mesh.normals[largest] @ inwards > 0),
                is_full=(surface.span_deg or 0.0) >= FULL_TURN_DEG,
                point_mm=on_face,
            )
        )
    return faces
