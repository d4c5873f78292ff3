"""Round faces: holes, and corners with a radius."""

from dataclasses import dataclass

import numpy as np

from workbenches.part_mesh import Floats, PartMesh

ALL_ROUND_DEG = 350.0


@dataclass(frozen=True)
class RoundFace:
    """One cylindrical face."""

    face: int
    radius_mm: float
    length_mm: float
    axis: Floats
    """(3,), unit vector."""
    axis_point_mm: Floats
    """(3,)"""
    is_inner: bool
    """Whether it looks at its own axis: a hole, or the inside of a corner."""
    is_all_round: bool
    place_mm: Floats
    """(3,), a place on it."""


def round_faces(mesh: PartMesh) -> list[RoundFace]:
    """Return every cylindrical face."""
    found: list[RoundFace] = []
    for number, shape in enumerate(mesh.shapes):
        triangles = np.flatnonzero(mesh.face_of == number)
        if shape.kind != "cylinder" or shape.axis is None or shape.axis_point_mm is None or not len(triangles):
            continue
        largest = triangles[int(np.argmax(mesh.areas_mm2[triangles]))]
        spot = mesh.vertices_mm[mesh.triangles[largest]].mean(axis=0)
        axis, point = np.array(shape.axis), np.array(shape.axis_point_mm)
        inwards = (point - spot) - axis * float((point - spot) @ axis)
        along = mesh.vertices_mm[mesh.triangles[triangles]].reshape(-1, 3) @ axis
        found.append(
            RoundFace(
                face=number,
                radius_mm=shape.radius_mm or 0.0,
                length_mm=float(np.ptp(along)),
                axis=axis,
                axis_point_mm=point,
                is_inner=bool(mesh.normals[largest] @ inwards > 0),
                is_all_round=(shape.span_deg or 0.0) >= ALL_ROUND_DEG,
                place_mm=spot,
            )
        )
    return found
