"""Equal solids: one part that a file holds several times, moved or turned."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from build123d import Solid

from geometry.arrays import FloatArray
from geometry.cad_files.contents import NamedSolid
from geometry.occt.measures import volume_integrals

RELATIVE = 1e-5
ABSOLUTE_MM = 1e-3
DISTINCT_MOMENTS = 1e-3
"""Share by which principal moments must differ for their axes to be known."""


def merged(solids: Sequence[NamedSolid]) -> tuple[tuple[NamedSolid, ...], tuple[str, ...]]:
    """Return each distinct solid once, with the sum of the counts, and notes on names that went into another."""
    if len(solids) < 2:
        return tuple(solids), ()
    kept: list[tuple[NamedSolid, _Features]] = []
    notes: list[str] = []
    for solid in solids:
        features = _features_of(solid.solid)
        same = [index for index, (_, known) in enumerate(kept) if features.equals(known)]
        if not same:
            kept.append((solid, features))
            continue
        first, known = kept[same[0]]
        kept[same[0]] = (replace(first, count=first.count + solid.count), known)
        if solid.name != first.name:
            notes.append(f"{solid.name} is equal to {first.name} and is counted with it")
    return tuple(solid for solid, _ in kept), tuple(notes)


@dataclass(frozen=True)
class _Features:
    """What moving and turning a solid does not change."""

    faces_mm2: FloatArray
    edges_mm: FloatArray
    volume_mm3: float
    moments_mm5: FloatArray
    handedness: FloatArray
    """Changes its sign in a mirror; 0 if the axes of the solid are not unique."""

    def equals(self, other: "_Features") -> bool:
        if len(self.faces_mm2) != len(other.faces_mm2) or len(self.edges_mm) != len(other.edges_mm):
            return False
        pairs = [
            (self.edges_mm, other.edges_mm),
            (self.faces_mm2, other.faces_mm2),
            (np.array([self.volume_mm3]), np.array([other.volume_mm3])),
            (self.moments_mm5, other.moments_mm5),
        ]
        is_close = all(np.allclose(one, two, rtol=RELATIVE, atol=ABSOLUTE_MM) for one, two in pairs)
        return is_close and bool(np.allclose(self.handedness, other.handedness, atol=1e-4))


def _features_of(solid: Solid) -> _Features:
    integrals, faces, edges = volume_integrals(solid), solid.faces(), solid.edges()
    xx, yy, zz, xy, xz, yz = integrals.inertia_mm5
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    centers = [face.center() for face in faces]
    points = np.array([(each.X, each.Y, each.Z) for each in centers]).reshape(-1, 3) - np.array(integrals.center_mm)
    areas = np.array([face.area for face in faces])
    return _Features(
        np.sort(areas),
        np.sort(np.array([edge.length for edge in edges])),
        integrals.volume_mm3,
        moments,
        _handedness(points, areas, moments, axes),
    )


def _handedness(points: FloatArray, weights: FloatArray, moments: FloatArray, axes: FloatArray) -> FloatArray:
    """Return two products of third moments along the principal axes, as a right-handed frame, scaled to size one."""
    if np.diff(moments).min() < DISTINCT_MOMENTS * moments.max():
        return np.zeros(2)
    along = points @ (axes * np.sign(np.linalg.det(axes)))
    size = float(np.sqrt(np.average((along**2).sum(axis=1), weights=weights))) or 1.0
    x, y, z = (along / size).T
    thirds = [float(np.average(each**3, weights=weights)) for each in (x, y, z)]
    return np.array([float(np.average(x * y * z, weights=weights)), float(np.prod(thirds))])
