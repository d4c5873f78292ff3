"""Motors on slides: the pinion and the rack are parts, in the right places, and the radius is measured."""

import pytest
from build123d import Box, Cylinder, Rot
from cad_worker.jobs.design import scene_of
from catalog_shapes.bought_parts import bought_part

from tests.support.designs import Designs
from tests.support.slides import DrivenCart, bond


def refusal(designs: Designs, cart: DrivenCart, **changes: object) -> str:
    """Return the only finding about the motor."""
    findings = cart.findings(designs, motor=cart.drive(**changes))
    (found,) = [finding for finding in findings if finding.rule == "invalid_motor"]
    assert found.label == "motor"
    return found.detail


def test_cart_with_pinion_on_rail_is_accepted(designs: Designs) -> None:
    assert DrivenCart().findings(designs) == ()


def test_scene_has_measured_radius_and_pinion_moves_with_motor(designs: Designs) -> None:
    cart = DrivenCart(pinion_mm=14.0)
    build = scene_of(designs.request(*cart.parts(designs), mechanism=cart.mechanism()))
    assert build.scene is not None, build.findings
    (drive,) = build.scene.drives
    assert drive.pinion_radius_mm == pytest.approx(14.0, abs=0.02)
    assert ("motor", "pinion") in {(weld.first, weld.second) for weld in build.scene.welds}
    assert ("pinion", "rail") in build.scene.touching


def test_declared_radius_does_not_count(designs: Designs) -> None:
    cart = DrivenCart()
    motor = cart.drive(pinion_radius_mm=2.5)
    build = scene_of(designs.request(*cart.parts(designs), mechanism=cart.mechanism(motor)))
    assert build.scene is not None, build.findings
    assert build.scene.drives[0].pinion_radius_mm == pytest.approx(10.0, abs=0.02)


def test_pinion_that_is_only_a_number_is_refused(designs: Designs) -> None:
    detail = refusal(designs, DrivenCart(), pinion=None, rack=None, pinion_radius_mm=2.5)
    assert "by a pinion of 2.5 mm that is only a number; model pinion and rack as parts" in detail


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        ({"rack": None}, "by a rack; model pinion and rack"),
        ({"pinion": "pinon"}, "did you mean pinion?"),
        ({"rack": "floor"}, "the rack 'floor', which is not a part of the design"),
        ({"rack": "cart"}, "the rack cart, which is not connected to rail"),
        ({"pinion": "cart"}, "the pinion cart"),
    ],
)
def test_pinion_or_rack_that_is_not_one_is_refused(designs: Designs, changes: dict[str, object], value: str) -> None:
    assert value in refusal(designs, DrivenCart(), **changes)


@pytest.mark.parametrize(
    ("cart", "value"),
    [
        (DrivenCart(pinion_off_mm=(1.2, 0.0, 0.0)), "1.20 mm off its axis, the maximum is 1.00 mm"),
        (DrivenCart(pinion_off_mm=(0.0, 1.1, 0.0), motor_off_mm=(0.0, 1.1, 0.0)), "1.11 mm away from pinion"),
        (DrivenCart(motor_off_mm=(0.0, 0.0, 20.0)), "27.01 mm before the face"),
        (DrivenCart(pinion_mm=3.9), "has a pitch radius of 3.9"),
        (DrivenCart(pinion=Box(20, 20, 8)), "is not round: its outline reaches 14.14 mm from its middle"),
        (DrivenCart(rail_mm=(175.0, 10.0, 30.0), rail_center_mm=(-30.0, 0.0, 15.0)), "beside pinion at 1"),
    ],
)
def test_pinion_in_wrong_place_is_refused(designs: Designs, cart: DrivenCart, value: str) -> None:
    assert value in refusal(designs, cart)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "cart",
    [
        DrivenCart(pinion_off_mm=(0.9, 0.0, 0.0)),
        DrivenCart(pinion_off_mm=(0.0, 0.9, 0.0), motor_off_mm=(0.0, 0.9, 0.0)),
        DrivenCart(pinion_mm=4.1),
        DrivenCart(rail_mm=(162.0, 10.0, 30.0), rail_center_mm=(-19.0, 0.0, 15.0)),
    ],
)
def test_pinion_just_within_limits_is_accepted(designs: Designs, cart: DrivenCart) -> None:
    assert cart.findings(designs) == ()


def test_shaft_along_travel_is_refused(designs: Designs) -> None:
    turned = Rot(0, 90, 0) * Cylinder(10.0, 8.0)
    lying = DrivenCart(motor_turned_deg=(0.0, 90.0, 0.0), motor_off_mm=(-4.0, 0.0, -11.0 - 0.01), pinion=turned)
    assert "90.0° off a right angle to the travel, the maximum is 2°" in refusal(designs, lying)


def test_glued_pinion_is_refused(designs: Designs) -> None:
    cart = DrivenCart()
    rules = [finding for finding in cart.findings(designs, bond("pinion", "rail")) if finding.rule == "invalid_motor"]
    assert any("leave it out of bond_contacts" in each.detail for each in rules)


@pytest.mark.full
def test_bought_gear_climbs_by_its_pitch_radius(designs: Designs) -> None:
    gear = bought_part("gear-m1-z20-b5")
    cart = DrivenCart(pinion_mm=11.0, pinion=gear)
    parts = cart.parts(designs)
    vars(parts[2])["metadata"] = {"catalog_id": "gear-m1-z20-b5"}
    build = scene_of(designs.request(*parts, mechanism=cart.mechanism()))
    assert build.scene is not None, build.findings
    assert build.scene.drives[0].pinion_radius_mm == pytest.approx(10.0)


def test_teeth_of_made_pinion_and_rack_have_a_price(designs: Designs) -> None:
    cart = DrivenCart()
    bill = designs.judge(*cart.parts(designs), mechanism=cart.mechanism()).bill
    assert bill is not None
    teeth = {line.what: line.unit_price_usd for line in bill.hardware if line.catalog_id == "teeth"}
    assert teeth == {"42 teeth of rail": pytest.approx(0.39), "20 teeth of pinion": pytest.approx(0.20)}
