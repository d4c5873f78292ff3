"""How a weld's load acts on the points of its connection: the same for every beam that is cut."""

from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Weld

from sim_worker.structure.supports import points_of
from sim_worker.units import Floats


@dataclass(frozen=True)
class WeldPoints:
    """The `p` points of a weld, and what its load does there.

    The points share the force equally and bear the moment by their distance from their centre, as a stiff layer does.
    What they cannot bear, such as the torsion of a single screw, acts at the anchor.
    """

    points_mm: Floats
    """(p, 3)"""
    anchor_mm: Floats
    """(3,)"""
    effects: Floats
    """(p, 6, 6) force of each point, and moment about the origin of the world, for a load about the anchor."""
    couple: Floats
    """(6, 6) what acts at the anchor."""

    @classmethod
    def of(cls, weld: Weld) -> "WeldPoints":
        """Return the points of a weld."""
        points, anchor = points_of(weld), np.array(weld.anchor_mm)
        forces, couple = _shared(points, anchor)
        effects = np.concatenate([forces, cross_matrices(points) @ forces], axis=1)
        return cls(points, anchor, effects, couple)


def cross_matrices(vectors: Floats) -> Floats:
    """Return the matrices (..., 3, 3) of the cross products with vectors (..., 3) from the left."""
    matrices = np.zeros((*vectors.shape, 3))
    matrices[..., [2, 0, 1], [1, 2, 0]] = vectors
    matrices[..., [1, 2, 0], [2, 0, 1]] = -vectors
    return matrices


def _shared(points: Floats, anchor: Floats) -> tuple[Floats, Floats]:
    """Return (p, 3, 6) force on each point for a load about the anchor, and (6, 6) the rest of it."""
    middle: Floats = points.mean(axis=0)
    turned: Floats = cross_matrices(points - middle)
    inertia: Floats = -np.einsum("pij,pjk->ik", turned, turned) / len(points)
    inverse = np.asarray(np.linalg.pinv(inertia, rcond=1e-9), dtype=np.float64)
    about_middle = np.concatenate([cross_matrices(anchor - middle), np.eye(3)], axis=1)
    equal = np.concatenate([np.eye(3), np.zeros((3, 3))], axis=1) / len(points)
    forces: Floats = equal - np.einsum("pij,jk,kl->pil", turned, inverse, about_middle) / len(points)
    rest: Floats = (np.eye(3) - inertia @ inverse) @ about_middle
    return forces, np.concatenate([np.zeros((3, 6)), rest])
