"""Joints must be carried by their parts, and meshing wheels must meet."""

import pytest
from build123d import Cylinder, Pos
from contracts.models.mechanism import Coupling, Joint

from tests.design_rules.test_mechanism_rules import bond, hinge
from tests.support.designs import Designs


@pytest.mark.parametrize("kind", ["revolute", "ball", "linear", "cylindrical"])
def test_joint_far_from_floor_is_invalid(designs: Designs, kind: str) -> None:
    wing = designs.part("wing", (40, 10, 10), (60, 60, 120))
    found = designs.finding(wing, mechanism=[hinge(kind=kind, parent="floor", child="wing", anchor_mm=(60, 60, 120))])
    assert (found.rule, found.label) == ("invalid_joint", "hinge")
    assert "120.00 mm away from floor, the maximum is 25.00 mm" in found.detail


def test_slider_may_be_far_from_end_of_rail(designs: Designs) -> None:
    rail = designs.part("rail", (200, 20, 10), (0, 0, 5))
    cart = designs.part("cart", (20, 20, 10), (-80, 0, 15))
    slide = hinge(
        "slide", "rail", "cart", kind="linear", anchor_mm=(90, 0, 10), axis=(1, 0, 0), travel_range_mm=(0, 150)
    )
    assert designs.rules(rail, cart, mechanism=[bond("rail", "floor"), slide]) == []


def geared(designs: Designs, second_x: float, *, is_on_first: bool = False) -> list[str]:
    """Return the details about two wheels of 10 and 20 mm radius, with axles on a plate, or the second on the first."""
    plate = designs.part("plate", (140, 60, 10), (30, 0, 5))
    wheels = [
        designs.as_part(name, Pos(x, 0, 13) * Cylinder(r, 6)) for name, x, r in (("one", 0, 10), ("two", second_x, 20))
    ]
    parent = "one" if is_on_first else "plate"
    axles: list[Joint] = [
        hinge("a", "plate", "one", anchor_mm=(0, 0, 13)),
        hinge("b", parent, "two", anchor_mm=(20 if is_on_first else second_x, 0, 13)),
    ]
    couple = Coupling(kind="gear", first="a", second="b", ratio=-0.5)
    mechanism = [bond("plate", "floor"), *axles, couple]
    return [finding.detail for finding in designs.judge(plate, *wheels, mechanism=mechanism).findings]


def test_meshing_wheels_must_meet(designs: Designs) -> None:
    assert geared(designs, 30.3) == []
    (apart,) = geared(designs, 45.0)
    assert "wheels that are 15.00 mm apart (one and two), the maximum is 1.00 mm" in apart


def test_planet_and_sun_share_a_frame(designs: Designs) -> None:
    assert not any("one frame" in detail for detail in geared(designs, 30.3, is_on_first=True))


def test_wheels_on_two_frames_are_invalid(designs: Designs) -> None:
    plate = designs.part("plate", (140, 60, 10), (30, 0, 5))
    bodies = [designs.part(name, (10, 10, 10), (11 * place, 0, 15)) for place, name in enumerate("pqrs")]
    mechanism = [
        bond("plate", "floor"),
        hinge("a", "p", "q", anchor_mm=(5, 0, 15)),
        hinge("b", "r", "s", anchor_mm=(27, 0, 15)),
        Coupling(kind="gear", first="a", second="b", ratio=-1.0),
    ]
    (found,) = designs.judge(plate, *bodies, mechanism=mechanism).findings
    assert (found.rule, found.label) == ("invalid_coupling", "b")
    assert "a and b share none" in found.detail
