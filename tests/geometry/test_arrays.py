"""Cross products are those of numpy, bit for bit: a scene must not differ in a digit."""

import numpy as np
from geometry.arrays import crossed


def test_crossed_vectors_equal_those_of_numpy() -> None:
    random = np.random.default_rng(0)
    first, second = random.normal(size=(2, 50, 3))
    assert np.array_equal(crossed(first, second), np.cross(first, second))
    assert np.array_equal(crossed(first[0], second), np.cross(first[0], second))
    assert np.array_equal(crossed(first[:, None], second[None]), np.cross(first[:, None], second[None]))
