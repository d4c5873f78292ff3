"""Types of numpy arrays, and their conversion to the contracts' vectors."""

import numpy as np
from contracts.models.geometry import Vector
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def as_vector(array: FloatArray) -> Vector:
    """Return an array (3,) as a tuple of floats."""
    x, y, z = (float(value) for value in array)
    return (x, y, z)
