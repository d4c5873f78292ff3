from math import pi

import numpy as np
import pytest
from build123d import Cone, Cylinder, Location, Pos, Solid, Sphere, Torus
from geometry.mass_properties import mass_properties
from geometry.occt.meshes import closed_mesh

from tests.support.solids.mesh_moments import moments, worst_difference
from tests.support.solids.random_solids import heldout

R, H, T = 20.0, 50.0, 6.0
"""Millimetres."""

TORUS = 2 * pi**2 * R * T**2
CLOSED_FORMS = {
    "box": (Solid.make_box(10, 20, 30), 6000.0, (6000 * 1300 / 12, 6000 * 1000 / 12, 6000 * 500 / 12)),
    "cylinder": (
        Cylinder(R, H).solid(),
        pi * R**2 * H,
        (pi * R**2 * H * (3 * R**2 + H**2) / 12,) * 2 + (pi * R**4 * H / 2,),
    ),
    "ball": (Sphere(R).solid(), 4 / 3 * pi * R**3, (8 / 15 * pi * R**5,) * 3),
    "ring": (
        Torus(R, T).solid(),
        TORUS,
        (TORUS * (4 * R**2 + 5 * T**2) / 8,) * 2 + (TORUS * (4 * R**2 + 3 * T**2) / 4,),
    ),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_mass_properties_match_closed_forms(name: str) -> None:
    solid, volume, inertia = CLOSED_FORMS[name]
    found = mass_properties(solid, 2700)
    assert found.mass_kg == pytest.approx(volume * 1e-9 * 2700, rel=1e-6)
    assert found.inertia_kg_m2[:3] == pytest.approx([value * 1e-15 * 2700 for value in inertia], rel=1e-6)
    assert found.inertia_kg_m2[3:] == pytest.approx([0, 0, 0], abs=1e-6 * found.inertia_kg_m2[0])


def test_mass_properties_are_in_world_coordinates() -> None:
    turned = Location((100, 0, 5), (0, 0, 30)) * Solid.make_box(30, 10, 10)
    found = mass_properties(turned, 1000)
    corner = np.array([15 * np.cos(pi / 6) - 5 * np.sin(pi / 6), 15 * np.sin(pi / 6) + 5 * np.cos(pi / 6), 5])
    assert found.center_mm == pytest.approx(corner + np.array([100, 0, 5]), rel=1e-6)
    along, across = 3000 * 1e-15 * 1000 * 200 / 12, 3000 * 1e-15 * 1000 * 1000 / 12
    assert found.inertia_kg_m2[3] == pytest.approx((along - across) * np.sin(pi / 6) * np.cos(pi / 6), rel=1e-6)


def test_mass_of_40_mm_pom_ball_is_47_grams() -> None:
    assert mass_properties(Sphere(20).solid(), 1410).mass_kg == pytest.approx(0.047, rel=0.01)


@pytest.mark.parametrize("number", range(100, 106))
def test_mass_properties_of_random_parts_match_fine_mesh(number: int) -> None:
    _, solid = heldout(number)
    found = mass_properties(solid, 1e9)
    wanted = moments(closed_mesh(solid, 0.01, 0.1))
    inertia = tuple(value * 1e6 for value in found.inertia_kg_m2)
    assert worst_difference((found.mass_kg, *inertia), np.array(found.center_mm), wanted) < 1e-3


def test_mass_with_zero_density_raises_value_error() -> None:
    cone = (Pos(0, 0, 3) * Cone(5, 2, 10)).solid()
    with pytest.raises(ValueError, match="positive"):
        mass_properties(cone, 0.0)
