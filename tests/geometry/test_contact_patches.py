"""Contact patches of two solids against closed forms."""

from math import pi

import numpy as np
import pytest
from build123d import Box, Cylinder, Location, Solid
from geometry.arrays import FloatArray
from geometry.occt.contact_patches import ContactPatch, contact_patch
from hypothesis import given, settings
from hypothesis import strategies as st


def solid_at(shape: object, location: Location, place: tuple[float, float, float]) -> Solid:
    placed = (location * Location(place) * shape).solid()  # type: ignore[operator]
    assert isinstance(placed, Solid)
    return placed


def moduli_mm3(patch: ContactPatch) -> FloatArray:
    moments, axes = patch.second_moments_mm4
    return moments / patch.reaches_mm(axes)


@settings(max_examples=20, deadline=None)
@given(long=st.floats(20.0, 200.0), thin=st.floats(1.0, 19.0), turn=st.floats(-180.0, 180.0))
def test_strip_has_the_moduli_of_a_rectangle(long: float, thin: float, turn: float) -> None:
    location = Location((5, 6, 7), (0, 15, turn))
    wall = solid_at(Box(long, thin, 40), location, (0, 0, 20))
    floor = solid_at(Box(300, 300, 5), location, (0, 0, -2.5))
    patch = contact_patch(wall, floor, 0.05)
    assert patch.area_mm2 == pytest.approx(long * thin)
    assert patch.second_moments_mm4[0][:2] == pytest.approx((long * thin**3 / 12, thin * long**3 / 12), rel=1e-4)
    expected = (long * thin**2 / 6, thin * long**2 / 6, long * thin * np.hypot(long, thin) / 6)
    assert moduli_mm3(patch) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("turn", [0.0, 24.0, 45.0])
def test_square_has_the_same_moduli_at_every_turn(turn: float) -> None:
    leg = solid_at(Box(20, 20, 50), Location((0, 0, 0), (0, 0, turn)), (0, 0, 25))
    floor = solid_at(Box(300, 300, 5), Location(), (0, 0, -2.5))
    assert moduli_mm3(contact_patch(leg, floor, 0.05))[:2] == pytest.approx((20**3 / 6, 20**3 / 6))


def test_bush_in_a_bore_resists_all_moments_by_its_curved_face() -> None:
    """A cylinder face of radius r and length l: 2 pi r l (r² / 2 + l² / 12) across, 2 pi r³ l about its axis."""
    radius, length = 8.0, 30.0
    hub = Box(40, 40, length) - Cylinder(radius, length)
    patch = contact_patch(
        solid_at(Cylinder(radius, length), Location(), (0, 0, 0)), solid_at(hub, Location(), (0, 0, 0)), 0.05
    )
    area = 2 * pi * radius * length
    assert patch.area_mm2 == pytest.approx(area, rel=1e-3)
    across, along = area * (radius**2 / 2 + length**2 / 12), area * radius**2
    assert sorted(patch.second_moments_mm4[0]) == pytest.approx(sorted((across, across, along)), rel=1e-3)


def test_solids_apart_have_no_patch() -> None:
    patch = contact_patch(
        solid_at(Box(9, 9, 9), Location(), (0, 0, 0)), solid_at(Box(9, 9, 9), Location(), (20, 0, 0)), 0.05
    )
    assert patch.area_mm2 == pytest.approx(0.0)


@pytest.mark.parametrize("step_mm", [0.0, 0.0001, 0.001, 0.01, 0.03, 0.049])
def test_foot_with_a_step_within_the_gap_is_glued_over_all_of_it(step_mm: float) -> None:
    core = Box(30, 30, 20) + Location((0, 0, -7 + step_mm)) * Box(90, 60, 6)
    floor = solid_at(Box(300, 200, 10), Location(), (0, 0, -15))
    assert contact_patch(solid_at(core, Location(), (0, 0, 0)), floor, 0.05).area_mm2 == pytest.approx(90 * 60)


def test_faces_that_lie_in_one_plane_side_by_side_have_no_patch() -> None:
    left, right = (solid_at(Box(10, 10, 10), Location(), (x, 0, 0)) for x in (0.0, 12.0))
    assert contact_patch(left, right, 0.05).area_mm2 == 0.0
