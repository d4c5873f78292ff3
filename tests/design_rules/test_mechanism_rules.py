"""Rules for connections, joints, motors, couplings and bought parts: rule codes and measured values."""

from math import inf

import pytest
from build123d import Box, Cylinder, Part, Pos, Rot
from catalog_shapes.bought_parts import bought_part
from contracts.models.mechanism import Connection, Constant, Coupling, Joint, Motor, Positions

from tests.support.designs import Designs
from tests.support.slides import bond


def screw(first: str, second: str, z: float, fastener_id: str = "iso4762-m4x16") -> Connection:
    return Connection(
        first=first,
        second=second,
        means="fastened",
        fastener_id=fastener_id,
        places_mm=((0.0, 0.0, z),),
        directions=((0.0, 0.0, -1.0),),
    )


def hinge(label: str = "hinge", parent: str = "base", child: str = "arm", **more: object) -> Joint:
    fields: dict[str, object] = {"anchor_mm": (0.0, 0.0, 20.0), "axis": (0.0, 0.0, 1.0), "kind": "revolute"}
    return Joint.model_validate({"label": label, "parent": parent, "child": child, **fields, **more})


@pytest.fixture
def base(designs: Designs) -> Part:
    return designs.part("base", (60, 60, 20), (0, 0, 10))


@pytest.fixture
def arm(designs: Designs) -> Part:
    return designs.part("arm", (80, 20, 10), (0, 0, 25))


@pytest.fixture
def motor() -> Part:
    """A 37D gear motor upside down under the hinge's axis: its shaft points at the arm from above."""
    part: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part("pololu-37d-50")
    part.label = "motor"
    vars(part)["metadata"] = {"catalog_id": "pololu-37d-50"}
    return part


@pytest.fixture
def driven(base: Part, arm: Part, motor: Part) -> tuple[Part, Part, Part]:
    return base, arm, motor


def test_bonded_parts_and_hinge_are_accepted(designs: Designs, base: Part, arm: Part) -> None:
    assert designs.rules(base, arm, mechanism=[bond("base", "floor"), hinge()]) == []


def test_glue_over_a_gap_is_invalid(designs: Designs, base: Part) -> None:
    lid = designs.part("lid", (20, 20, 4), (0, 0, 22.4))
    found = designs.finding(base, lid, mechanism=[bond("base", "lid")])
    assert (found.rule, found.label) == ("invalid_connection", "base")
    assert "a gap of 0.40 mm" in found.detail


def test_glue_on_an_edge_is_invalid(designs: Designs, base: Part) -> None:
    edge = designs.part("edge", (20, 20, 20), (0, 0, 20 + 200**0.5), rotation=(0, 45, 0))
    found = designs.finding(base, edge, mechanism=[bond("base", "edge")])
    assert found.rule == "invalid_connection"
    assert "0.00 mm²" in found.detail


@pytest.mark.parametrize("part_id", ["spr-c-6x20", "BELT-GT2-200"])
def test_part_that_gives_way_is_refused_where_it_would_be_rigid(designs: Designs, base: Part, part_id: str) -> None:
    bought: Part = Pos(0, 0, 60) * bought_part(part_id)
    bought.label = "post"
    (found,) = [each for each in designs.judge(base, bought).findings if each.rule == "unknown_component"]
    assert found.label == "post"
    assert "gives way under load" in found.detail


@pytest.mark.parametrize(
    ("connection", "value"),
    [
        (bond("base", "flor"), "'flor'; did you mean floor?"),
        (bond("base", "base"), "to itself"),
        (screw("arm", "base", 30, "iso4762-m3x12"), "2.00 mm into base, at least 3.00 mm"),
        (screw("arm", "base", 60), "neither arm nor base"),
        (screw("arm", "base", 15), "0 mm of arm"),
        (screw("arm", "base", 30).model_copy(update={"directions": ()}), "1 places and 0 directions"),
        (screw("arm", "base", 30).model_copy(update={"directions": ((0.0, 0.0, -2.0),)}), "of length 2"),
        (screw("arm", "base", 30).model_copy(update={"places_mm": ()}), "0 places"),
    ],
)
def test_invalid_connection_is_reported(
    designs: Designs, base: Part, arm: Part, connection: Connection, value: str
) -> None:
    found = designs.finding(base, arm, mechanism=[connection])
    assert found.rule == "invalid_connection"
    assert value in found.detail


def test_screw_through_drilled_hole_is_accepted(designs: Designs, base: Part) -> None:
    drilled = designs.as_part("arm", Pos(0, 0, 25) * (Box(80, 20, 10) - Cylinder(2.2, 10)))
    assert designs.rules(base, drilled, mechanism=[screw("arm", "base", 30)]) == []


def test_unknown_screw_is_reported_with_suggestion(designs: Designs, base: Part, arm: Part) -> None:
    found = designs.finding(base, arm, mechanism=[screw("arm", "base", 30, "iso4762-m4x15")])
    assert found.rule == "unknown_component"
    assert "did you mean iso4762-m4x1" in found.detail


@pytest.mark.parametrize(
    ("joint", "value"),
    [
        (hinge(child="wing"), "'wing'"),
        (hinge(child="base"), "the same part"),
        (hinge(anchor_mm=(0.0, 0.0, 90.0)), "60.00 mm away from both parts"),
        (hinge(angle_range_deg=(30.0, -30.0)), "from 30 to -30°"),
        (hinge(angle_range_deg=(20.0, 60.0)), ", 20° outside"),
        (hinge(angle_range_deg=(-60.0, -5.0)), ", 5° outside"),
        (hinge(travel_range_mm=(-1.0, 1.0)), "cannot slide"),
        (hinge(bearing_id="608xx"), "unknown bearing"),
        (hinge(kind="linear", bearing_id="608zz"), "608zz"),
        (hinge(axis=(0.0, 0.0, 3.0)), "length 3"),
    ],
)
def test_invalid_joint_is_reported(designs: Designs, base: Part, arm: Part, joint: Joint, value: str) -> None:
    found = designs.finding(base, arm, mechanism=[joint])
    assert (found.rule, found.label) == ("invalid_joint", "hinge")
    assert value in found.detail


def test_joint_within_rigid_group_is_invalid(designs: Designs, base: Part, arm: Part) -> None:
    glued = designs.finding(base, arm, mechanism=[bond("base", "arm"), hinge()])
    held = designs.finding(base, arm, mechanism=[bond("base", "floor"), bond("base", "arm"), hinge(parent="floor")])
    assert {(found.rule, found.label) for found in (glued, held)} == {("invalid_joint", "hinge")}
    assert "base and arm are connected" in glued.detail
    assert "floor and arm never move" in held.detail


def test_duplicate_joint_label_is_reported(designs: Designs, base: Part, arm: Part) -> None:
    wing = designs.part("wing", (20, 20, 10), (0, 0, 35))
    found = designs.rules(base, arm, wing, mechanism=[hinge(), hinge(parent="arm", child="wing")])
    assert found == [("invalid_joint", "hinge")]


def test_second_joint_between_same_bodies_over_constrains(designs: Designs, base: Part, arm: Part) -> None:
    found = designs.finding(base, arm, mechanism=[hinge("one"), hinge("two", anchor_mm=(20.0, 0.0, 20.0))])
    assert (found.rule, found.label) == ("over_constrained", "two")
    assert "around (20.0, 0.0, 20.0) mm" in found.detail
    assert "joint one " in found.detail


def test_loop_of_joints_over_constrains(designs: Designs, base: Part, arm: Part) -> None:
    wing = designs.part("wing", (20, 20, 10), (0, 0, 35))
    loop = [hinge("a"), hinge("b", "arm", "wing"), hinge("c", "wing", "base")]
    found = designs.finding(base, arm, wing, mechanism=loop)
    assert (found.rule, found.label) == ("over_constrained", "c")
    assert "3 joints (b - a - c)" in found.detail


def turn(**more: object) -> Motor:
    fields: dict[str, object] = {"part": "motor", "joint": "hinge", "control": Constant(share=0.5)}
    return Motor.model_validate({**fields, **more})


def test_motor_of_missing_joint_is_invalid(designs: Designs, base: Part, arm: Part, motor: Part) -> None:
    found = designs.finding(base, arm, motor, mechanism=[turn(joint="axle"), bond("motor", "arm"), hinge()])
    assert (found.rule, found.label) == ("invalid_motor", "motor")
    assert "around (-7.0, 0.0, 65.0) mm drives joint 'axle'" in found.detail


def test_motor_on_axis_is_accepted(designs: Designs, base: Part, arm: Part, motor: Part) -> None:
    assert designs.rules(base, arm, motor, mechanism=[hinge(), bond("motor", "arm"), turn()]) == []
    position = Positions(times_s=(1.0,), targets=(30.0,))
    assert designs.rules(base, arm, motor, mechanism=[hinge(), bond("motor", "arm"), turn(control=position)]) == []


@pytest.mark.parametrize(
    ("mechanism", "value"),
    [
        ([hinge(), turn(part="moter")], "did you mean motor?"),
        ([hinge(), bond("motor", "arm"), turn(part="arm")], "bought motor"),
        ([hinge(), turn()], "neither side of hinge"),
        ([hinge(kind="ball"), bond("motor", "arm"), turn()], "a ball joint"),
        ([hinge(), bond("motor", "arm"), turn(pinion_radius_mm=5.0)], "leave pinion and rack out"),
        ([hinge(), bond("motor", "arm"), turn(rack="base")], "leave pinion and rack out"),
        ([hinge(anchor_mm=(1.5, 0.0, 20.0)), bond("motor", "arm"), turn()], "1.50 mm and 0.0° off"),
        ([hinge(axis=(0.6, 0.0, 0.8)), bond("motor", "arm"), turn()], "36.9° off"),
        ([hinge(), bond("motor", "arm"), turn(), turn()], "joint hinge has 2 motors"),
    ],
)
def test_invalid_motor_is_reported(
    designs: Designs, driven: tuple[Part, Part, Part], mechanism: list[Joint | Connection | Motor], value: str
) -> None:
    findings = designs.judge(*driven, mechanism=mechanism).findings
    assert {finding.rule for finding in findings} == {"invalid_motor"}
    assert any(value in finding.detail for finding in findings)


def test_motor_without_encoder_cannot_follow_positions(designs: Designs, base: Part, arm: Part) -> None:
    small: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part("pololu-n20-hpcb-75")
    small.label = "motor"
    vars(small)["metadata"] = {"catalog_id": "pololu-n20-hpcb-75"}
    program = Positions(times_s=(1.0,), targets=(30.0,))
    found = designs.finding(base, arm, small, mechanism=[hinge(), bond("motor", "arm"), turn(control=program)])
    assert found.rule == "invalid_motor"
    assert "by voltage, but a positions program controls position" in found.detail


def test_modified_bought_part_is_unknown_component(designs: Designs, base: Part) -> None:
    def claimed(length_mm: float, catalog_id: str) -> Part:
        part: Part = designs.as_part("motor", Pos(0, 0, 20 + length_mm / 2) * Cylinder(18.5, length_mm), method=None)
        vars(part)["metadata"] = {"catalog_id": catalog_id}
        return part

    assert designs.rules(base, claimed(70, "pololu-37d-50")) == []
    shorter = designs.finding(base, claimed(69.5, "pololu-37d-50"))
    assert (shorter.rule, shorter.label) == ("unknown_component", "motor")
    assert "a cylinder of 37.00 mm x 37.00 mm x 70.00 mm" in shorter.detail
    assert "did you mean" in designs.finding(base, claimed(70, "pololu-37d-55")).detail


@pytest.mark.parametrize(
    ("coupling", "value"),
    [
        (Coupling(kind="gear", first="hinge", second="axle", ratio=-2.0), "'axle'"),
        (Coupling(kind="gear", first="hinge", second="hinge", ratio=-2.0), "to itself"),
        (Coupling(kind="rack", first="hinge", second="other", ratio=0.5), "a revolute and a linear joint"),
        (Coupling(kind="gear", first="hinge", second="other", ratio=0.0), "ratio of 0"),
        (Coupling.model_construct(kind="gear", first="hinge", second="other", ratio=inf), "ratio of inf"),
    ],
)
def test_invalid_coupling_is_reported(designs: Designs, base: Part, arm: Part, coupling: Coupling, value: str) -> None:
    wing = designs.part("wing", (20, 20, 10), (0, 0, 35))
    mechanism = [hinge(), hinge("other", "arm", "wing"), coupling]
    found = designs.finding(base, arm, wing, mechanism=mechanism)
    assert found.rule == "invalid_coupling"
    assert value in found.detail
