"""Sections of a solid against the closed forms of beam theory."""

from math import pi

import numpy as np
import pytest
from build123d import Box, Cylinder, Location, Pos, Solid
from geometry.boxes import recognise_box
from geometry.sections.beam_sections import SECTIONS, SectionedAxis, principal_axes, sectioned_axes, sections_mesh
from hypothesis import given, settings
from hypothesis import strategies as st


def sections_of(shape: object) -> tuple[SectionedAxis, ...]:
    solid = shape.solid()  # type: ignore[attr-defined]
    assert isinstance(solid, Solid)
    return sectioned_axes(sections_mesh(solid), principal_axes(solid, recognise_box(solid)))


@settings(max_examples=25, deadline=None)
@given(
    width=st.floats(1.0, 20.0),
    height=st.floats(1.0, 20.0),
    turn=st.floats(-180.0, 180.0),
    tilt=st.floats(-90.0, 90.0),
)
def test_rectangle_anywhere_has_the_closed_form(width: float, height: float, turn: float, tilt: float) -> None:
    long, _ = sections_of(Location((7, -3, 11), (tilt, 20, turn)) * Box(width, height, 50))
    small, large = sorted((width, height))
    assert len(long.sections) == SECTIONS
    assert long.end_mm - long.start_mm == pytest.approx(50)
    for section in long.sections:
        assert section.area_mm2 == pytest.approx(width * height, rel=1e-6)
        assert section.second_moments_mm4 == pytest.approx((large * small**3 / 12, small * large**3 / 12), rel=1e-5)
        assert section.moduli_mm3[0] * section.moduli_mm3[1] == pytest.approx((width * height) ** 3 / 36, rel=1e-3)
        assert 2 * section.area_mm2 / section.perimeter_mm == pytest.approx(width * height / (width + height))


def test_tube_has_the_closed_form_within_the_mesh() -> None:
    long, _ = sections_of(Cylinder(12, 90) - Cylinder(10, 90))
    area, moment = pi * (12**2 - 10**2), pi / 4 * (12**4 - 10**4)
    for section in long.sections:
        assert section.area_mm2 == pytest.approx(area, rel=0.02)
        assert section.second_moments_mm4 == pytest.approx((moment, moment), rel=0.02)
        assert section.moduli_mm3 == pytest.approx((moment / 12, moment / 12), rel=0.02)
        assert 2 * section.area_mm2 / section.perimeter_mm == pytest.approx(2.0, rel=0.02)


def test_angle_profile_bends_most_easily_about_the_line_of_its_legs_ends() -> None:
    """A 20 x 20 x 2 angle: I about an edge-parallel axis and the product of inertia give the principal moments."""
    long, _ = sections_of(Pos(10, 1, 0) * Box(20, 2, 100) + Pos(1, 11, 0) * Box(2, 18, 100))
    areas, places = np.array([40.0, 36.0]), np.array([[10.0, 1.0], [1.0, 11.0]])
    middle = (areas[:, None] * places).sum(axis=0) / areas.sum()
    own = np.array([[[20**3 * 2, 0], [0, 20 * 2**3]], [[18 * 2**3, 0], [0, 18**3 * 2]]]) / 12
    offsets = places - middle
    tensor = sum(own[i] + areas[i] * np.outer(offsets[i], offsets[i]) for i in range(2))
    expected = np.linalg.eigvalsh(tensor)
    for section in long.sections:
        assert section.area_mm2 == pytest.approx(76)
        assert section.second_moments_mm4 == pytest.approx(expected, rel=1e-6)
        assert abs(section.axes[0] @ np.array([1, -1, 0])) == pytest.approx(2**0.5, rel=1e-6)
        assert section.center_mm[:2] == pytest.approx(middle)


def test_plate_is_cut_along_its_two_long_axes() -> None:
    axes = sections_of(Box(100, 60, 3))
    assert [axis.end_mm - axis.start_mm for axis in axes] == pytest.approx([100, 60])
    assert axes[0].sections[5].second_moments_mm4[0] == pytest.approx(60 * 27 / 12)
    assert axes[1].sections[5].second_moments_mm4[0] == pytest.approx(100 * 27 / 12)
