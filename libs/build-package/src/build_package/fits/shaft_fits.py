"""Fits: round holes of one part around round faces of another, on one axis."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from geometry.arrays import FloatArray
from workbenches.part_mesh import PartMesh
from workbenches.round_faces import RoundFace, round_faces

from build_package.fits.tolerances import share_beyond, tolerance_mm
from build_package.machine import Machine

PARALLEL, COAXIAL_MM, LEAST_SHARED_MM = 1e-3, 0.05, 0.5
MOST_PLAY_MM = 2.0
"""A wider hole is not a fit."""
MOST_PRESS_MM = 0.5


@dataclass(frozen=True)
class Fit:
    """A shaft in a hole."""

    hole: str
    """Label of the part with the hole."""
    shaft: str
    hole_mm: float
    shaft_mm: float
    """Diameters as they are drawn."""
    tolerances_mm: tuple[float, float]
    """By how much each may differ from that."""

    @property
    def play_mm(self) -> float:
        """Hole less shaft."""
        return self.hole_mm - self.shaft_mm

    @property
    def tolerance_mm(self) -> float:
        """By how much the play may differ from that."""
        return sum(self.tolerances_mm)

    @property
    def binding_share(self) -> float:
        """Of machines whose sizes are drawn within the tolerances."""
        return share_beyond(self.play_mm, self.tolerances_mm)

    @property
    def verdict(self) -> str:
        """What the tolerances leave of it."""
        if self.play_mm - self.tolerance_mm >= 0:
            return "loose"
        if self.play_mm + self.tolerance_mm <= 0:
            return "press fit"
        return f"may bind, in {self.binding_share:.0%} of machines: ream or file to the play"


@dataclass(frozen=True, eq=False)
class _Placed:
    """A full round face of a part."""

    face: RoundFace
    low_mm: float
    high_mm: float
    """Ends along its axis, from the world's origin."""


def shaft_fits(machine: Machine) -> list[Fit]:
    """Return every fit, the tightest first."""
    faces = {label: list(_full_faces(PartMesh.of(solid))) for label, solid in machine.delivered.items()}
    made = {label: part for part in machine.made for label in part.labels}
    found: dict[tuple[str, str, float, float], Fit] = {}
    for (hole, holes), (shaft, pins) in permutations(faces.items(), 2):
        for inner in (each for each in holes if each.face.is_inner):
            for outer in (each for each in pins if not each.face.is_inner):
                if _fit_each_other(inner, outer):
                    sizes = (2 * inner.face.radius_mm, 2 * outer.face.radius_mm)
                    tolerances = (tolerance_mm(made.get(hole), sizes[0]), tolerance_mm(made.get(shaft), sizes[1]))
                    key = (hole, shaft, round(sizes[0], 3), round(sizes[1], 3))
                    found.setdefault(key, Fit(hole, shaft, *sizes, tolerances))
    return sorted(found.values(), key=lambda each: each.play_mm - each.tolerance_mm)


def _full_faces(mesh: PartMesh) -> Iterator[_Placed]:
    for face in round_faces(mesh):
        if face.is_full:
            corners: FloatArray = mesh.vertices_mm[mesh.triangles[mesh.face_of == face.face]].reshape(-1, 3)
            along = corners @ face.axis
            yield _Placed(face, float(along.min()), float(along.max()))


def _fit_each_other(inner: _Placed, outer: _Placed) -> bool:
    one, other = inner.face, outer.face
    play = 2 * (one.radius_mm - other.radius_mm)
    if not -MOST_PRESS_MM <= play <= MOST_PLAY_MM or float(np.linalg.norm(np.cross(one.axis, other.axis))) > PARALLEL:
        return False
    between = other.axis_point_mm - one.axis_point_mm
    if float(np.linalg.norm(np.cross(between, one.axis))) > COAXIAL_MM:
        return False
    ends = sorted(float(one.axis @ other.axis) * each for each in (outer.low_mm, outer.high_mm))
    # positions along an axis that may point the other way are those of the same points, since the axes are one line
    shift = float(one.axis_point_mm @ one.axis) - float(one.axis @ other.axis) * float(one.axis_point_mm @ other.axis)
    return min(inner.high_mm, ends[1] + shift) - max(inner.low_mm, ends[0] + shift) > LEAST_SHARED_MM
