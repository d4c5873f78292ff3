"""The payload as physics sees it: its geom, and how far it reaches from its centre."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from contracts.models.benchmark import Payload

from sim_worker.mujoco_api import mujoco
from sim_worker.rotations import rotation_matrices
from sim_worker.units import Floats, metres, metres_each, metres_of

ROLLING_CONDIM, SLIDING_CONDIM = 6, 4
ROLLING_SHAPES = frozenset({"ball", "cylinder", "capsule"})
"""Without rolling friction they would never stop."""


@dataclass(frozen=True)
class PayloadOutline:
    """The payload's shape: the hull of points in its own frame, grown by a radius."""

    corners_m: Floats
    """(k, 3)"""
    rounding_m: float

    @classmethod
    def of(cls, payload: Payload) -> Self:
        """Return the outline of a payload."""
        return cls(metres_of(np.array(payload.corners_mm)), metres(payload.rounding_mm))

    def reach_m(self, quaternions: Floats) -> tuple[Floats, Floats]:
        """Return (n, 3), (n, 3): the low and high ends of its bounding box from its centre, at quaternions (n, 4)."""
        if len(self.corners_m) == 1:
            ends = np.full((len(quaternions), 3), self.rounding_m)
            return -ends, ends
        turned = np.einsum("nij,kj->nki", rotation_matrices(quaternions), self.corners_m)
        return turned.min(axis=1) - self.rounding_m, turned.max(axis=1) + self.rounding_m


def payload_primitive(payload: Payload) -> tuple[int, list[float]]:
    """Return MuJoCo's geom type and sizes in metres; of a solid, a mesh without sizes."""
    kinds, radius_m = mujoco.mjtGeom, metres(payload.size_mm) / 2
    match payload.shape:
        case "ball":
            return kinds.mjGEOM_SPHERE, [radius_m, radius_m, radius_m]
        case "cube" | "box":
            return kinds.mjGEOM_BOX, [edge / 2 for edge in metres_each(payload.extents_mm)]
        case "cylinder":
            return kinds.mjGEOM_CYLINDER, [radius_m, metres(payload.extents_mm[2]) / 2, 0.0]
        case "capsule":
            return kinds.mjGEOM_CAPSULE, [radius_m, metres(payload.extents_mm[2]) / 2 - radius_m, 0.0]
        case "solid":
            return kinds.mjGEOM_MESH, [0.0, 0.0, 0.0]
