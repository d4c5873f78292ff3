"""How long the teeth of made wheels and racks are: the rim of a wheel, and the travel of a rack."""

from math import pi

import pytest
from build123d import Box, Cylinder, Pos, Solid
from build123d.topology import Shape
from contracts.models.geometry import Vector
from contracts.models.mechanism import Constant, Coupling, Joint, Mechanism, Motor, Range
from design_rules.bodies.solid_bodies import Part
from design_rules.transmission.teeth import pitch_lines_mm


def part(label: str, shape: Shape[object], catalog_id: str | None = None) -> Part:
    (solid,) = shape.solids()
    assert isinstance(solid, Solid)
    return Part(label, solid, catalog_id=catalog_id)


PARTS = (
    part("pinion", Pos(0, 0, 40) * Cylinder(6, 8)),
    part("rack", Pos(0, 50, 0) * Box(90, 10, 8)),
    part("wheel", Cylinder(10, 6)),
    part("block", Pos(0, 0, 20) * Box(30, 10, 6)),
    part("bought", Pos(0, 0, 60) * Cylinder(7, 6), "gear-m1-z20"),
)
AXIS: Vector = (0.0, 0.0, 1.0)


def joint(label: str, kind: str, child: str, travel: Range | None = None, axis: Vector = AXIS) -> Joint:
    ends = {"parent": "frame", "child": child, "anchor_mm": (0, 0, 0), "axis": axis, "travel_range_mm": travel}
    return Joint.model_validate({"label": label, "kind": kind, **ends})


def motor(joint_label: str = "slide", pinion: str | None = "pinion", rack: str | None = "rack") -> Motor:
    return Motor(part="motor", joint=joint_label, control=Constant(share=1.0), pinion=pinion, rack=rack)


@pytest.mark.parametrize(("travel", "length"), [((-20.0, 50.0), 70.0), ((-20.0, 75.0), 90.0), (None, 90.0)])
def test_motor_needs_teeth_round_its_pinion_and_along_the_travel_of_its_rack(
    travel: Range | None, length: float
) -> None:
    mechanism = Mechanism(joints=(joint("slide", "linear", "cart", travel),), motors=(motor(),))
    assert pitch_lines_mm(PARTS, mechanism) == pytest.approx({"pinion": 12 * pi, "rack": length})


def test_rack_of_an_unknown_joint_has_teeth_all_along() -> None:
    assert pitch_lines_mm(PARTS, Mechanism(motors=(motor("ghost", None),))) == pytest.approx({"rack": 90.0})


def test_bought_or_missing_parts_need_no_teeth() -> None:
    assert pitch_lines_mm(PARTS, Mechanism(motors=(motor(pinion="bought", rack="ghost"),))) == {}
    assert pitch_lines_mm(PARTS, Mechanism(motors=(motor(pinion=None, rack=None),))) == {}


def test_coupled_joints_need_teeth_on_their_wheels_and_on_what_slides() -> None:
    turn, slide = joint("turn", "revolute", "wheel"), joint("slide", "linear", "rack", (-10.0, 30.0), (1.0, 0.0, 0.0))
    couplings = (Coupling(kind="rack", first="turn", second="slide", ratio=1.0),)
    found = pitch_lines_mm(PARTS[1:4], Mechanism(joints=(turn, slide), couplings=couplings))
    assert found == pytest.approx({"wheel": 20 * pi, "rack": 40.0}, rel=1e-3)
    of_wheels = pitch_lines_mm(PARTS, Mechanism(joints=(turn,), couplings=couplings))
    assert of_wheels == pytest.approx({"wheel": 20 * pi, "pinion": 12 * pi}, rel=1e-3), "all that is round on the axis"


def test_joint_with_a_long_axis_or_none_is_read_by_its_direction() -> None:
    couplings = (Coupling(kind="gear", first="turn", second="turn", ratio=1.0),)
    long = Mechanism(joints=(joint("turn", "revolute", "wheel", axis=(0.0, 0.0, 5.0)),), couplings=couplings)
    assert pitch_lines_mm(PARTS[2:3], long) == pytest.approx({"wheel": 20 * pi}, rel=1e-3)
    none = Mechanism(joints=(joint("turn", "revolute", "wheel", axis=(0.0, 0.0, 0.0)),), couplings=couplings)
    assert pitch_lines_mm(PARTS, none) == {}


def test_slide_of_the_environment_needs_no_teeth() -> None:
    couplings = (Coupling(kind="rack", first="ghost", second="slide", ratio=1.0),)
    assert pitch_lines_mm(PARTS, Mechanism(joints=(joint("slide", "linear", "theirs"),), couplings=couplings)) == {}
