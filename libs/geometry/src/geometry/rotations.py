"""Conversions between rotation matrices and quaternions (w x y z)."""

import numpy as np
from contracts.models.geometry import Quaternion

from geometry.arrays import FloatArray


def quaternion_of(matrix: FloatArray) -> Quaternion:
    """Return the quaternion of a rotation matrix (3, 3), w >= 0.

    It is the eigenvector of Bar-Itzhack's matrix, which is numerically stable for every angle.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix
    symmetric = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, yy - xx - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, zz - xx - yy],
        ]
    )
    w, x, y, z = np.linalg.eigh(symmetric)[1][:, -1]
    sign = -1.0 if w < 0 else 1.0
    return (float(sign * w), float(sign * x), float(sign * y), float(sign * z))


def matrix_of(quaternion: Quaternion) -> FloatArray:
    """Return the rotation matrix (3, 3); its columns are the rotated x, y and z axes."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_to(axis: FloatArray) -> Quaternion:
    """Return the shortest rotation that turns the z axis into a unit vector (3,)."""
    if axis[2] < -1 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    halfway = np.array([1.0 + axis[2], -axis[1], axis[0], 0.0])
    w, x, y, z = (float(value) for value in halfway / np.linalg.norm(halfway))
    return (w, x, y, z)
