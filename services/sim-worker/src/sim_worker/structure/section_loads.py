"""The internal force and moment at every section of a beam, from all loads on its part: the free-body cut.

At each section, all that acts on the part beyond it is added up. Connections and contacts are measured; what is missing
to their balance is weight and inertia, which is spread over the part by volume. The moment is the mean of what both
sides of the cut say: they differ by the angular inertia of a part that is being turned.
"""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Beam, Weld

from sim_worker.structure.supports import points_of
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


@dataclass(frozen=True)
class SectionLoads:
    """How the loads of a part act on the `k` sections of one beam of it.

    All of it is linear in the loads: a part of a run of thousands of steps costs a few products of matrices.
    """

    axis: Floats
    places: Floats
    """(k,) positions along the axis."""
    of_welds: Floats
    """(6 w, 6 k) force and moment at each section for the loads of `w` welds in N and N m, with the weight and inertia
    that balances them."""
    of_balance: Floats
    """(3, 6 k) the same for the weight and inertia that balances a force on the part."""
    of_arms: Floats
    """(3, 3 k) what a force that acts at the origin of the world loses in moment at each section."""

    @classmethod
    def of(cls, beam: Beam, welds: list[Weld], signs: Floats) -> "SectionLoads":
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
        return cls(
            axis=axis,
            places=places,
            of_welds=_flat(whole),
            of_balance=_flat(-balance),
            of_arms=_flat(np.array([_cross(center) for center in centers])),
        )

    def at(self, weld_loads: Floats, points: list[PointLoad]) -> tuple[Floats, Floats]:
        """Return force and moment (n, k, 3) on what lies beyond each section; `weld_loads` (n, w, 6) in N and N m."""
        count = len(weld_loads)
        loads: Floats = (weld_loads.reshape(count, -1) @ self.of_welds).reshape(count, len(self.places), 6)
        for load in points:
            loads += (load.forces @ self.of_balance).reshape(loads.shape)
            is_beyond = ((load.points_mm @ self.axis)[:, None] > self.places)[:, :, None]
            about_origin = crossed(load.points_mm, load.forces) + load.moments
            moments = about_origin[:, None] - (load.forces @ self.of_arms).reshape(count, -1, 3)
            loads[:, :, :3] += is_beyond * load.forces[:, None]
            loads[:, :, 3:] += (is_beyond - 0.5) * moments
        return loads[:, :, :3], loads[:, :, 3:]


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


def _flat(effects: Floats) -> Floats:
    """(k, j, m) -> (m, j k), also for m = 0, of a part without welds."""
    sections, components, loads = effects.shape
    return np.ascontiguousarray(effects.transpose(2, 0, 1).reshape(loads, sections * components))


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
