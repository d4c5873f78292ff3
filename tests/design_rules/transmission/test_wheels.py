"""Wheels and racks as they are measured: place, width and radius, and the limits of each from both sides."""

import numpy as np
import pytest
from build123d import Box, Cylinder, Pos, Rot, Solid
from catalog_shapes.bought_parts import bought_part
from contracts.models.geometry import Vector
from design_rules.bodies.solid_bodies import SolidBody
from design_rules.transmission.racks import Climb, NotARackError, rack_pitch_mm
from design_rules.transmission.shafts import Shaft, misalignment, shafts_of, tilt_deg
from design_rules.transmission.wheels import NotAWheelError, Wheel, require_pitch, wheel_on, wheels_on
from parts_catalog.motors import MOTORS

from tests.design_rules.solid_bodies import body

Z = np.array((0.0, 0.0, 1.0))


def disc(radius_mm: float = 10.0, width_mm: float = 8.0, at: Vector = (3.0, 4.0, 5.0), tilt: float = 0.0) -> SolidBody:
    return body("disc", Pos(*at) * Rot(tilt, 0, 0) * Cylinder(radius_mm, width_mm))


def wheel(radius_mm: float = 10.0, at: Vector = (3.0, 4.0, 5.0)) -> Wheel:
    return wheel_on(disc(radius_mm, at=at), np.array(at), Z)


def test_wheel_has_its_middle_width_and_radius() -> None:
    found = wheel_on(disc(), np.array((3.0, 4.0, -20.0)), Z)
    np.testing.assert_allclose(found.center_mm, (3.0, 4.0, 5.0), atol=1e-6)
    assert (found.half_width_mm, found.tip_mm) == pytest.approx((4.0, 10.0), abs=1e-3)
    assert found.listed_pitch_mm is None


@pytest.mark.parametrize(
    ("off_mm", "is_wheel"), [((0.7, 0.7, 0.0), True), ((0.72, 0.72, 9.0), False), ((0.0, 0.99, 9.0), True)]
)
def test_wheel_is_at_most_1_mm_off_its_axis(off_mm: Vector, is_wheel: bool) -> None:
    axis_point = np.array((3.0, 4.0, 5.0)) - off_mm
    if is_wheel:
        assert wheel_on(disc(), axis_point, Z).tip_mm == pytest.approx(10.0, abs=0.01)
    else:
        with pytest.raises(NotAWheelError, match=r"is 1\.02 mm off its axis, the maximum is 1\.00 mm"):
            wheel_on(disc(), axis_point, Z)


@pytest.mark.parametrize(("radius_mm", "width_mm"), [(10.0, 8.0), (4.0, 20.0)])
@pytest.mark.parametrize(("tilt", "is_wheel"), [(1.9, True), (2.1, False), (-2.1, False)])
def test_wheel_is_tilted_by_at_most_2_degrees(radius_mm: float, width_mm: float, tilt: float, is_wheel: bool) -> None:
    tilted = disc(radius_mm, width_mm, (0, 0, 0), tilt)
    if is_wheel:
        assert wheel_on(tilted, np.zeros(3), Z).center_mm == pytest.approx((0, 0, 0), abs=0.1)
    else:
        with pytest.raises(NotAWheelError, match=r"is tilted by 2\.1° against its axis, the maximum is 2°"):
            wheel_on(tilted, np.zeros(3), Z)


@pytest.mark.parametrize(("flat_mm", "is_wheel"), [(9.1, True), (8.8, False)])
def test_outline_of_a_wheel_is_nowhere_below_nine_tenths_of_its_tip(flat_mm: float, is_wheel: bool) -> None:
    cut = body("cam", Cylinder(10, 8) & Box(2 * flat_mm, 40, 40))
    if is_wheel:
        assert wheel_on(cut, np.zeros(3), Z).tip_mm == pytest.approx(10.0, abs=0.01)
    else:
        with pytest.raises(NotAWheelError, match=r"reaches 10\.00 mm from its middle at most and 8\.80 mm"):
            wheel_on(cut, np.zeros(3), Z)


@pytest.mark.parametrize(
    ("tip_mm", "pitch_mm", "reason"),
    [
        (5.0, 4.0, ""),
        (5.0, 3.99, "has a pitch radius of 3.99 mm, the minimum is 4.00 mm"),
        (10.0, 7.51, ""),
        (10.0, 7.4, "reaches 10.00 mm from its axis, too far for a pitch radius of 7.40 mm"),
    ],
)
def test_pitch_radius_has_a_minimum_and_a_share_of_the_tip(tip_mm: float, pitch_mm: float, reason: str) -> None:
    if not reason:
        assert require_pitch(wheel(tip_mm), pitch_mm) == pitch_mm
    else:
        with pytest.raises(NotAWheelError, match=reason):
            require_pitch(wheel(tip_mm), pitch_mm)


def test_pitch_radius_may_be_at_its_least_share_of_the_tip() -> None:
    disc_wheel = wheel(10.0)
    assert require_pitch(disc_wheel, 0.75 * disc_wheel.tip_mm) == 0.75 * disc_wheel.tip_mm


def test_bought_gear_has_the_pitch_of_its_data_sheet() -> None:
    gear = SolidBody("gear", body("gear", bought_part("gear-m1-z20")).solid, catalog_id="gear-m1-z20")
    center = np.array(tuple(gear.solid.center()))
    found, problems = wheels_on({"gear": gear, "block": body("block", Box(30, 10, 10))}, center, Z)
    assert [each.listed_pitch_mm for each in found] == [10.0]
    assert len(problems) == 1
    assert problems[0].startswith("block ")


def rack(x_mm: float = 0.0, gap_mm: float = 0.0, size: Vector = (80.0, 10.0, 8.0)) -> SolidBody:
    """Return a bar along x whose side faces a wheel of 10 mm at the origin from below."""
    return body("rack", Pos(x_mm, -10.0 - gap_mm - size[1] / 2, 0.0) * Box(*size))


def climbed(
    bar: SolidBody, travel_mm: tuple[float, float] = (-20.0, 30.0), direction: Vector = (1.0, 0.0, 0.0)
) -> float:
    return rack_pitch_mm(wheel(at=(0.0, 0.0, 0.0)), bar, Climb(np.array(direction), travel_mm))


@pytest.mark.parametrize(("gap_mm", "pitch_mm"), [(0.0, 10.0), (0.9, 10.45), (-2.0, 9.0)])
def test_pitch_lies_halfway_between_tip_and_rack(gap_mm: float, pitch_mm: float) -> None:
    assert climbed(rack(gap_mm=gap_mm)) == pytest.approx(pitch_mm, abs=0.02)


def test_rack_farther_than_1_mm_is_refused() -> None:
    with pytest.raises(NotARackError, match=r"is 1\.1\d mm away from disc, the maximum is 1\.00 mm"):
        climbed(rack(gap_mm=1.12))


@pytest.mark.parametrize(
    ("bar", "travel_mm", "bare_mm"),
    [
        (rack(x_mm=19.0), (-20.0, 58.0), None),
        (rack(x_mm=19.0), (-22.0, 58.0), "-22.0"),
        (rack(x_mm=19.0), (-20.0, 60.0), "60.0"),
        (rack(size=(80.0, 2.1, 8.0)), (-20.0, 30.0), None),
        (rack(size=(80.0, 1.8, 8.0)), (-20.0, 30.0), "0.0"),
    ],
)
def test_rack_is_as_long_as_the_travel_and_2_mm_thick(
    bar: SolidBody, travel_mm: tuple[float, float], bare_mm: str | None
) -> None:
    if bare_mm is None:
        assert climbed(bar, travel_mm) == pytest.approx(10.0, abs=0.02)
    else:
        with pytest.raises(NotARackError, match=f"no straight side beside disc at {bare_mm} mm of the travel"):
            climbed(bar, travel_mm)


@pytest.mark.parametrize("notch_mm", [-15.0, 3.0, 22.5])
def test_gap_of_6_mm_in_a_rack_is_found(notch_mm: float) -> None:
    bar = body("rack", Pos(0, -15, 0) * Box(80, 10, 8) - Pos(notch_mm, -10, 0) * Box(6, 4, 8))
    with pytest.raises(NotARackError, match="no straight side beside disc"):
        climbed(bar)


@pytest.mark.parametrize(("angle_deg", "is_square"), [(1.9, True), (2.2, False)])
def test_wheel_climbs_at_a_right_angle_to_its_axis(angle_deg: float, is_square: bool) -> None:
    turn = np.radians(angle_deg)
    direction = (float(np.cos(turn)), 0.0, float(np.sin(turn)))
    if is_square:
        assert climbed(rack(), (-10.0, 10.0), direction) == pytest.approx(10.0, abs=0.02)
    else:
        with pytest.raises(NotARackError, match=r"whose axis is 2\.2° off a right angle"):
            climbed(rack(), (-10.0, 10.0), direction)


@pytest.mark.parametrize("motor_id", ["pololu-25d-hp-47", "pololu-37d-50", "mg996r"])
def test_shaft_of_a_housing_leaves_it_where_the_data_sheet_says(motor_id: str) -> None:
    sheet, point = MOTORS[motor_id], (10.0, 20.0, 30.0)
    turned = Pos(10, 20, 30) * Rot(0, 90, 0) * bought_part(sheet.id)
    shafts = shafts_of(body("motor", turned).solid, sheet.housing, point)
    offsets = [misalignment(shaft, point, (1.0, 0.0, 0.0)) for shaft in shafts]
    assert min(offsets) == pytest.approx((0.0, 0.0), abs=1e-3)
    assert shafts_of(Solid.make_box(7, 8, 9), sheet.housing, point) == []
    grown = Solid.make_cylinder(0.5 * sheet.housing.size_mm[0] + 0.01, sheet.housing.size_mm[2])
    assert shafts_of(grown, sheet.housing, point) == []


def test_shaft_of_a_37d_is_7_mm_beside_the_middle_of_its_housing() -> None:
    sheet = MOTORS["pololu-37d-50"]
    middle = body("motor", Pos(7, 0, 0) * bought_part(sheet.id)).solid
    off_mm = [
        min(misalignment(shaft, point, (0.0, 0.0, 1.0))[0] for shaft in shafts_of(middle, sheet.housing, point))
        for point in ((0.0, 0.0, 5.0), (0.0, 7.0, 5.0), (-4.2, 5.6, -90.0), (0.0, 9.0, 5.0))
    ]
    assert off_mm == pytest.approx([7.0, 0.0, 0.0, 2.0], abs=1e-6)


@pytest.mark.parametrize(
    ("point_mm", "axis", "off_mm", "degrees"),
    [
        ((1.0, 2.0, 9.0), (0.0, 0.0, 4.0), 0.0, 0.0),
        ((4.0, 6.0, -5.0), (0.0, 0.0, -1.0), 5.0, 0.0),
        ((1.0, 2.0, 3.0), (0.0, 3.0, 3.0), 0.0, 45.0),
        ((1.0, 3.0, 3.0), (2.0, 0.0, 0.0), 1.0, 90.0),
    ],
)
def test_misalignment_is_a_distance_and_an_angle(point_mm: Vector, axis: Vector, off_mm: float, degrees: float) -> None:
    found = misalignment(Shaft(np.array((1.0, 2.0, 3.0)), Z, np.array((1.0, 0.0, 0.0))), point_mm, axis)
    assert found == pytest.approx((off_mm, degrees), abs=1e-6)
    assert tilt_deg(Z, np.array(axis)) == pytest.approx(degrees, abs=1e-6)
