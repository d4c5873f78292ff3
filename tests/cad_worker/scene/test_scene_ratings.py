"""Ratings of joints and drives of a scene: stops, shafts, teeth and guides."""

import pytest
from build123d import Cylinder, Part, Pos
from cad_worker.jobs.design import scene_of
from catalog_shapes.bought_parts import bought_part
from contracts.models.geometry import Vector
from contracts.models.mechanism import Constant, Coupling, Joint, Motor
from contracts.models.scene import Drive, LoadedJoint, Scene
from parts_catalog.bearings import STOP_N, STOP_N_M
from parts_catalog.materials import MATERIALS
from parts_catalog.motors import MOTORS
from parts_catalog.strength import max_stress_mpa, shaft_torque_n_m, tooth_n

from tests.support.designs import Designs, MechanismItem
from tests.support.slides import DrivenCart, bond

PLA_MPA = max_stress_mpa(MATERIALS["pla"], "3d_printing")


def scene(designs: Designs, parts: list[Part], mechanism: list[MechanismItem]) -> Scene:
    build = scene_of(designs.request(*parts, mechanism=mechanism))
    assert build.scene is not None, build.findings
    return build.scene


def flap(designs: Designs, *, has_peg: bool) -> LoadedJoint:
    """Return the hinge of an arm beside a post; 16 degrees down, it rests on the post's peg."""
    parts = [designs.part("post", (20, 20, 60), (0, 0, 30)), designs.part("arm", (100, 10, 10), (0, 15.5, 50))]
    mechanism: list[MechanismItem] = [bond("post", "floor")]
    if has_peg:
        parts.append(designs.part("peg", (40, 12, 4), (10, 16.01, 34)))
        mechanism.append(bond("peg", "post"))
    hinge = Joint(
        label="hinge",
        kind="revolute",
        parent="post",
        child="arm",
        anchor_mm=(0, 15.5, 50),
        axis=(0, 1, 0),
        angle_range_deg=(-20, 16),
    )
    (joint,) = scene(designs, parts, [*mechanism, hinge]).joints
    return joint


def test_range_ends_at_the_stop_in_the_bearing_unless_parts_meet(designs: Designs) -> None:
    assert flap(designs, has_peg=False).max_stops == pytest.approx((STOP_N_M, STOP_N_M))
    assert flap(designs, has_peg=True).max_stops == (pytest.approx(STOP_N_M), None)


def on_motor(designs: Designs, motor_id: str, bearing_id: str | None = None) -> tuple[LoadedJoint, Drive]:
    """Return joint and drive of a disc on a motor's shaft."""
    motor: Part = Pos(0, 0, 60) * bought_part(motor_id)
    motor.label = "motor"
    vars(motor)["metadata"] = {"catalog_id": motor_id}
    height = motor.bounding_box().min.Z
    parts = [
        motor,
        designs.part("base", (40, 40, height), (0, 0, height / 2)),
        designs.as_part("disc", Pos(0, 0, 65) * Cylinder(20, 8)),
    ]
    axle = Joint(label="axle", kind="revolute", parent="motor", child="disc", anchor_mm=(0, 0, 60))
    joint = axle.model_copy(update={"bearing_id": bearing_id})
    drive = Motor(part="motor", joint="axle", control=Constant(share=0.5))
    made = scene(designs, parts, [bond("base", "floor"), bond("motor", "base"), joint, drive])
    return made.joints[0], made.drives[0]


def test_joint_on_a_motor_holds_what_its_shaft_bears(designs: Designs) -> None:
    thin, drive = on_motor(designs, "pololu-n20-hpcb-75")
    assert thin.max_moment_n_m == pytest.approx(252 * 2.65e-3, rel=0.02)
    assert thin.max_force_n == pytest.approx(66, rel=0.02)
    sheet = MOTORS["pololu-n20-hpcb-75"]
    assert drive.max_torque_n_m == pytest.approx(shaft_torque_n_m(3.0, sheet.shaft_mpa))
    assert drive.weakest == "its shaft of 3 mm"
    borne, _ = on_motor(designs, "pololu-n20-hpcb-75", "608zz")
    assert borne.max_force_n == 1370


def geared(designs: Designs, width_mm: float, first_mm: float = 20.0, second_mm: float = 40.0) -> Drive:
    """Return the drive of a motor whose disc turns another one."""
    motor: Part = Pos(-first_mm - second_mm, 0, 80) * bought_part("pololu-37d-50")
    motor.label = "motor"
    vars(motor)["metadata"] = {"catalog_id": "pololu-37d-50"}

    def disc(label: str, x: float, radius: float) -> Part:
        return designs.as_part(label, Pos(x, 0, 80.5 + width_mm / 2) * Cylinder(radius - 0.01, width_mm))

    def axle(label: str, parent: str, child: str, at: Vector) -> Joint:
        return Joint(label=label, kind="revolute", parent=parent, child=child, anchor_mm=at)

    parts = [
        motor,
        designs.part("base", (40, 40, 10), (-first_mm - second_mm, 0, 5)),
        designs.part("pillar", (20, 20, 80), (0, 0, 40)),
        disc("pinion", -first_mm - second_mm, first_mm),
        disc("wheel", 0, second_mm),
    ]
    mechanism: list[MechanismItem] = [bond("base", "floor"), bond("pillar", "floor"), bond("motor", "base")]
    mechanism += [
        axle("one", "motor", "pinion", (-first_mm - second_mm, 0, 80)),
        axle("two", "pillar", "wheel", (0, 0, 80)),
        Coupling(kind="gear", first="one", second="two", ratio=-first_mm / second_mm),
        Motor(part="motor", joint="one", control=Constant(share=0.5)),
    ]
    (drive,) = scene(designs, parts, mechanism).drives
    return drive


@pytest.mark.parametrize("width_mm", [1.0, 4.0])
def test_teeth_of_gears_limit_the_torque_by_lewis(designs: Designs, width_mm: float) -> None:
    drive = geared(designs, width_mm)
    ideal_n_m = tooth_n(width_mm, 1.0, 40, PLA_MPA) * 0.02
    assert drive.max_torque_n_m == pytest.approx(ideal_n_m, rel=0.02)
    assert drive.weakest.startswith("the teeth of pinion")


def test_teeth_of_a_pinion_limit_the_torque(designs: Designs) -> None:
    cart = DrivenCart()
    drive = scene(designs, cart.parts(designs), cart.mechanism()).drives[0]
    assert drive.max_torque_n_m == pytest.approx(tooth_n(8.0, 1.0, 20, PLA_MPA) * 0.01, rel=0.02)


def test_slide_is_loaded_in_the_middle_of_its_guide(designs: Designs) -> None:
    cart = DrivenCart()
    (slide,) = scene(designs, cart.parts(designs), cart.mechanism()).joints
    assert slide.anchor_mm == pytest.approx((-60.0, 0.0, 30.5))
    assert slide.max_moment_n_m == pytest.approx(400 * 0.05)
    assert slide.max_stops == (STOP_N, STOP_N)
