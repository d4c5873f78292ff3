"""The weakest cuts of solids: necks in any direction, and closed forms of their sections."""

from math import pi

import pytest
from build123d import Axis, Box, Cylinder, Plane, Polygon, Pos, Rot, Solid, Sphere, revolve
from geometry.boxes import recognise_box
from geometry.sections.beam_sections import principal_axes, sections_mesh
from geometry.sections.cuts import WeakCut, weakest_cuts
from hypothesis import given, settings
from hypothesis import strategies as st


def cuts_of(shape: object) -> list[WeakCut]:
    solid = shape.solid()  # type: ignore[attr-defined]
    assert isinstance(solid, Solid)
    return weakest_cuts(solid, sections_mesh(solid), principal_axes(solid, recognise_box(solid)))


@settings(max_examples=12, deadline=None)
@given(
    neck=st.floats(0.1, 4.0),
    height=st.floats(-6.0, 6.0),
    turn=st.floats(-80.0, 80.0),
    tilt=st.floats(-8.0, 8.0),
)
def test_square_neck_in_any_cut_is_the_weakest(neck: float, height: float, turn: float, tilt: float) -> None:
    gap = Pos(0, 0, height) * Rot(0, tilt, turn) * (Box(200, 200, 0.4) - Box(neck, neck, 1))
    weakest = cuts_of(Rot(30, 40, 50) * (Box(60, 50, 24) - gap))[0]
    assert weakest.area_mm2 == pytest.approx(neck**2, rel=1e-3)
    # The axes of a square are arbitrary: about a diagonal, its modulus is less by the square root of 2.
    assert all(0.7 < modulus / (neck**3 / 6) < 1.02 for modulus in weakest.moduli_mm3)
    assert 0.6 < weakest.twist_modulus_mm3 / (0.208 * neck**3) < 1.05


def test_round_groove_of_a_rod_is_the_weakest() -> None:
    groove = revolve(Plane.XZ * Polygon((2, 10), (9, 8), (9, 12), align=None), Axis.Z)  # pyright: ignore[reportArgumentType] - a sketch is a face
    weakest = cuts_of(Rot(20, 70, 10) * (Cylinder(6, 60) - groove))[0]
    assert weakest.area_mm2 == pytest.approx(pi * 2**2, rel=0.1)
    assert 0.6 < weakest.twist_modulus_mm3 / (pi * 2**3 / 2) < 1.05


def test_neck_between_two_spherical_bites_is_found() -> None:
    bitten = Box(40, 20, 20) - Pos(0, 20, 0) * Sphere(19) - Pos(0, -20, 0) * Sphere(19)
    assert cuts_of(bitten)[0].area_mm2 == pytest.approx(78.5, rel=0.02)


def test_tube_counts_as_closed() -> None:
    exact = pi * (12**4 - 10**4) / (2 * 12)
    (tube, *_) = cuts_of(Cylinder(12, 200) - Cylinder(10, 200))
    assert 0.6 < tube.twist_modulus_mm3 / exact < 1.02


def test_tip_of_a_wedge_is_not_a_neck() -> None:
    wedge = Solid.extrude(Polygon((0, 0), (60, 0), (0, 20), align=None).face(), (0, 0, 30))
    assert min(cut.area_mm2 for cut in cuts_of(wedge)) > 100
