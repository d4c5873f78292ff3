"""Capture of joints and declarations as data, and errors about invalid ones."""

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
from cad_worker.capture import design
from cad_worker.capture.design import capture_component, capture_design, capture_parts
from cad_worker.job_protocol import NotADesignError
from contracts.models.mechanism import Joint, Mechanism, Positions
from design_rules.design_data import TEXT_CHARS
from kernel.api.mechanism_api import bonded, carried, drive, fastened, gears


def block(label: str, size: tuple[float, float, float] = (10, 10, 10)) -> Part:
    part = Box(*size)
    part.label = label
    return part


def machine(*parts: Shape[object], declarations: list[object] | None = None) -> Compound:
    assembly = Compound(label="machine", children=list(parts))
    if declarations is not None:
        vars(assembly)["metadata"] = {"mechanism": declarations}
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


def test_design_without_joints_has_empty_mechanism() -> None:
    assert capture_design(machine(block("base"))).mechanism == Mechanism()


def test_hinge_has_anchor_axis_and_remaining_range() -> None:
    base, arm = Pos(100, 0, 0) * block("base", (220, 10, 10)), block("arm", (40, 5, 5))
    hinge(base, arm)
    found = only_joint(machine(base, arm))
    assert (found.label, found.kind, found.parent, found.child) == ("hinge", "revolute", "base", "arm")
    assert found.anchor_mm == pytest.approx((0, 0, 5))
    assert found.axis == pytest.approx((0, 0, 1))
    assert found.angle_range_deg == pytest.approx((-45, 75))
    assert found.travel_range_mm is None


def test_angle_range_has_sign_of_child_rotation() -> None:
    """Turning the child by an end of the range about the axis is where build123d has it at that end."""
    base, arm = Rot(20, 30, 40) * block("base"), block("arm", (40, 5, 5))
    joint, pin = hinge(base, arm)
    found = only_joint(machine(base, arm))
    assert found.angle_range_deg is not None
    turned = arm.rotate(Axis(found.anchor_mm, found.axis), found.angle_range_deg[1]).center()
    joint.connect_to(pin, angle=90)
    assert (turned - arm.center()).length < 1e-6


def test_full_turn_has_no_range() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm, angle=0, limits=(0, 360))
    assert only_joint(machine(base, arm)).angle_range_deg is None


def test_parent_is_the_part_with_the_axis() -> None:
    base, arm = block("base"), block("arm")
    joint = RevoluteJoint("hinge", base, Axis.X)
    RigidJoint("pin", arm).connect_to(joint, angle=10)
    assert (only_joint(machine(base, arm)).parent, only_joint(machine(base, arm)).child) == ("base", "arm")


def test_pair_connected_from_both_sides_is_one_joint() -> None:
    base, arm = block("base"), block("arm")
    joint, pin = hinge(base, arm)
    pin.connect_to(joint, angle=15)
    assert only_joint(machine(base, arm)).label == "hinge"


def test_joints_in_moved_groups_are_in_world_coordinates() -> None:
    base, arm = block("base"), block("arm", (40, 5, 5))
    hinge(base, arm)
    group = Pos(0, 0, 50) * Rot(0, 90, 0) * Compound(label="group", children=[base, arm])
    found = only_joint(machine(group))
    assert found.anchor_mm == pytest.approx((5, 0, 50))
    assert found.axis == pytest.approx((1, 0, 0))


def test_linear_and_cylindrical_joints_have_remaining_travel() -> None:
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


def test_ball_joint_has_anchor() -> None:
    socket, stud = block("socket"), block("stud")
    BallJoint("ball", socket, Location((0, 0, 8))).connect_to(RigidJoint("head", stud, Location((0, 0, -8))))
    found = only_joint(machine(socket, stud))
    assert found.kind == "ball"
    assert found.anchor_mm == pytest.approx((0, 0, 8))


def test_rigid_joints_become_bond_unless_fastened() -> None:
    base, leg = block("base"), block("leg")
    RigidJoint("top", base, Location((0, 0, 5))).connect_to(RigidJoint("foot", leg, Location((0, 0, -5))))
    (glued,) = capture_design(machine(base, leg)).mechanism.connections
    assert (glued.first, glued.second, glued.means) == ("base", "leg", "bonded")
    screws = fastened(leg, base, "iso4762-m4x16", at=[(0, 0, 15)])
    assert capture_design(machine(base, leg, declarations=[screws])).mechanism.connections == (screws,)


def test_joint_to_environment_ignores_earlier_connections() -> None:
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


def test_nested_declarations_are_flattened() -> None:
    base, arm, servo = block("base"), block("arm"), block("servo")
    hinge(base, arm)
    turn = drive(servo, joint="hinge", control=Positions(times_s=(1,), targets=(30,)))
    inner = machine(base, arm, declarations=[carried("hinge", "608zz")])
    outer = machine(inner, servo, declarations=[[bonded(servo, base)], turn, gears("hinge", "other", -2)])
    found = capture_design(outer).mechanism
    assert found.joints[0].bearing_id == "608zz"
    assert [(each.first, each.second) for each in found.connections] == [("servo", "base")]
    assert found.motors == (turn,)
    assert found.couplings[0].ratio == -2


def test_moved_assembly_moves_its_joints() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    assert only_joint(Pos(1, 2, 3) * machine(base, arm)).anchor_mm == pytest.approx((1, 2, 8))


def test_component_leaves_out_joints_to_other_parts() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    assert capture_component(base).mechanism == Mechanism()


def test_joint_to_copied_part_is_an_error() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    with pytest.raises(NotADesignError, match=r"'hinge' of 'base' leads to 'arm', which is not in the assembly"):
        capture_design(machine(base, copy.copy(arm)))


def test_part_moved_after_connecting_is_an_error() -> None:
    base, arm = block("base"), block("arm")
    hinge(base, arm)
    arm.locate(Pos(0, 0, 3) * arm.location)
    with pytest.raises(NotADesignError, match=r"3 mm and 0 rad apart"):
        capture_design(machine(base, arm))


def test_invalid_joint_label_is_an_error() -> None:
    base, arm = block("base"), block("arm")
    RevoluteJoint("hinge" * 13, base, Axis.Z).connect_to(RigidJoint("pin", arm), angle=0)
    with pytest.raises(NotADesignError, match=r"hinge' of 'base' is invalid: label"):
        capture_design(machine(base, arm))


def test_blank_in_a_joint_label_counts_as_underscore() -> None:
    base, arm = block("base"), block("arm")
    RevoluteJoint("my hinge", base, Axis.Z).connect_to(RigidJoint("pin", arm), angle=0)
    assert only_joint(machine(base, arm)).label == "my_hinge"


def test_infinite_travel_is_bounded_and_nan_is_an_error() -> None:
    rail, cart = block("rail"), block("cart")
    LinearJoint("slide", rail, Axis.X).connect_to(RigidJoint("seat", cart), position=5)
    assert only_joint(machine(rail, cart)).travel_range_mm == (-5, 1e4)
    rail.joints["slide"].position = float("nan")  # pyright: ignore[reportAttributeAccessIssue] - as a script may
    with pytest.raises(NotADesignError, match="nan mm"):
        capture_design(machine(rail, cart))


def test_unsupported_joint_pairs_are_errors() -> None:
    rail, cart = block("rail"), block("cart")
    LinearJoint("slot", rail, Axis.X, linear_range=(0, 9)).connect_to(RevoluteJoint("turn", cart), position=1, angle=0)
    with pytest.raises(NotADesignError, match="one side must be a RigidJoint"):
        capture_design(machine(rail, cart))
    limited = BallJoint("ball", rail, angular_range=((0, 10), (0, 360), (0, 360)))
    limited.connect_to(RigidJoint("head", stud := block("stud")))
    rail.joints.pop("slot")
    with pytest.raises(NotADesignError, match="not simulated for ball joints"):
        capture_design(machine(rail, stud))


def test_joint_on_group_is_an_error() -> None:
    group, arm = machine(block("a"), block("b")), block("arm")
    RigidJoint("top", group).connect_to(RigidJoint("pin", arm))
    with pytest.raises(NotADesignError, match="'top' is on 'machine'"):
        capture_design(Compound(label="all", children=[group, arm]))


def test_invalid_declarations_are_errors() -> None:
    with pytest.raises(NotADesignError, match="contains a str"):
        capture_design(machine(block("base"), declarations=["glue it"]))
    with pytest.raises(NotADesignError, match="carried names the joint 'axle', which does not exist"):
        capture_design(machine(block("base"), declarations=[carried("axle", "608zz")]))


def test_more_geometry_than_can_be_examined_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design, "MAX_DESIGN_BYTES", 1 << 10)
    with pytest.raises(NotADesignError, match=r"geometry has 0\.0 MiB of data.* largest part, 'leg'.* fine surfaces"):
        capture_design(block("leg"))


def test_more_shapes_than_can_be_examined_are_refused_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design, "MAX_SHAPES", 2)
    with pytest.raises(NotADesignError, match="3 shapes in it, at most 2"):
        capture_design(Compound(children=[Box(1, 1, 1), Box(2, 2, 2), Box(3, 3, 3)]))


def test_long_texts_of_a_part_are_cut() -> None:
    box = Box(1, 1, 1)
    box.label = "x" * 100_000
    vars(box)["metadata"] = {"material_id": "y" * 100_000}
    (part,) = capture_design(box).parts
    assert part.label == "x" * TEXT_CHARS
    assert part.material_id == "y" * TEXT_CHARS
