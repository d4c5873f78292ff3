"""Camera poses for stored scenes."""

import numpy as np
from contracts.models.geometry import Vector
from contracts.models.questions.spatial_scene import Pose, Quaternion

from spatial.arrays import Floats


def looking_at(position_m: Vector, target_m: Vector) -> Pose:
    """Return the pose of a camera (x right, y down, z forward) that looks at a point, upright in a world with z up.

    Raises `ValueError` if it would look straight up or down, where upright has no meaning.
    """
    forward = np.array(target_m) - np.array(position_m)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(right))
    if length < 1e-9:
        raise ValueError(f"a camera at {position_m} that looks at {target_m} has no upright direction; move it aside")
    right, forward = right / length, forward / np.linalg.norm(forward)
    return Pose(
        position_m=position_m, quaternion=quaternion_of(np.column_stack([right, np.cross(forward, right), forward]))
    )


def quaternion_of(rotation: Floats) -> Quaternion:
    """Return the unit quaternion (w, x, y, z) of a rotation matrix (3, 3)."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    symmetric = np.array(
        [[a + e + i, h - f, c - g, d - b], [0, a - e - i, b + d, c + g], [0, 0, e - a - i, f + h], [0, 0, 0, i - a - e]]
    )
    _, vectors = np.linalg.eigh(symmetric, UPLO="U")
    w, x, y, z = (float(value) for value in vectors[:, -1])
    return w, x, y, z
