"""Cores of plane sections: closed forms of prints with a shell."""

import math

import numpy as np
import pytest
from build123d import Box, Cylinder, Pos, Rot, Solid
from geometry.sections.beam_sections import PlaneSection, sectioned_axes, sections_mesh
from geometry.sections.cores import core_shares

SHELL_MM = 1.4


def middle_section(solid: Solid, shell_mm: float | None = SHELL_MM) -> PlaneSection:
    longest = sectioned_axes(sections_mesh(solid), np.eye(3), shell_mm)[0]
    return longest.sections[6]


@pytest.mark.parametrize(("width", "height"), [(20.0, 20.0), (8.0, 60.0), (60.0, 8.0)])
def test_core_of_a_rectangle_is_a_smaller_rectangle(width: float, height: float) -> None:
    core = middle_section(Box(150, width, height).solid()).core
    thin, thick = sorted((width, height))
    assert core.area == pytest.approx((thin - 2.8) * (thick - 2.8) / (thin * thick), rel=1e-5)
    # The smaller moment comes first.
    about_thin = ((thin - 2.8) / thin) ** 3 * (thick - 2.8) / thick
    about_thick = ((thick - 2.8) / thick) ** 3 * (thin - 2.8) / thin
    assert core.moments == pytest.approx([about_thin, about_thick], rel=1e-5)


def test_core_of_a_tube_lies_within_its_wall() -> None:
    tube = (Cylinder(20, 150) - Cylinder(14, 150)).solid()
    core = middle_section(tube).core
    assert core.area == pytest.approx((18.6**2 - 15.4**2) / (20**2 - 14**2), rel=0.01)
    assert core.moments == pytest.approx([(18.6**4 - 15.4**4) / (20**4 - 14**4)] * 2, rel=0.01)


def test_core_of_a_box_with_two_cells_counts_all_its_walls() -> None:
    """Two holes of 10 x 20 mm, 10 mm apart: a frame of 40 x 40 mm with a wall in the middle."""
    solid = Box(150, 40, 40) - Pos(0, -10, 0) * Box(150, 10, 20) - Pos(0, 10, 0) * Box(150, 10, 20)
    core = middle_section(solid.solid()).core
    area = 37.2**2 - 2 * 12.8 * 22.8
    assert core.area == pytest.approx(area / (40**2 - 2 * 10 * 20), rel=1e-5)


def test_wall_thinner_than_two_shells_has_no_core() -> None:
    assert middle_section(Box(150, 2.7, 60).solid()).core.area == 0
    assert math.isclose(middle_section(Box(150, 20, 60).solid(), None).core.area, 0)


@pytest.mark.parametrize("seed", range(20))
def test_section_in_the_plane_of_a_step_is_that_of_one_side(seed: int) -> None:
    """However the step is turned, rounding puts its face's corners on either side of the plane."""
    step = Box(120, 20, 15) - Pos(27.5, 0, 5) * Box(65, 20, 5)  # from the plane of a section on, 10 high and not 15
    turned = Rot(*np.random.default_rng(seed).uniform(0, 360, 3)) * step
    axes = np.array([list(each) for each in (turned.location.x_axis.direction, turned.location.y_axis.direction)])
    along, _ = sectioned_axes(sections_mesh(turned.solid()), axes, SHELL_MM)
    areas = [section.area_mm2 for section in along.sections]
    assert all(math.isclose(area, 300, rel_tol=1e-6) or math.isclose(area, 200, rel_tol=1e-6) for area in areas)
    assert all(0 < section.core.area < 1 and (section.core.moments < 1).all() for section in along.sections)


def test_outline_that_lacks_an_edge_is_closed() -> None:
    corners = np.array([[-10.0, -10.0], [10.0, -10.0], [10.0, 10.0], [-10.0, 10.0]])
    found = core_shares(corners[:3], corners[1:], SHELL_MM)
    assert found.area == pytest.approx((17.2 / 20) ** 2, rel=1e-5)
