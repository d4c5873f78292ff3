"""The payload: its measures, and the box around it."""

import pytest
from contracts.models.benchmark import PayloadShape
from contracts.models.geometry import mirrored, rotated, turned_by
from pydantic import ValidationError

from tests.contracts.models.payloads import MEASURES, WEDGE, payload

SIZES: dict[PayloadShape, tuple[float, float, float]] = {
    "ball": (40, 40, 40),
    "cube": (40, 40, 40),
    "box": (60, 40, 20),
    "cylinder": (40, 40, 60),
    "capsule": (40, 40, 60),
    "solid": (40, 30, 24),
}


@pytest.mark.parametrize("shape", MEASURES)
def test_box_around_an_upright_payload_has_its_extents(shape: PayloadShape) -> None:
    made = payload(shape, start_mm=(1, 2, 3))
    assert made.extents_mm == SIZES[shape]
    assert made.box.size_mm == pytest.approx(SIZES[shape])
    assert made.box.center_mm == pytest.approx((1, 2, 3))


@pytest.mark.parametrize(
    ("shape", "height_mm"),
    [
        ("ball", 40),
        ("cube", 40 * 2**0.5),
        ("box", 60 / 2**0.5),
        ("cylinder", 100 / 2**0.5),
        ("capsule", 40 + 20 / 2**0.5),
    ],
)
def test_box_around_a_leaning_payload_is_that_of_its_exact_shape(shape: PayloadShape, height_mm: float) -> None:
    leaning = payload(shape, start_quaternion=turned_by((45, 0, 0)))
    assert leaning.box.size_mm[2] == pytest.approx(height_mm, rel=2e-3)


def test_box_around_a_turned_solid_follows_its_corners() -> None:
    upside_down = payload("solid", start_quaternion=turned_by((180, 0, 0)))
    assert upside_down.box.size_mm == pytest.approx((40, 30, 24))
    on_its_side = payload("solid", hull_mm=(*WEDGE[:4], (0, 0, 12)), start_quaternion=turned_by((90, 0, 0)))
    assert on_its_side.box.min_mm == pytest.approx((-20, -12, -15))


def test_rotations_follow_one_another_about_own_axes() -> None:
    turned = turned_by((90, 90, 0))
    assert rotated((1, 0, 0), turned) == pytest.approx((0, 1, 0), abs=1e-12)
    assert rotated((0, 0, 1), turned) == pytest.approx((1, 0, 0), abs=1e-12)


def test_mirror_of_a_rotation_shows_the_mirrored_axes() -> None:
    turned = turned_by((20, 30, 40))
    for axis, signs in enumerate([(-1, 1, 1), (1, -1, 1)]):
        seen = rotated((0, 0, 1), mirrored(turned, signs))
        expected = list(rotated((0, 0, 1), turned))
        expected[axis] *= -1
        assert seen == pytest.approx(tuple(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("shape", "changes", "fault"),
    [
        ("box", {"edges_mm": None}, "edges_mm is missing"),
        ("ball", {"edges_mm": (1, 1, 1)}, "edges_mm has no meaning"),
        ("cylinder", {"length_mm": None}, "length_mm is missing"),
        ("capsule", {"length_mm": 30}, "less than the diameter"),
        ("ball", {"start_quaternion": (1, 1, 0, 0)}, "not 1"),
    ],
)
def test_payload_with_wrong_measures_is_refused(shape: PayloadShape, changes: dict[str, object], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        payload(shape, **changes)
