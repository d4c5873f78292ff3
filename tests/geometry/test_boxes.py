"""Recognition of boxes in B-reps, in any rotation."""

from math import prod
from typing import Any

import numpy as np
import pytest
from build123d import Box, Cylinder, Location, Pos, Rot, Solid, Sphere, chamfer
from build123d.topology import Shape
from contracts.models.geometry import Vector
from geometry.boxes import OrientedBox, recognise_box
from geometry.occt.brep import read_brep, write_brep
from hypothesis import given, settings
from hypothesis import strategies as st

size = st.tuples(*[st.floats(0.5, 500)] * 3)
place = st.tuples(*[st.floats(-400, 400)] * 3)
angles = st.tuples(*[st.floats(-180, 180)] * 3)


def recognised(shape: Shape[Any]) -> OrientedBox:
    (solid,) = read_brep(write_brep(shape)).solids
    box = recognise_box(solid)
    assert box is not None
    return box


def rotation(quaternion: tuple[float, float, float, float]) -> np.ndarray:
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(size, place, angles)
def test_rotated_box_is_recognised_with_centre_size_and_corners(size: Vector, place: Vector, angles: Vector) -> None:
    shape = Location(place, angles) * Box(*size)
    box = recognised(shape)
    assert np.allclose(box.center_mm, place, rtol=0, atol=1e-6)
    assert np.allclose(sorted(box.size_mm), sorted(size), rtol=0, atol=1e-6)
    assert box.volume_mm3 == pytest.approx(prod(size), rel=1e-9)
    true_corners = np.array([tuple(vertex) for vertex in shape.vertices()])
    signs = np.array([(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
    corners = box.center_mm + (signs * box.size_mm) @ rotation(box.quaternion).T
    apart = np.linalg.norm(corners[:, None] - true_corners[None], axis=2)
    assert apart.min(axis=1).max() < 1e-6
    assert np.linalg.norm(box.quaternion) == pytest.approx(1.0)


def test_unrotated_box_keeps_its_axes() -> None:
    box = recognised(Pos(1, 2, 3) * Box(10, 20, 30))
    assert box.quaternion == (1.0, 0.0, 0.0, 0.0)
    assert box.size_mm.tolist() == [10, 20, 30]
    assert box.bounds.min_mm == (-4, -8, -12)


def test_bounds_of_box_turned_by_45_degrees() -> None:
    bounds = recognised(Rot(0, 0, 45) * Box(10, 10, 4)).bounds
    assert bounds.size_mm == pytest.approx((200**0.5, 200**0.5, 4))


def test_box_fused_from_two_halves_is_recognised() -> None:
    fused = Pos(-5, 0, 0) * Box(10, 10, 10) + Pos(5, 0, 0) * Box(10, 10, 10)
    assert recognised(fused).size_mm.tolist() == pytest.approx([20, 10, 10])


@pytest.mark.parametrize(
    "shape",
    [
        Cylinder(5, 10),
        Sphere(5),
        Box(10, 10, 10) - Pos(5, 5, 5) * Box(4, 4, 4),
        Box(10, 10, 10) - Box(4, 4, 4),
        Box(10, 10, 10) - Cylinder(2, 10),
        chamfer(Box(10, 10, 10).edges()[0], 1),
        Solid.make_wedge(10, 10, 10, 2, 2, 8, 8),
    ],
    ids=["cylinder", "sphere", "notched", "hollow", "drilled", "chamfered", "wedge"],
)
def test_other_shapes_are_not_recognised_as_boxes(shape: Shape[Any]) -> None:
    (solid,) = read_brep(write_brep(shape)).solids
    assert recognise_box(solid) is None
