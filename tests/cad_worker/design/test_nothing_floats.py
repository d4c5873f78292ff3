"""No free lunch: a joint in mid-air carries nothing, and wheels that do not meet turn nothing."""

import pytest
from build123d import Cylinder, Pos
from contracts.models.mechanism import Coupling, Joint

from tests.cad_worker.design.shop import Shop
from tests.cad_worker.design.test_mechanism_rules import bond, hinge


@pytest.mark.parametrize("kind", ["revolute", "ball", "linear", "cylindrical"])
def test_a_joint_to_a_floor_far_below_carries_nothing(shop: Shop, kind: str) -> None:
    wing = shop.part("wing", (40, 10, 10), (60, 60, 120))
    found = shop.finding(wing, mechanism=[hinge(kind=kind, parent="floor", child="wing", anchor_mm=(60, 60, 120))])
    assert (found.rule, found.label) == ("invalid_joint", "hinge")
    assert "is 120.00 mm away from floor, at most 25.00 mm is believed" in found.detail


def test_a_slider_may_be_far_from_the_end_of_its_rail(shop: Shop) -> None:
    rail = shop.part("rail", (200, 20, 10), (0, 0, 5))
    cart = shop.part("cart", (20, 20, 10), (-80, 0, 15))
    slide = hinge("slide", "rail", "cart", kind="linear", anchor_mm=(90, 0, 10), axis=(1, 0, 0))
    assert shop.rules(rail, cart, mechanism=[bond("rail", "floor"), slide]) == []


def geared(shop: Shop, second_x: float, *, is_on_first: bool = False) -> list[str]:
    """Return what is said of two wheels of 10 and 20 mm, whose axles stand on one plate, or the second on the first."""
    plate = shop.part("plate", (140, 60, 10), (30, 0, 5))
    wheels = [shop.made(name, Pos(x, 0, 13) * Cylinder(r, 6)) for name, x, r in (("one", 0, 10), ("two", second_x, 20))]
    parent = "one" if is_on_first else "plate"
    axles: list[Joint] = [
        hinge("a", "plate", "one", anchor_mm=(0, 0, 13)),
        hinge("b", parent, "two", anchor_mm=(20 if is_on_first else second_x, 0, 13)),
    ]
    couple = Coupling(kind="gear", first="a", second="b", ratio=-0.5)
    said = [bond("plate", "floor"), *axles, couple]
    return [finding.detail for finding in shop.judge(plate, *wheels, mechanism=said).findings]


def test_wheels_mesh_where_they_meet(shop: Shop) -> None:
    assert geared(shop, 30.3) == []
    (apart,) = geared(shop, 45.0)
    assert "gear of a and b binds parts that are 15.00 mm apart, at most 1.00 mm is believed" in apart


def test_wheels_that_belong_to_one_frame_each_way_are_a_planet_and_its_sun(shop: Shop) -> None:
    assert not any("needs one frame" in said for said in geared(shop, 30.3, is_on_first=True))


def test_wheels_on_two_frames_do_not_mesh(shop: Shop) -> None:
    plate = shop.part("plate", (140, 60, 10), (30, 0, 5))
    bodies = [shop.part(name, (10, 10, 10), (11 * place, 0, 15)) for place, name in enumerate("pqrs")]
    said = [
        bond("plate", "floor"),
        hinge("a", "p", "q", anchor_mm=(5, 0, 15)),
        hinge("b", "r", "s", anchor_mm=(27, 0, 15)),
        Coupling(kind="gear", first="a", second="b", ratio=-1.0),
    ]
    (found,) = shop.judge(plate, *bodies, mechanism=said).findings
    assert found.rule == "invalid_coupling"
    assert "a and b share none" in found.detail
