"""Holes and pins of a part, measured from a corner of its box along its own axes."""

from dataclasses import dataclass

import numpy as np
from geometry.arrays import FloatArray
from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace, round_faces

BEYOND_MM = 0.2
"""How far behind the end of a hole it is looked whether material closes it."""
WALL_MM = 0.1
"""How close to the wall: the cone that a drill leaves is closed there. Facets are closer to it."""
ANGLES = (0.0, 2.1, 4.2)
PARALLEL = 0.9999


@dataclass(frozen=True, eq=False)
class RoundFeature:
    """A hole or a pin; a stepped hole is one for each of its diameters."""

    name: str
    """H1, H2, ... for holes and P1, P2, ... for pins."""
    diameter_mm: float
    length_mm: float
    is_through: bool
    """Of a hole: whether no material closes it at either end."""
    place_mm: FloatArray
    """(3,), the middle of its open end, in the part's frame."""
    axis: FloatArray
    """(3,), from there into the material, in the part's frame."""

    @property
    def depth(self) -> str:
        """Depth of a hole, or length of a pin."""
        return "through" if self.is_through else f"{self.length_mm:.2f}"

    @property
    def direction(self) -> str:
        """Its axis in words."""
        along = int(np.argmax(np.abs(self.axis)))
        if abs(self.axis[along]) > PARALLEL:
            return ("+" if self.axis[along] > 0 else "-") + "XYZ"[along]
        return "({:.3f} {:.3f} {:.3f})".format(*self.axis)


def round_features(mesh: PartMesh, frame: FloatArray, origin_mm: FloatArray) -> list[RoundFeature]:
    """Return all holes, then all pins, from the largest; `frame` (3, 3) has the part's axes in its rows."""
    faces = sorted((face for face in round_faces(mesh) if face.is_full), key=_order)
    counts = {"H": 0, "P": 0}
    features: list[RoundFeature] = []
    for face in faces:
        letter = "H" if face.is_hole else "P"
        counts[letter] += 1
        features.append(_feature(f"{letter}{counts[letter]}", face, mesh, frame, origin_mm))
    return features


def inner_radii_mm(mesh: PartMesh) -> list[float]:
    """Return the radii of rounded inner corners, the smallest first."""
    corners = (face.radius_mm for face in round_faces(mesh) if face.is_inner and not face.is_full)
    return sorted({round(radius, 2) for radius in corners})


def _order(face: RoundFace) -> tuple[bool, float, tuple[float, ...]]:
    return not face.is_hole, -round(face.radius_mm, 3), tuple(np.round(face.axis_point_mm, 3).tolist())


def _feature(name: str, face: RoundFace, mesh: PartMesh, frame: FloatArray, origin_mm: FloatArray) -> RoundFeature:
    corners = mesh.vertices_mm[mesh.triangles[mesh.face_of == face.face]].reshape(-1, 3)
    along = (corners - face.axis_point_mm) @ face.axis
    ends = [face.axis_point_mm + face.axis * float(along.min()), face.axis_point_mm + face.axis * float(along.max())]
    outwards = [-face.axis, face.axis]
    is_open = [not _is_closed(mesh, face, end, way) for end, way in zip(ends, outwards, strict=True)]
    start = 1 if is_open[1] else 0  # what is open on both sides is measured from the far end of its axis
    return RoundFeature(
        name=name,
        diameter_mm=2 * face.radius_mm,
        length_mm=face.length_mm,
        is_through=face.is_hole and all(is_open),
        place_mm=(ends[start] - origin_mm) @ frame.T,
        axis=-outwards[start] @ frame.T,
    )


def _is_closed(mesh: PartMesh, face: RoundFace, end_mm: FloatArray, outwards: FloatArray) -> bool:
    """Tell whether material lies behind the end of a hole, flat or as a cone, all around its wall."""
    across = np.cross(outwards, np.eye(3)[int(np.argmin(np.abs(outwards)))])
    across /= np.linalg.norm(across)
    turned = [across * np.cos(angle) + np.cross(outwards, across) * np.sin(angle) for angle in ANGLES]
    points = end_mm + outwards * BEYOND_MM + np.array(turned) * max(face.radius_mm - WALL_MM, 0.0)
    hits = mesh.first_hits(points, np.tile(outwards, (len(points), 1)), through=None, exact=False)
    return bool((hits.is_hit & (hits.normals @ outwards > 0)).all())
