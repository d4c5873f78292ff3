"""The internal force and moment at every section of a beam, from all loads on its part: the free-body cut.

At each section, all that acts on the part beyond it is added up. Connections and contacts are measured; what is missing
to their balance is weight and inertia, which is spread over the part by volume. The moment is the mean of what both
sides of the cut say: they differ by the angular inertia of a part that is being turned.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from contracts.models.scene import Beam

from sim_worker.structure.weld_points import WeldPoints, cross_matrices
from sim_worker.units import Floats

_MM_PER_M = (1000.0, 1000.0, 1000.0)


@dataclass(frozen=True)
class PointLoad:
    """A force and a moment on a part at a point that may move, over `n` instants."""

    points_mm: Floats
    """(n, 3), where the part is at the start."""
    forces: Floats
    """(n, 3), N."""
    moments: Floats
    """(n, 3), N mm, about the point."""
    is_contact: bool = False
    """Whether contacts pass it on, not a joint."""

    def at(self, row: int) -> "PointLoad":
        """Return the load at one instant."""
        one = slice(row, row + 1)
        return PointLoad(self.points_mm[one], self.forces[one], self.moments[one], self.is_contact)

    def minus(self, earlier: "PointLoad") -> "PointLoad":
        """Return what has been added since an earlier instant."""
        forces, moments = self.forces - earlier.forces, self.moments - earlier.moments
        return PointLoad(self.points_mm, forces, moments, self.is_contact)

    def plus(self, other: "PointLoad", times: float) -> "PointLoad":
        """Return this load and another one that has grown so many times, where the other acts."""
        forces, moments = self.forces + times * other.forces, self.moments + times * other.moments
        return PointLoad(other.points_mm, forces, moments, self.is_contact)

    @cached_property
    def about_origin(self) -> Floats:
        """(n, 6), force, and moment about the origin of the world."""
        return np.concatenate([self.forces, crossed(self.points_mm, self.forces) + self.moments], axis=1)


@dataclass(frozen=True)
class SectionLoads:
    """How the loads of a part act on the `k` sections of one beam of it.

    At each section, only the force along the beam and the moments about the two principal axes count. They are linear
    in the loads: a part of a run of thousands of steps costs a few products of matrices.
    """

    axis: Floats
    places: Floats
    """(k,) positions along the axis."""
    of_welds: Floats
    """(6 w, 3 k) force and two moments at the sections for the loads of `w` welds in N and N m, with the weight and
    inertia that balances them."""
    of_balance: Floats
    """(3, 3 k) the same for the weight and inertia that balances a force on the part."""
    of_points: Floats
    """(6, 3 k) the same for a force, and a moment about the origin of the world, beyond all sections."""

    @classmethod
    def of(cls, beam: Beam, welds: list[WeldPoints], signs: Floats) -> "SectionLoads":
        """Return the sections of a beam of a part that has these welds; `signs` (w,) are 1 where the part
        is the weld's first body, -1 where it is the second."""
        axis = np.array(beam.axis)
        centers = np.array([section.center_mm for section in beam.sections])
        places = centers @ axis
        areas = np.array([section.area_mm2 for section in beam.sections])
        shares = areas / areas.sum()
        upper = np.triu(np.ones((len(places), len(places)))) - np.eye(len(places)) / 2
        balance = _cut(_mass_effect(upper * shares, centers), _mass_effect(np.ones_like(upper) * shares, centers))
        effects: list[Floats] = []
        for weld, sign in zip(welds, signs, strict=True):
            beyond, in_all = _weld_effect(weld, axis, places, centers)
            effects.append((_cut(beyond, in_all) - balance @ in_all[0, :3]) * sign * [1.0, 1.0, 1.0, *_MM_PER_M])
        whole = np.concatenate(effects, axis=2) if effects else np.zeros((len(places), 6, 0))
        counted = _counted(beam)
        return cls(
            axis=axis,
            places=places,
            of_welds=_flat(counted @ whole),
            of_balance=_flat(counted @ -balance),
            of_points=_flat(counted @ _point_effect(centers)),
        )

    def at(self, weld_loads: Floats, points: list[PointLoad]) -> tuple[Floats, Floats]:
        """Return forces along the beam (n, k) and moments about the principal axes (n, 2, k) on what lies beyond each
        section; `weld_loads` (n, w, 6) in N and N m."""
        shape = (len(weld_loads), 3, len(self.places))
        loads: Floats = (weld_loads.reshape(len(weld_loads), len(self.of_welds)) @ self.of_welds).reshape(shape)
        for load in points:
            loads += (load.forces @ self.of_balance).reshape(loads.shape)
            effect = (load.about_origin @ self.of_points).reshape(loads.shape)
            is_beyond = (load.points_mm @ self.axis)[:, None] > self.places
            loads[:, 0] += is_beyond * effect[:, 0]
            loads[:, 1:] += (is_beyond - 0.5)[:, None] * effect[:, 1:]
        return loads[:, 0], loads[:, 1:]


def crossed(first: Floats, second: Floats) -> Floats:
    """Return the cross products of vectors (n, 3): `np.cross` costs several times as much for so few."""
    x, y, z = first.T
    u, v, w = second.T
    product: Floats = np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)
    return product


def _cut(beyond: Floats, in_all: Floats) -> Floats:
    """Return (k, 6, m) force and moment at each section: the moment is the mean of what both sides of the cut say."""
    cut = beyond.copy()
    cut[:, 3:] -= in_all[:, 3:] / 2
    return cut


def _counted(beam: Beam) -> Floats:
    """Return (k, 3, 6) what counts of force and moment at each section: along the beam, and about its two axes."""
    counted = np.zeros((len(beam.sections), 3, 6))
    counted[:, 0, :3] = beam.axis
    counted[:, 1:, 3:] = [section.axes for section in beam.sections]
    return counted


def _point_effect(centers: Floats) -> Floats:
    """Return (k, 6, 6) force and moment at each section for a force, and a moment about the origin of the world."""
    effect = np.tile(np.eye(6), (len(centers), 1, 1))
    effect[:, 3:, :3] = -cross_matrices(centers)
    return effect


def _flat(effects: Floats) -> Floats:
    """(k, j, m) -> (m, j k)"""
    sections, kinds, loads = effects.shape
    return np.ascontiguousarray(effects.transpose(2, 1, 0).reshape(loads, kinds * sections))


def _weld_effect(weld: WeldPoints, axis: Floats, places: Floats, centers: Floats) -> tuple[Floats, Floats]:
    """Return (k, 6, 6) force and moment at each section for a weld's load: of its points beyond, and of all."""
    is_beyond = ((weld.points_mm @ axis)[None] > places[:, None]).astype(np.float64)
    has_anchor = float(weld.anchor_mm @ axis) > places
    effects = weld.effects.reshape(len(weld.points_mm), -1)
    beyond = _about_centers((is_beyond @ effects).reshape(-1, 6, 6), centers)
    in_all = _about_centers(np.tile(weld.effects.sum(axis=0), (len(centers), 1, 1)), centers)
    return beyond + has_anchor[:, None, None] * weld.couple, in_all + weld.couple


def _about_centers(effects: Floats, centers: Floats) -> Floats:
    """Return (k, 6, 6) forces and moments about the origin as forces and moments about the centres (k, 3)."""
    moved = effects.copy()
    moved[:, 3:] -= cross_matrices(centers) @ effects[:, :3]
    return moved


def _mass_effect(shares: Floats, centers: Floats) -> Floats:
    """Return (k, 6, 3) effect of a body force; `shares` (k, k): of each slice's volume that counts at each section."""
    totals = shares.sum(axis=1)
    effect = np.zeros((len(centers), 6, 3))
    effect[:, :3] = totals[:, None, None] * np.eye(3)
    effect[:, 3:] = cross_matrices(shares @ centers - totals[:, None] * centers)
    return effect
