"""Rails measured directly: how long a slide lies beside its partner, how far it drifts, and what it runs into."""

import numpy as np
import pytest
from build123d import Box, Cylinder, Pos, Rot
from build123d.topology import Shape
from contracts.models.geometry import Vector
from contracts.models.mechanism import Joint, Range
from design_rules.transmission.guides import unguided

from tests.design_rules.solid_bodies import body
from tests.support.designs import Designs
from tests.support.slides import DrivenCart

AXES: list[Vector] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -2.5)]


def slide(axis: Vector, travel: Range | None) -> Joint:
    fields = {"label": "slide", "kind": "linear", "parent": "rail", "child": "cart", "anchor_mm": (0, 0, 0)}
    return Joint.model_validate({**fields, "axis": axis, "travel_range_mm": travel})


def along(axis: Vector, length: float, at: float = 0.0, aside: float = 0.0, *, is_round: bool = False) -> Shape[object]:
    """Return a bar of this length along an axis, 10 mm thick, at a place along it, and aside of it."""
    direction = np.array(axis) / np.linalg.norm(axis)
    across = np.roll(np.abs(direction), 1)
    x, y, z = (float(each) for each in np.where(np.abs(direction) > 0.5, length, 10.0))
    place = [float(each) for each in at * direction + aside * across]
    turn = {0: Rot(0, 90, 0), 1: Rot(90, 0, 0), 2: Rot(0, 0, 0)}[int(np.argmax(np.abs(direction)))]
    shape = turn * Cylinder(5, length) if is_round else Box(x, y, z)
    return Pos(place[0], place[1], place[2]) * shape


def guided(axis: Vector, travel: Range, *, cart_mm: float = 30.0, is_round: bool = False) -> str | None:
    """Return what is wrong with a cart in the middle of a rail of 100 mm, 10.5 mm aside of it."""
    cart = along(axis, cart_mm, aside=10.5, is_round=is_round)
    return unguided(body("rail", along(axis, 100.0)), body("cart", cart), slide(axis, travel))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("is_round", [False, True])
def test_slide_lies_beside_its_rail_over_ten_millimetres_at_both_ends(axis: Vector, is_round: bool) -> None:
    """50 mm of rail from the middle, and 15 of the cart: 10 are left after 55 mm."""
    for travel in ((-54.9, 0.0), (0.0, 54.9), (-54.9, 54.9)):
        assert guided(axis, travel, is_round=is_round) is None
    for travel, place in (((-55.2, 10.0), "-55.2"), ((-10.0, 55.2), "55.2")):
        found = guided(axis, travel, is_round=is_round)
        assert found is not None
        assert found.startswith(f"leaves its guide: at {place} mm of its travel from {travel[0]:g} to {travel[1]:g} mm")
        assert "cart lies beside rail over 9.80 mm, at least 10.00 mm are needed" in found


def test_short_slide_lies_beside_its_rail_with_all_its_length() -> None:
    assert guided((1, 0, 0), (0.0, 46.0), cart_mm=8.0) is None
    assert "over 7.50 mm, at least 8.00 mm" in (guided((1, 0, 0), (0.0, 46.5), cart_mm=8.0) or "")
    cases = ((6.0, 30.0, 15.0, "over 3.00 mm, at least 6.00"), (50.0, 20.0, 90.0, "over 0"))
    for rail_mm, cart_mm, most, problem in cases:
        rail, cart = along((1, 0, 0), rail_mm), along((1, 0, 0), cart_mm, aside=10.5)
        found = unguided(body("rail", rail), body("cart", cart), slide((1, 0, 0), (0.0, most)))
        assert problem in (found or "")


def test_nearest_place_that_is_wrong_is_named() -> None:
    assert "at -60 mm" in (guided((1, 0, 0), (-60.0, 80.0)) or "")
    assert "at 60 mm" in (guided((1, 0, 0), (-80.0, 60.0)) or "")


def drifting(slope: float, travel: Range, aside: float = 10.5) -> str | None:
    """Return what is wrong with a cart that moves away from its rail by a slope."""
    axis = (float(np.cos(slope)), float(np.sin(slope)), 0.0)
    cart = body("cart", Pos(0, aside, 0) * Box(30, 10, 10))
    return unguided(body("rail", Box(200, 10, 10)), cart, slide(axis, travel))


@pytest.mark.parametrize(("travel", "is_right"), [((0.0, 19.8), True), ((0.0, 20.4), False), ((-19.0, 19.8), False)])
def test_slide_may_drift_by_a_millimetre(travel: Range, is_right: bool) -> None:
    """0.05 mm for each mm, away from the rail, or into it: half a millimetre of gap is used up after 10 mm."""
    found = drifting(0.05, travel)
    assert (found is None) is is_right
    if travel == (0.0, 20.4):
        assert found is not None
        assert found.startswith("leaves its guide: at 20.4 mm of its travel from 0 to 20.4 mm, cart is 1.52 mm away")
        assert "the maximum is 1.50 mm" in found
    if travel[0] < 0:
        assert found is not None
        assert found.startswith("slides into its own guide: at -")


@pytest.mark.parametrize(("aside", "is_right"), [(14.99, True), (15.01, False)])
def test_slide_is_at_most_five_millimetres_beside_its_rail(aside: float, is_right: bool) -> None:
    assert (drifting(0.0, (0.0, 20.0), aside) is None) is is_right


@pytest.mark.parametrize("place", [25.0, -35.0, 37.0, 44.0])
def test_lug_of_the_rail_in_the_way_is_found_on_the_travel(place: float) -> None:
    """A lug 4 mm long, which a cart of 30 mm meets over 34 mm of its travel."""
    rail = Box(200, 10, 10) + Pos(place * 1.8, 8, 0) * Box(4, 8, 10)
    found = unguided(body("rail", rail), body("cart", Pos(0, 10.5, 0) * Box(30, 10, 10)), slide((1, 0, 0), (-70, 80)))
    assert found is not None
    assert found.startswith("slides into its own guide: at ")
    overlap = float(found.split("overlaps rail by ")[1].split(" ")[0])
    assert 1.0 < overlap <= 4 * 6.5 * 10 + 1


def test_overlap_of_a_cubic_millimetre_counts_as_touch() -> None:
    for deep, is_right in ((0.003, True), (0.004, False)):
        cart = body("cart", Pos(0, 10 - deep, 0) * Box(30, 10, 10))
        assert (unguided(body("rail", Box(200, 10, 10)), cart, slide((1, 0, 0), (0, 20))) is None) is is_right


def test_slide_without_limits_has_no_rail() -> None:
    cart = body("cart", Pos(0, 10.5, 0) * Box(30, 10, 10))
    assert "slides without limits" in (unguided(body("rail", Box(200, 10, 10)), cart, slide((1, 0, 0), None)) or "")


def reversed_cart(designs: Designs, axis: Vector) -> list[str]:
    """Return the details about a cart that carries the joint, so that the rail is its child."""
    cart = DrivenCart()
    mechanism = [
        each.model_copy(update={"parent": "cart", "child": "rail", "axis": axis}) if isinstance(each, Joint) else each
        for each in cart.mechanism()
    ]
    findings = designs.judge(*cart.parts(designs), mechanism=mechanism).findings
    return [each.detail for each in findings if each.rule == "invalid_motor"]


def test_pinion_climbs_the_other_way_where_its_carrier_is_the_parent(designs: Designs) -> None:
    """The cart travels 120 mm towards +x: the rail, as its child, moves as far towards -x."""
    assert reversed_cart(designs, (-1.0, 0.0, 0.0)) == []
    (found,) = reversed_cart(designs, (1.0, 0.0, 0.0))
    assert "rail has no straight side beside pinion at" in found
