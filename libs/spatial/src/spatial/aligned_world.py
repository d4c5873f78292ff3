"""The worlds in which reconstructions are given: that of a simulated scene, or one that the first camera aligns."""

import numpy as np
from contracts.events.perception import Alignment
from contracts.models.geometry import Vector

from spatial.arrays import Floats

Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""(x, y, z) with z up becomes (x, z, -y)."""
LOOKS_DOWN = 0.05
"""Length of a camera's view on the ground below which its upper edge is its heading."""
GRAVITY: dict[Alignment, Vector] = {"ground": (0.0, -1.0, 0.0), "sim": (0.0, 0.0, -1.0)}


def world_transform(first_camera: Floats, floor_z_m: float, align: Alignment) -> Floats:
    """Return the matrix (4, 4) from a world with z up to the aligned one; `first_camera` is a pose (4, 4).

    `ground`: y up, the floor at y = 0, the first camera above the origin and looking to -z. `sim`: the world itself.
    """
    if align == "sim":
        return np.eye(4)
    turn = _yaw_to_minus_z(_heading(Y_UP @ first_camera[:3, :3])) @ Y_UP
    below = np.array([first_camera[0, 3], first_camera[1, 3], floor_z_m])
    transform = np.eye(4)
    transform[:3, :3], transform[:3, 3] = turn, -turn @ below
    return transform


def _heading(rotation: Floats) -> Floats:
    """Return where a camera looks on the ground, (x, z) as a unit vector."""
    forward = rotation[[0, 2], 2]
    if np.linalg.norm(forward) < LOOKS_DOWN:
        forward = -rotation[[0, 2], 1] * (1.0 if rotation[1, 2] < 0 else -1.0)
    return forward / np.linalg.norm(forward)


def _yaw_to_minus_z(heading: Floats) -> Floats:
    """Return the rotation about y that turns a heading (x, z) to (0, -1)."""
    x, z = heading
    return np.array([[-z, 0.0, x], [0.0, 1.0, 0.0], [-x, 0.0, -z]])
