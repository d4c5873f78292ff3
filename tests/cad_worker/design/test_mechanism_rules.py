"""What joins and moves parts must be buildable: every fault is told with its place and what to do."""

from math import inf

import pytest
from build123d import Box, Cylinder, Part, Pos, Rot
from cad_worker.catalog_shapes.bought_parts import bought_part
from contracts.models.mechanism import Connection, Constant, Coupling, Joint, Motor, Positions

from tests.cad_worker.design.shop import Shop


def bond(first: str, second: str) -> Connection:
    return Connection(first=first, second=second, means="bonded")


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
    said: dict[str, object] = {"anchor_mm": (0.0, 0.0, 20.0), "axis": (0.0, 0.0, 1.0), "kind": "revolute"}
    return Joint.model_validate({"label": label, "parent": parent, "child": child, **said, **more})


@pytest.fixture
def base(shop: Shop) -> Part:
    return shop.part("base", (60, 60, 20), (0, 0, 10))


@pytest.fixture
def arm(shop: Shop) -> Part:
    return shop.part("arm", (80, 20, 10), (0, 0, 25))


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


def test_bonded_parts_and_a_hinge_are_accepted(shop: Shop, base: Part, arm: Part) -> None:
    assert shop.rules(base, arm, mechanism=[bond("base", "floor"), hinge()]) == []


def test_glue_needs_faces_that_touch(shop: Shop, base: Part) -> None:
    lid = shop.part("lid", (20, 20, 4), (0, 0, 22.4))
    found = shop.finding(base, lid, mechanism=[bond("base", "lid")])
    assert (found.rule, found.label) == ("invalid_connection", "base")
    assert "spans a gap of 0.40 mm near" in found.detail


def test_glue_needs_an_area(shop: Shop, base: Part) -> None:
    edge = shop.part("edge", (20, 20, 20), (0, 0, 20 + 200**0.5), rotation=(0, 45, 0))
    found = shop.finding(base, edge, mechanism=[bond("base", "edge")])
    assert found.rule == "invalid_connection"
    assert "glued area of 0.00 mm²" in found.detail


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (bond("base", "flor"), "there is no 'flor'; did you mean floor?"),
        (bond("base", "base"), "to itself"),
        (screw("arm", "base", 30, "iso4762-m3x12"), "bites 2.00 mm into base, at least 3.00 mm is needed"),
        (screw("arm", "base", 60), "meets neither arm nor base"),
        (screw("arm", "base", 15), "passes 0 mm of arm"),
        (screw("arm", "base", 30).model_copy(update={"directions": ()}), "1 places and 0 directions"),
        (screw("arm", "base", 30).model_copy(update={"directions": ((0.0, 0.0, -2.0),)}), "which must be 1"),
        (screw("arm", "base", 30).model_copy(update={"places_mm": ()}), "0 places"),
    ],
)
def test_a_connection_that_cannot_be_made_says_why(
    shop: Shop, base: Part, arm: Part, said: Connection, words: str
) -> None:
    found = shop.finding(base, arm, mechanism=[said])
    assert found.rule == "invalid_connection"
    assert words in found.detail


def test_a_screw_holds_through_a_drilled_hole(shop: Shop, base: Part) -> None:
    drilled = shop.made("arm", Pos(0, 0, 25) * (Box(80, 20, 10) - Cylinder(2.2, 10)))
    assert shop.rules(base, drilled, mechanism=[screw("arm", "base", 30)]) == []


def test_a_screw_that_nobody_sells_is_no_component(shop: Shop, base: Part, arm: Part) -> None:
    found = shop.finding(base, arm, mechanism=[screw("arm", "base", 30, "iso4762-m4x15")])
    assert found.rule == "unknown_component"
    assert "did you mean iso4762-m4x1" in found.detail


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (hinge(child="wing"), "there is no 'wing'"),
        (hinge(child="base"), "both its sides are one part"),
        (hinge(anchor_mm=(0.0, 0.0, 90.0)), "60.00 mm away from both parts"),
        (hinge(angle_range_deg=(30.0, -30.0)), "turn from 30 to -30°: nothing"),
        (hinge(angle_range_deg=(20.0, 60.0)), "20° beyond"),
        (hinge(angle_range_deg=(-60.0, -5.0)), "5° beyond"),
        (hinge(travel_range_mm=(-1.0, 1.0)), "which it never does"),
        (hinge(bearing_id="608xx"), "unknown bearing"),
        (hinge(kind="linear", bearing_id="608zz"), "cannot be carried by 608zz"),
        (hinge(axis=(0.0, 0.0, 3.0)), "axis of length 3"),
    ],
)
def test_a_joint_that_cannot_move_says_why(shop: Shop, base: Part, arm: Part, joint: Joint, words: str) -> None:
    found = shop.finding(base, arm, mechanism=[joint])
    assert (found.rule, found.label) == ("invalid_joint", "hinge")
    assert words in found.detail


def test_a_joint_between_glued_parts_is_told_from_one_between_fixed_ones(shop: Shop, base: Part, arm: Part) -> None:
    glued = shop.finding(base, arm, mechanism=[bond("base", "arm"), hinge()])
    assert "base and arm are made one by connections" in glued.detail
    held = shop.finding(base, arm, mechanism=[bond("base", "floor"), bond("base", "arm"), hinge(parent="floor")])
    assert "floor and arm never move" in held.detail


def test_joint_names_are_unique(shop: Shop, base: Part, arm: Part) -> None:
    wing = shop.part("wing", (20, 20, 10), (0, 0, 35))
    found = shop.rules(base, arm, wing, mechanism=[hinge(), hinge(parent="arm", child="wing")])
    assert found == [("invalid_joint", "hinge")]


def test_two_joints_between_the_same_bodies_are_too_many(shop: Shop, base: Part, arm: Part) -> None:
    found = shop.finding(base, arm, mechanism=[hinge("one"), hinge("two", anchor_mm=(20.0, 0.0, 20.0))])
    assert (found.rule, found.label) == ("over_constrained", "two")
    assert "around (20.0, 0.0, 20.0) mm" in found.detail
    assert "which joint one joins already" in found.detail


def test_a_ring_of_joints_is_named_and_not_simulated(shop: Shop, base: Part, arm: Part) -> None:
    wing = shop.part("wing", (20, 20, 10), (0, 0, 35))
    ring = [hinge("a"), hinge("b", "arm", "wing"), hinge("c", "wing", "base")]
    found = shop.finding(base, arm, wing, mechanism=ring)
    assert (found.rule, found.label) == ("over_constrained", "c")
    assert "closes a ring of 3 joints" in found.detail


def turn(**more: object) -> Motor:
    said: dict[str, object] = {"part": "motor", "joint": "hinge", "control": Constant(share=0.5)}
    return Motor.model_validate({**said, **more})


def test_an_unjointed_motor_is_refused_with_its_place(shop: Shop, base: Part, arm: Part, motor: Part) -> None:
    found = shop.finding(base, arm, motor, mechanism=[turn(joint="axle"), bond("motor", "arm"), hinge()])
    assert (found.rule, found.label) == ("invalid_motor", "motor")
    assert "motor motor around (0.0, 0.0, 65.0) mm drives joint 'axle', which does not exist" in found.detail


def test_a_motor_on_the_axis_is_accepted(shop: Shop, base: Part, arm: Part, motor: Part) -> None:
    assert shop.rules(base, arm, motor, mechanism=[hinge(), bond("motor", "arm"), turn()]) == []
    position = Positions(times_s=(1.0,), targets=(30.0,))
    assert shop.rules(base, arm, motor, mechanism=[hinge(), bond("motor", "arm"), turn(control=position)]) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ([hinge(), turn(part="moter")], "did you mean motor?"),
        ([hinge(), bond("motor", "arm"), turn(part="arm")], "is no bought motor"),
        ([hinge(), turn()], "connected to neither side of hinge"),
        ([hinge(kind="ball"), bond("motor", "arm"), turn()], "a ball joint"),
        ([hinge(kind="linear"), bond("motor", "arm"), turn()], "give pinion_radius_mm"),
        ([hinge(), bond("motor", "arm"), turn(pinion_radius_mm=5.0)], "leave pinion_radius_mm out"),
        ([hinge(anchor_mm=(1.5, 0.0, 20.0)), bond("motor", "arm"), turn()], "its shaft 1.50 mm and 0.0° off"),
        ([hinge(axis=(0.6, 0.0, 0.8)), bond("motor", "arm"), turn()], "36.9° off"),
        ([hinge(), bond("motor", "arm"), turn(), turn()], "joint hinge is driven by 2 motors"),
    ],
)
def test_a_motor_that_cannot_drive_says_why(
    shop: Shop, driven: tuple[Part, Part, Part], said: list[Joint | Connection | Motor], words: str
) -> None:
    findings = shop.judge(*driven, mechanism=said).findings
    assert {finding.rule for finding in findings} == {"invalid_motor"}
    assert any(words in finding.detail for finding in findings)


def test_a_motor_without_encoder_follows_no_positions(shop: Shop, base: Part, arm: Part) -> None:
    small: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part("pololu-n20-hpcb-75")
    small.label = "motor"
    vars(small)["metadata"] = {"catalog_id": "pololu-n20-hpcb-75"}
    program = Positions(times_s=(1.0,), targets=(30.0,))
    found = shop.finding(base, arm, small, mechanism=[hinge(), bond("motor", "arm"), turn(control=program)])
    assert found.rule == "invalid_motor"
    assert "understands voltage; a positions program is for position" in found.detail


def test_a_bought_part_is_the_catalogs(shop: Shop, base: Part) -> None:
    def claimed(length_mm: float, catalog_id: str) -> Part:
        part: Part = shop.made("motor", Pos(0, 0, 20 + length_mm / 2) * Cylinder(18.5, length_mm), method=None)
        vars(part)["metadata"] = {"catalog_id": catalog_id}
        return part

    assert shop.rules(base, claimed(70, "pololu-37d-50")) == []
    shorter = shop.finding(base, claimed(69.5, "pololu-37d-50"))
    assert (shorter.rule, shorter.label) == ("unknown_component", "motor")
    assert "it is sold as a cylinder of 37.00 mm x 37.00 mm x 70.00 mm" in shorter.detail
    assert "did you mean" in shop.finding(base, claimed(70, "pololu-37d-55")).detail


@pytest.mark.parametrize(
    ("coupling", "words"),
    [
        (Coupling(kind="gear", first="hinge", second="axle", ratio=-2.0), "there is no joint 'axle'"),
        (Coupling(kind="gear", first="hinge", second="hinge", ratio=-2.0), "to itself"),
        (Coupling(kind="rack", first="hinge", second="other", ratio=0.5), "needs a revolute and a linear one"),
        (Coupling(kind="gear", first="hinge", second="other", ratio=0.0), "ratio of 0"),
        (Coupling.model_construct(kind="gear", first="hinge", second="other", ratio=inf), "ratio of inf"),
    ],
)
def test_a_coupling_that_binds_nothing_says_why(
    shop: Shop, base: Part, arm: Part, coupling: Coupling, words: str
) -> None:
    wing = shop.part("wing", (20, 20, 10), (0, 0, 35))
    said = [hinge(), hinge("other", "arm", "wing"), coupling]
    found = shop.finding(base, arm, wing, mechanism=said)
    assert found.rule == "invalid_coupling"
    assert words in found.detail
