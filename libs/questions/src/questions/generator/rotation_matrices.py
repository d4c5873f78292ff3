"""Rotation matrices from quaternions."""

import numpy as np
from spatial.arrays import Floats


def rotation_of(quaternion: tuple[float, float, float, float]) -> Floats:
    """Return the matrix (3, 3) of a quaternion (w, x, y, z) of any length above 0."""
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
