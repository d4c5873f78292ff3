"""The internal force and moment at every section of a beam, from all loads on its part: the free-body cut.

At each section, all that acts on the part beyond it is added up. Connections and contacts are measured; what is missing
to their balance is weight and inertia, which is spread over the part by volume. The moment is the mean of what both
sides of the cut say: they differ by the angular inertia of a part that is being turned.
"""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Beam, Weld

from sim_worker.structure.supports import points_of
from sim_worker.units import Floats, millimetres_each


@dataclass(frozen=True)
class PointLoad:
    """A force and a moment on a part at a point that may move, over `n` instants."""

    points_mm: Floats
    """(n, 3), where the part is at the start."""
    forces: Floats
    """(n, 3), N."""
    moments: Floats
    """(n, 3), N mm, about the point."""


@dataclass(frozen=True)
class SectionLoads:
    """How the loads of a part act on the `k` sections of one beam of it."""

    axis: Floats
    places: Floats
    """(k,) positions along the axis."""
    centers_mm: Floats
    """(k, 3)"""
    beyond: Floats
    """(k, 6, 6 w) force and moment of the points of `w` welds beyond each section, for the welds' loads."""
    in_all: Floats
    """(k, 6, 6 w) the same for all points."""
    mass_beyond: Floats
    """(k, 6, 3) the same for a body force, spread over the volume beyond each section."""
    mass_in_all: Floats

    @classmethod
    def of(cls, beam: Beam, welds: list[Weld]) -> "SectionLoads":
        """Return the sections of a beam of a part that has these welds."""
        axis = np.array(beam.axis)
        centers = np.array([section.center_mm for section in beam.sections])
        places = centers @ axis
        areas = np.array([section.area_mm2 for section in beam.sections])
        each = [_weld_effect(weld, axis, places, centers) for weld in welds]
        none = np.zeros((len(places), 6, 0))
        shares = areas / areas.sum()
        upper = np.triu(np.ones((len(places), len(places)))) - np.eye(len(places)) / 2
        return cls(
            axis=axis,
            places=places,
            centers_mm=centers,
            beyond=np.concatenate([beyond for beyond, _ in each], axis=2) if each else none,
            in_all=np.concatenate([in_all for _, in_all in each], axis=2) if each else none,
            mass_beyond=_mass_effect(upper * shares, centers),
            mass_in_all=_mass_effect(np.ones_like(upper) * shares, centers),
        )

    def at(self, weld_loads: Floats, points: list[PointLoad]) -> tuple[Floats, Floats]:
        """Return force and moment (n, k, 3) on what lies beyond each section; `weld_loads` (n, w, 6) in N and N m."""
        loads = weld_loads.copy()
        loads[:, :, 3:] = millimetres_each(loads[:, :, 3:])
        flat = loads.reshape(len(loads), -1)
        beyond = np.einsum("kij,nj->nki", self.beyond, flat)
        in_all = np.einsum("kij,nj->nki", self.in_all, flat)
        for load in points:
            wrench = self._wrench(load)
            is_beyond = (load.points_mm @ self.axis)[:, None] > self.places
            beyond += np.where(is_beyond[:, :, None], wrench, 0.0)
            in_all += wrench
        body_force = -in_all[:, 0, :3]
        beyond += np.einsum("kij,nj->nki", self.mass_beyond, body_force)
        in_all += np.einsum("kij,nj->nki", self.mass_in_all, body_force)
        return beyond[:, :, :3], beyond[:, :, 3:] - in_all[:, :, 3:] / 2

    def _wrench(self, load: PointLoad) -> Floats:
        """Return (n, k, 6) force and moment of a point load about the centre of each section."""
        arms = load.points_mm[:, None] - self.centers_mm
        moments = np.cross(arms, load.forces[:, None]) + load.moments[:, None]
        forces = np.broadcast_to(load.forces[:, None], moments.shape)
        wrench: Floats = np.concatenate([forces, moments], axis=2)
        return wrench


def _weld_effect(weld: Weld, axis: Floats, places: Floats, centers: Floats) -> tuple[Floats, Floats]:
    """Return (k, 6, 6) force and moment at each section for a weld's load: of its points beyond, and of all.

    Its points share the force equally and bear the moment by their distance from their centre, as a stiff layer does.
    What they cannot bear, such as the torsion of a single screw, acts at the anchor.
    """
    points, anchor = points_of(weld), np.array(weld.anchor_mm)
    forces, couple = _shared(points, anchor)
    arms = points[None] - centers[:, None]
    moments = np.array([[_cross(arm) @ force for arm, force in zip(row, forces, strict=True)] for row in arms])
    effects = np.concatenate([np.broadcast_to(forces, moments.shape), moments], axis=2)
    is_beyond = (points @ axis)[None] > places[:, None]
    has_anchor = float(anchor @ axis) > places
    beyond: Floats = np.where(is_beyond[:, :, None, None], effects, 0.0).sum(axis=1)
    return beyond + has_anchor[:, None, None] * couple, effects.sum(axis=1) + couple


def _shared(points: Floats, anchor: Floats) -> tuple[Floats, Floats]:
    """Return (p, 3, 6) force on each point for a load about the anchor, and (6, 6) the rest of it."""
    middle: Floats = points.mean(axis=0)
    turned: Floats = np.array([_cross(arm) for arm in points - middle])
    inertia: Floats = -np.einsum("pij,pjk->ik", turned, turned) / len(points)
    inverse = np.asarray(np.linalg.pinv(inertia, rcond=1e-9), dtype=np.float64)
    about_middle = np.concatenate([_cross(anchor - middle), np.eye(3)], axis=1)
    equal = np.concatenate([np.eye(3), np.zeros((3, 3))], axis=1) / len(points)
    forces: Floats = equal - np.einsum("pij,jk,kl->pil", turned, inverse, about_middle) / len(points)
    rest: Floats = (np.eye(3) - inertia @ inverse) @ about_middle
    return forces, np.concatenate([np.zeros((3, 6)), rest])


def _mass_effect(shares: Floats, centers: Floats) -> Floats:
    """Return (k, 6, 3) effect of a body force; `shares` (k, k): of each slice's volume that counts at each section."""
    effect = np.zeros((len(centers), 6, 3))
    for row, center in enumerate(centers):
        effect[row, :3] = shares[row].sum() * np.eye(3)
        effect[row, 3:] = _cross(shares[row] @ (centers - center))
    return effect


def _cross(vector: Floats) -> Floats:
    """Return the matrix (3, 3) of the cross product with a vector from the left."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
