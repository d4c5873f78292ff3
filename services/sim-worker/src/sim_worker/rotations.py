"""Rotation matrices of many quaternions at once."""

import numpy as np

from sim_worker.units import Floats


def rotation_matrices(quaternions: Floats) -> Floats:
    """Return the matrices (n, 3, 3) of unit quaternions (n, 4), w first."""
    w, x, y, z = quaternions.T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rotation_matrix(quaternion: Floats) -> Floats:
    """Return the matrix (3, 3) of a unit quaternion (4,), w first."""
    matrix: Floats = rotation_matrices(np.asarray(quaternion, dtype=np.float64)[None])[0]
    return matrix
