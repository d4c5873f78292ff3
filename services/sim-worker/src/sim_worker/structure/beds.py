"""Beds: faces by which parts lie flat on the ground. What presses on a part above its bed goes straight through it.

Without beds, a glued face spreads its load over its whole area, so that a strip on the floor would bend like a raft
under a ball that rolls over it. What pushes sideways goes through as well, as long as it acts close to the bed: higher,
it tilts the part first. A pull does not: it peels.
"""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Scene, Weld
from numpy.typing import NDArray

from sim_worker.structure.section_loads import PointLoad, crossed
from sim_worker.units import Floats

FLAT_MM = 0.5
"""A face that is thicker than this is not flat."""
FILLED_SHARE = 0.9
"""Of the rectangle with a face's second moments that the face fills: a ring, or two feet, do not count."""
PARALLEL = 0.99
"""Cosine between normals that count as one direction."""
ACROSS = 0.1
"""Greatest cosine between the normal of a bed and a beam along it."""
PRESSES = 0.7
"""Least cosine between a force and the normal of the bed, that it presses on."""
MM_PER_M = 1000.0


@dataclass(frozen=True)
class FlatFace:
    """The rectangle that a glued face fills."""

    center_mm: Floats
    axes: Floats
    """(3, 3), two edges and the normal, one a row."""
    half_mm: Floats
    """(2,) half the edges."""

    @classmethod
    def of(cls, weld: Weld) -> "FlatFace | None":
        """Return the rectangle of a weld; None for screws, and for faces that are not flat or not filled."""
        if weld.face is None:
            return None
        first, second, third = weld.face.second_moments_mm4
        spreads = np.maximum([second + third - first, first + third - second, first + second - third], 0.0) / 2
        edges_mm = np.sqrt(12 * spreads / weld.face.area_mm2)
        if edges_mm[2] > FLAT_MM or weld.face.area_mm2 < FILLED_SHARE * edges_mm[0] * edges_mm[1]:
            return None
        return cls(np.array(weld.anchor_mm), np.array(weld.face.axes), edges_mm[:2] / 2)

    @property
    def normal(self) -> Floats:
        """(3,), either way."""
        return self.axes[2]

    def is_above(self, points_mm: Floats, beside_mm: Floats | float = 0.0) -> NDArray[np.bool_]:
        """Tell which of the points (n, 3) lie straight above or below the face, or so far beside it, (2,)."""
        offsets = (points_mm - self.center_mm) @ self.axes[:2].T
        return np.all(np.abs(offsets) <= self.half_mm + beside_mm, axis=1)

    def is_close_to(self, points_mm: Floats) -> NDArray[np.bool_]:
        """Tell which of the points (n, 3) are at most as far above or below the face as it is wide."""
        found: NDArray[np.bool_] = np.abs((points_mm - self.center_mm) @ self.normal) <= 2 * self.half_mm.min()
        return found

    def contains(self, other: "FlatFace") -> bool:
        """Tell whether another face lies straight above this one, and parallel to it."""
        signs = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
        corners = other.center_mm + (signs * other.half_mm * (1 - 1e-6)) @ other.axes[:2]
        return abs(float(self.normal @ other.normal)) >= PARALLEL and bool(self.is_above(corners).all())


@dataclass(frozen=True)
class Bed:
    """The face by which the parts of one beam lie on the ground."""

    column: int
    """Of its weld, among those of the beam."""
    sign: float
    """1 where a part of the beam is the weld's first body, -1 where it is the second."""
    face: FlatFace
    beside_mm: Floats
    """(2,) how far from the face loads still go through it: half its width across the beam, as from a hinge at its
    side; along the beam, none."""
    down: Floats
    """(3,), the normal from the parts to the ground."""
    above: tuple[tuple[int, float, Floats], ...]
    """Column, sign and anchor in mm of each weld of the beam whose face lies above the bed."""

    def passed_on(self, welds: Floats, points: list[PointLoad]) -> tuple[Floats, list[PointLoad]]:
        """Return the loads of a beam without what presses on it, or pushes it sideways, above its bed.

        `welds` (n, w, 6) in N and N m, `points` in N and N mm; the bed's own weld bears that much less.
        """
        left = welds.copy()
        remaining: list[PointLoad] = []
        for load in points:
            along = load.forces @ self.down
            pressing = np.maximum(along, 0.0)[:, None] * self.down
            sideways = (load.forces - along[:, None] * self.down) * self.face.is_close_to(load.points_mm)[:, None]
            passed = (pressing + sideways) * self.face.is_above(load.points_mm, self.beside_mm)[:, None]
            self._add(left, passed, np.zeros_like(passed), load.points_mm)
            remaining.append(PointLoad(load.points_mm, load.forces - passed, load.moments))
        for column, sign, anchor_mm in self.above:
            forces, moments = sign * welds[:, column, :3], sign * MM_PER_M * welds[:, column, 3:]
            self._add(left, forces, moments, np.broadcast_to(anchor_mm, forces.shape))
            left[:, column] = 0.0
        return left, remaining

    def takes(self, place_mm: Floats, force: Floats) -> bool:
        """Tell whether a force (3,) at a place (3,) goes through to the bed: it presses, or pushes close to it.

        A shelf that is glued to a wall by its end does not lie on the wall where something falls onto its top.
        """
        place = place_mm[None]
        presses = float(force @ self.down) >= PRESSES * float(np.linalg.norm(force))
        return bool(self.face.is_above(place)[0]) and (presses or bool(self.face.is_close_to(place)[0]))

    def _add(self, welds: Floats, forces: Floats, moments: Floats, points_mm: Floats) -> None:
        """Add loads at points to what the bed's weld bears."""
        about_anchor = moments + crossed(points_mm - self.face.center_mm, forces)
        welds[:, self.column, :3] += self.sign * forces
        welds[:, self.column, 3:] += self.sign * about_anchor / MM_PER_M


class Beds:
    """Finds the beds of a scene."""

    def __init__(self, scene: Scene) -> None:
        self._centers = {body.label: np.array(body.mass.center_mm) for body in scene.bodies if body.mass is not None}
        self._faces = {weld.label: face for weld in scene.welds if (face := FlatFace.of(weld)) is not None}
        self._welds = [weld for weld in scene.welds if weld.label in self._faces]

    def of(self, members: frozenset[str], welds: list[Weld], axis: Floats) -> Bed | None:
        """Return the bed of parts that are one beam along an axis; None if they do not lie on the ground along it.

        `welds`: those between the parts and others.
        """
        for column, weld in enumerate(welds):
            face = self._faces.get(weld.label)
            other = weld.second if weld.first in members else weld.first
            if face is None or abs(float(face.normal @ axis)) > ACROSS or not self._never_moves(other, face, members):
                continue
            inside = weld.first if weld.first in members else weld.second
            way = float((face.center_mm - self._centers[inside]) @ face.normal)
            above = tuple(
                (index, 1.0 if each.first in members else -1.0, np.array(each.anchor_mm))
                for index, each in enumerate(welds)
                if index != column and each.label in self._faces and face.contains(self._faces[each.label])
            )
            sign = 1.0 if weld.first in members else -1.0
            beside_mm: Floats = face.half_mm.min() * (np.abs(face.axes[:2] @ axis) < ACROSS)
            return Bed(column, sign, face, beside_mm, np.copysign(1.0, way) * face.normal, above)
        return None

    def _never_moves(self, label: str, face: FlatFace, above: frozenset[str]) -> bool:
        """Tell whether a body never moves, or lies flat on one that does not, straight below a face."""
        if label not in self._centers:
            return True
        for weld in self._welds:
            if label not in (weld.first, weld.second) or not self._faces[weld.label].contains(face):
                continue
            below = weld.second if weld.first == label else weld.first
            if below not in above and self._never_moves(below, face, above | {label}):
                return True
        return False
