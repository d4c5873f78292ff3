"""What joints and words of a script become, as data; and what cannot be understood."""

# pyright: reportUnknownMemberType=false
# build123d leaves the types of its own results open here.

import copy

import pytest
from build123d import (
    Axis,
    BallJoint,
    Box,
    Compound,
    CylindricalJoint,
    LinearJoint,
    Location,
    Part,
    Pos,
    RevoluteJoint,
    RigidJoint,
    Rot,
)
from build123d.topology import Shape
from cad_worker.capture.design import capture_component, capture_design, capture_parts
from cad_worker.job_protocol import NotADesignError
from contracts.models.mechanism import Joint, Mechanism, Positions
from kernel.api.mechanism_api import bonded, carried, drive, fastened, gears


def block(label: str, size: tuple[float, float, float] = (10, 10, 10)) -> Part:
    part = Box(*size)
    part.label = label
    return part


def machine(*parts: Shape[object], said: list[object] | None = None) -> Compound:
    assembly = Compound(label="machine", children=list(parts))
    if said is not None:
        vars(assembly)["metadata"] = {"mechanism": said}
    return assembly


def hinge(
    base: Part, arm: Part, angle: float = 15, limits: tuple[float, float] = (-30, 90)
) -> tuple[RevoluteJoint, RigidJoint]:
    """Join an arm to a base about the vertical through (0, 0, 5) of the world."""
    joint = RevoluteJoint("hinge", base, Axis((0, 0, 5), (0, 0, 1)), angular_range=limits)
    pin = RigidJoint("pin", arm, Location((-20, 0, 0)))
    joint.connect_to(pin, angle=angle)
    return joint, pin


def only_joint(assembly: object) -> Joint:
    (joint,) = capture_design(assembly).mechanism.joints
    return joint


def test_without_joints_and_words_there_is_no_mechanism() -> None:
    assert capture_design(machine(block("base"))).mechanism == Mechanism()


def test_a_hinge_is_told_where_it_is_and_how_far_it_turns_from_here() -> None:
    base, arm = Pos(100, 0, 0) * block("base", (220, 10, 10)), block("arm", (40, 5, 5))
    hinge(base, arm)
    found = only_joint(machine(base, arm))
    assert (found.label, found.kind, found.parent, found.child) == ("hinge", "revolute", "base", "arm")
    assert found.anchor_mm == pytest.approx((0, 0, 5))
    assert found.axis == pytest.approx((0, 0, 1))
    assert found.angle_range_deg == pytest.approx((-45, 75))
    assert found.travel_range_mm is None


def test_the_range_points_the_way_that_the_child_turns() -> None:
    """Turning the child by an end of the range about the axis is where build123d has it at that end."""
    base, arm = Rot(20, 30, 40) * block("base"), block("arm", (40, 5, 5))
    joint, pin = hinge(base, arm)
    found = only_joint(machine(base, arm))
    assert found.angle_range_deg is not None
    turned = arm.rotate(Axis(found.anchor_mm, found.axis), found.angle_range_deg[1]).center()
    joint.connect_to(pin, angle=90)
    assert (turned - arm.center()).length < 1e-6


def test_a_full_turn_is_free() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm, angle=0, limits=(0, 360))
    assert only_joint(machine(base, arm)).angle_range_deg is None


def test_whoever_connects_the_axis_belongs_to_the_parent() -> None:
    base, arm = block("base"), block("arm")
    joint = RevoluteJoint("hinge", base, Axis.X)
    RigidJoint("pin", arm).connect_to(joint, angle=10)
    assert (only_joint(machine(base, arm)).parent, only_joint(machine(base, arm)).child) == ("base", "arm")


def test_a_pair_that_both_sides_connected_is_one_joint() -> None:
    base, arm = block("base"), block("arm")
    joint, pin = hinge(base, arm)
    pin.connect_to(joint, angle=15)
    assert only_joint(machine(base, arm)).label == "hinge"


def test_joints_stand_in_the_world_within_moved_groups() -> None:
    base, arm = block("base"), block("arm", (40, 5, 5))
    hinge(base, arm)
    group = Pos(0, 0, 50) * Rot(0, 90, 0) * Compound(label="group", children=[base, arm])
    found = only_joint(machine(group))
    assert found.anchor_mm == pytest.approx((5, 0, 50))
    assert found.axis == pytest.approx((1, 0, 0))


def test_a_slide_and_a_cylinder_know_their_travel() -> None:
    rail, cart, plug = block("rail"), block("cart"), block("plug")
    slide = LinearJoint("slide", rail, Axis.X, linear_range=(0, 100))
    slide.connect_to(RigidJoint("seat", cart), position=20)
    bore = CylindricalJoint("bore", rail, Axis.Z, linear_range=(-5, 5), angular_range=(0, 90))
    bore.connect_to(RigidJoint("stem", plug), position=1, angle=30)
    joints = {each.label: each for each in capture_design(machine(rail, cart, plug)).mechanism.joints}
    assert joints["slide"].travel_range_mm == pytest.approx((-20, 80))
    assert joints["slide"].axis == pytest.approx((1, 0, 0))
    assert joints["slide"].anchor_mm == pytest.approx((20, 0, 0))
    assert joints["bore"].travel_range_mm == pytest.approx((-6, 4))
    assert joints["bore"].angle_range_deg == pytest.approx((-30, 60))


def test_a_ball_joint_has_a_middle() -> None:
    socket, stud = block("socket"), block("stud")
    BallJoint("ball", socket, Location((0, 0, 8))).connect_to(RigidJoint("head", stud, Location((0, 0, -8))))
    found = only_joint(machine(socket, stud))
    assert found.kind == "ball"
    assert found.anchor_mm == pytest.approx((0, 0, 8))


def test_two_rigid_joints_glue_unless_the_pair_is_screwed() -> None:
    base, leg = block("base"), block("leg")
    RigidJoint("top", base, Location((0, 0, 5))).connect_to(RigidJoint("foot", leg, Location((0, 0, -5))))
    (glued,) = capture_design(machine(base, leg)).mechanism.connections
    assert (glued.first, glued.second, glued.means) == ("base", "leg", "bonded")
    screws = fastened(leg, base, "iso4762-m4x16", at=[(0, 0, 15)])
    assert capture_design(machine(base, leg, said=[screws])).mechanism.connections == (screws,)


def test_a_joint_may_lead_to_the_environment_and_old_ones_there_do_not_count() -> None:
    floor = Pos(0, 0, -5) * block("floor", (100, 100, 10))
    environment = Compound(label="environment", children=[floor])
    for label in ("first", "second"):
        arm = block(label)
        pin = RigidJoint(f"pin-{label}", arm)
        mount = RigidJoint(f"mount-{label}", floor, Location((0, 0, 0)))
        mount.connect_to(pin)
        design = machine(arm)
        (bond,) = capture_design(design, environment).mechanism.connections
        assert (bond.first, bond.second) == ("floor", label)
    assert capture_parts(environment).mechanism == Mechanism()


def test_words_of_nested_assemblies_and_of_lists_within_lists_all_count() -> None:
    base, arm, servo = block("base"), block("arm"), block("servo")
    hinge(base, arm)
    turn = drive(servo, joint="hinge", control=Positions(times_s=(1,), targets=(30,)))
    inner = machine(base, arm, said=[carried("hinge", "608zz")])
    outer = machine(inner, servo, said=[[bonded(servo, base)], turn, gears("hinge", "other", -2)])
    found = capture_design(outer).mechanism
    assert found.joints[0].bearing_id == "608zz"
    assert [(each.first, each.second) for each in found.connections] == [("servo", "base")]
    assert found.motors == (turn,)
    assert found.couplings[0].ratio == -2


def test_a_moved_assembly_takes_its_joints_along() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    assert only_joint(Pos(1, 2, 3) * machine(base, arm)).anchor_mm == pytest.approx((1, 2, 8))


def test_a_piece_of_a_design_leaves_out_what_leads_out_of_it() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    assert capture_component(base).mechanism == Mechanism()


def test_a_copy_in_the_place_of_the_connected_part_is_told() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    with pytest.raises(NotADesignError, match=r"'hinge' of 'base' leads to 'arm', which is not in the assembly"):
        capture_design(machine(base, copy.copy(arm)))


def test_a_part_that_moved_after_it_was_connected_is_told() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    arm.locate(Pos(0, 0, 3) * arm.location)
    with pytest.raises(NotADesignError, match=r"have come apart: 3 mm"):
        capture_design(machine(base, arm))


def test_a_joint_without_a_usable_name_is_told() -> None:
    base, arm = block("base"), block("arm")
    RevoluteJoint("my hinge", base, Axis.Z).connect_to(RigidJoint("pin", arm), angle=0)
    with pytest.raises(NotADesignError, match=r"'my hinge' of 'base' cannot be used: label"):
        capture_design(machine(base, arm))


def test_a_slide_at_infinity_is_told() -> None:
    rail, cart = block("rail"), block("cart")
    LinearJoint("slide", rail, Axis.X).connect_to(RigidJoint("seat", cart), position=5)
    assert only_joint(machine(rail, cart)).travel_range_mm == (-5, 1e4)
    rail.joints["slide"].position = float("nan")  # pyright: ignore[reportAttributeAccessIssue] - as a script may
    with pytest.raises(NotADesignError, match=r"stands at nan mm; say where"):
        capture_design(machine(rail, cart))


def test_a_pin_in_a_slot_and_a_limited_ball_are_told() -> None:
    rail, cart = block("rail"), block("cart")
    LinearJoint("slot", rail, Axis.X, linear_range=(0, 9)).connect_to(RevoluteJoint("turn", cart), position=1, angle=0)
    with pytest.raises(NotADesignError, match="one side must be a RigidJoint"):
        capture_design(machine(rail, cart))
    limited = BallJoint("ball", rail, angular_range=((0, 10), (0, 360), (0, 360)))
    limited.connect_to(RigidJoint("head", stud := block("stud")))
    rail.joints.pop("slot")
    with pytest.raises(NotADesignError, match="ball joint are not simulated"):
        capture_design(machine(rail, stud))


def test_a_joint_of_a_group_is_told() -> None:
    group, arm = machine(block("a"), block("b")), block("arm")
    RigidJoint("top", group).connect_to(RigidJoint("pin", arm))
    with pytest.raises(NotADesignError, match="bind it to one of its parts"):
        capture_design(Compound(label="all", children=[group, arm]))


def test_what_is_no_word_is_told() -> None:
    with pytest.raises(NotADesignError, match=r"holds a str; it is a list of bonded, fastened"):
        capture_design(machine(block("base"), said=["glue it"]))
    with pytest.raises(NotADesignError, match="carried names the joint 'axle', which is not there"):
        capture_design(machine(block("base"), said=[carried("axle", "608zz")]))
