"""Which wheels and racks mesh, how far apart they may be, and in which direction they turn or move each other."""

from math import cos, radians, sin
from typing import Any

import pytest
from build123d import Box, Cylinder, Pos, Rot
from catalog_shapes.bought_parts import bought_part
from contracts.models.geometry import Vector
from contracts.models.mechanism import Joint, Range
from design_rules.bodies.solid_bodies import SolidBody
from design_rules.transmission.meshes import CoupledJoint, NoMeshError, gear_ratio, rack_ratio

from tests.design_rules.solid_bodies import body

UP: Vector = (0.0, 0.0, 1.0)
DOWN: Vector = (0.0, 0.0, -1.0)


def turning(
    x: float, *moved: SolidBody, axis: Vector = UP, label: str = "axle", is_child_moving: bool = True
) -> CoupledJoint:
    joint = Joint(label=label, kind="revolute", parent="frame", child="wheel", anchor_mm=(x, 0.0, 0.0), axis=axis)
    return CoupledJoint(joint, is_child_moving, {each.label: each for each in moved})


def disc(label: str, x: float, radius: float, z: float = 0.0, *, tilt: float = 0.0) -> SolidBody:
    return body(label, Pos(x, 0, z) * Rot(0, tilt, 0) * Cylinder(radius, 6.0))


def geared(gap: float, z: float = 0.0) -> float:
    """Return the ratio of a wheel of 10 mm and one of 20 mm with this gap between their rims."""
    first, second = disc("first", 0.0, 10.0), disc("second", 30.0 + gap, 20.0, z)
    return gear_ratio(turning(0.0, first), turning(30.0 + gap, second))


@pytest.mark.parametrize(("gap", "z"), [(0.0, 0.0), (0.9, 0.0), (-1.0, 0.0), (0.1, 2.9), (0.1, -2.9)])
def test_wheels_mesh_up_to_a_millimetre_apart(gap: float, z: float) -> None:
    """Sideways they are 6 mm wide, and share 3 mm at least."""
    expected = -(10 + gap / 2) / (20 + gap / 2)
    assert geared(gap, z) == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize(("gap", "z", "apart"), [(1.1, 0.0, "1.10"), (0.0, 7.2, "1.20"), (0.8, 6.8, "1.13")])
def test_wheels_farther_apart_do_not_mesh(gap: float, z: float, apart: str) -> None:
    with pytest.raises(NoMeshError, match=rf"has wheels that are {apart} mm apart \(first and second\)"):
        geared(gap, z)


@pytest.mark.parametrize("first_axis", [UP, DOWN])
@pytest.mark.parametrize("second_axis", [UP, DOWN])
@pytest.mark.parametrize("is_child_moving", [True, False])
def test_wheels_turn_each_other_backwards(first_axis: Vector, second_axis: Vector, is_child_moving: bool) -> None:
    first = turning(0.0, disc("first", 0.0, 10.0), axis=first_axis)
    second = turning(30.0, disc("second", 30.0, 20.0), axis=second_axis, is_child_moving=is_child_moving)
    sign = -1.0 if (first_axis == second_axis) is is_child_moving else 1.0
    assert gear_ratio(first, second) == pytest.approx(sign * 0.5, rel=0.01)


@pytest.mark.parametrize(("tilt", "is_parallel"), [(1.9, True), (2.1, False)])
def test_axes_are_parallel_within_two_degrees(tilt: float, is_parallel: bool) -> None:
    axis = (sin(radians(tilt)), 0.0, cos(radians(tilt)))
    first, second = turning(0.0, disc("first", 0, 10)), turning(30.0, disc("second", 30, 20, tilt=tilt), axis=axis)
    if is_parallel:
        assert gear_ratio(first, second) == pytest.approx(-0.5, rel=0.03)
    else:
        with pytest.raises(NoMeshError, match=r"has axes at 2\.1° to each other, the maximum is 2°"):
            gear_ratio(first, second)


def test_nearest_of_several_wheels_on_an_axis_meshes() -> None:
    low, high = disc("low", 0.0, 10.0), disc("high", 0.0, 15.0, z=30.0)
    second = turning(35.0, disc("second", 35.0, 20.0, z=30.0))
    assert gear_ratio(turning(0.0, low, high), second) == pytest.approx(-15 / 20, rel=0.01)


def test_joint_without_a_wheel_is_explained_by_its_first_three_parts() -> None:
    blocks = [body(label, Box(20, 5, 5)) for label in "abcd"]
    with pytest.raises(
        NoMeshError, match=r"no wheel on arm, a disc .* a is not round.*b is not round.*c is not"
    ) as found:
        gear_ratio(turning(0.0, *blocks, label="arm"), turning(30.0, disc("second", 30, 20)))
    assert "; d " not in str(found.value)
    with pytest.raises(NoMeshError, match="on its axis: it moves no part"):
        gear_ratio(turning(0.0, label="arm"), turning(30.0, disc("second", 30, 20)))


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("apart", "is_right"), [(30.0, True), (30.9, True), (29.1, True), (31.2, False), (28.8, False)]
)
def test_bought_gears_mesh_at_the_sum_of_their_pitch_radii(apart: float, is_right: bool) -> None:
    places = {"gear-m1-z20": 0.0, "gear-m1-z40": apart}
    gears = [body(id_, Pos(x, 0, 0) * bought_part(id_), id_) for id_, x in places.items()]
    small, large = turning(0.0, gears[0]), turning(apart, gears[1])
    if is_right:
        assert gear_ratio(small, large) == pytest.approx(-0.5)
    else:
        with pytest.raises(NoMeshError, match=rf"has axes {apart:.2f} mm apart, but the gears .* mesh at 30\.00 mm"):
            gear_ratio(small, large)


def sliding(rack: SolidBody | None, axis: Vector, travel: Range | None = (-20.0, 20.0), **more: Any) -> CoupledJoint:
    joint = Joint(
        label="slide",
        kind="linear",
        parent="frame",
        child="bar",
        anchor_mm=(0, 0, 0),
        axis=axis,
        travel_range_mm=travel,
    )
    moved = {} if rack is None else {rack.label: rack}
    return CoupledJoint(joint, more.get("is_child_moving", True), moved | more.get("others", {}))


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("along", [1.0, -1.0])
@pytest.mark.parametrize("axis", [UP, DOWN])
@pytest.mark.parametrize("is_child_moving", [True, False])
def test_rim_carries_the_rack_along(side: float, along: float, axis: Vector, is_child_moving: bool) -> None:
    """About z, the rim at +y moves towards -x; 10 mm of radius are 0.1745 mm for each degree."""
    rack = body("rack", Pos(7, side * 15, 0) * Box(120, 10, 8))
    slide = sliding(rack, (along, 0.0, 0.0), is_child_moving=is_child_moving)
    sign = -side * along * axis[2] * (1.0 if is_child_moving else -1.0)
    wheel = turning(0.0, disc("wheel", 0.0, 10.0), axis=axis)
    assert rack_ratio(wheel, slide) == pytest.approx(sign * radians(10.0), rel=0.01)


def test_one_of_several_parts_may_be_the_rack() -> None:
    rack, block = body("rack", Pos(0, 15, 0) * Box(120, 10, 8)), body("block", Pos(0, 60, 0) * Box(20, 20, 20))
    slide = sliding(rack, (1.0, 0.0, 0.0), others={"block": block})
    assert rack_ratio(turning(0.0, disc("wheel", 0.0, 10.0)), slide) == pytest.approx(-radians(10.0), rel=0.01)


def test_rack_is_looked_for_on_the_whole_travel_of_the_joint() -> None:
    """The wheel stays: where the bar moves by +30 mm, the wheel meets it at -30."""
    rack = body("rack", Pos(-25, 15, 0) * Box(70, 10, 8))
    wheel = turning(0.0, disc("wheel", 0.0, 10.0))
    assert rack_ratio(wheel, sliding(rack, (1.0, 0.0, 0.0), (-9.0, 55.0))) == pytest.approx(-radians(10.0), rel=0.01)
    with pytest.raises(NoMeshError, match="has no rack: rack has no straight side beside wheel at"):
        rack_ratio(wheel, sliding(rack, (1.0, 0.0, 0.0), (-30.0, 30.0)))


@pytest.mark.parametrize(
    ("slide", "problem"),
    [
        (sliding(None, (1.0, 0.0, 0.0)), "has no rack; add one as a part"),
        (sliding(None, (1.0, 0.0, 0.0), None), "couples slide, whose travel has no limits"),
        (sliding(body("far", Pos(0, 40, 0) * Box(120, 10, 8)), (1.0, 0.0, 0.0)), "has no rack: far is 25.00 mm away"),
    ],
)
def test_wheel_without_a_rack_is_explained(slide: CoupledJoint, problem: str) -> None:
    with pytest.raises(NoMeshError, match=problem):
        rack_ratio(turning(0.0, disc("wheel", 0.0, 10.0)), slide)
