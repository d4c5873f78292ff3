"""What sits on a motor's shaft, or meshes, comes into place along the shaft, or straight into the teeth."""

from collections.abc import Sequence

import pytest
from build123d import Cylinder, Part, Pos, Rot
from catalog_shapes.bought_parts import bought_part
from contracts.models.geometry import Vector
from contracts.models.mechanism import Constant, Joint, Motor
from design_rules.bodies.multibody import MultibodySystem
from design_rules.bodies.solid_bodies import Part as PartBody
from design_rules.transmission.mates import motor_fronts
from geometry.assembly.mates import Mate
from geometry.assembly.steps import AssemblyStep
from geometry.single_solid import read_single_solid

from tests.support.designs import Designs
from tests.support.slides import DrivenCart, bond


def way_together(steps: Sequence[AssemblyStep], first: str, second: str) -> Vector | None:
    """Return the motion by which the first of two parts comes to the second, or the other way round."""
    for step in steps:
        if first in step.labels and second in step.onto:
            return step.direction
        if second in step.labels and first in step.onto:
            assert step.direction is not None
            x, y, z = step.direction
            return (-x, -y, -z)
    raise AssertionError(f"{first} and {second} are never put together")


def test_pinion_is_pushed_onto_the_shaft_of_its_motor(designs: Designs) -> None:
    """Its disc alone could come from the side, as the shaft is not modelled; the motor's points down, along -z."""
    cart = DrivenCart()
    steps = designs.judge(*cart.parts(designs), mechanism=cart.mechanism()).assembly
    assert way_together(steps, "pinion", "motor") == pytest.approx((0, 0, 1))


def test_front_of_a_motor_faces_its_pinion(designs: Designs) -> None:
    """By hand: the face is at z = 37.01, the pinion's top at 30; the cart's plate lies between."""
    cart = DrivenCart()
    captured = designs.request(*cart.parts(designs), mechanism=cart.mechanism()).design
    bodies = {
        each.label: PartBody(each.label, read_single_solid(each.brep), catalog_id=each.catalog_id)
        for each in captured.parts
    }
    (found,) = motor_fronts(MultibodySystem(bodies, captured.mechanism))
    assert found.direction == pytest.approx((0, 0, -1), abs=1e-9)
    assert found.point_mm == pytest.approx((-60, cart.shaft_mm, 37.01), abs=1e-6)
    assert found.hubs == pytest.approx({"pinion": 7.01}, abs=1e-6)


def test_pinion_comes_to_its_rack_from_the_side_of_its_teeth(designs: Designs) -> None:
    """Along the rack, on which its pitch circle rolls, its teeth would be in the way."""
    cart = DrivenCart()
    steps = designs.judge(*cart.parts(designs), mechanism=cart.mechanism()).assembly
    way = way_together(steps, "pinion", "rail")
    assert way is not None
    assert abs(way[0]) < 1e-3, "not along the rail"


def arm_on_shaft(designs: Designs, before_mm: float = 1.0) -> list[Part]:
    """Return a motor whose shaft points along x, glued to a wall behind it, and a round arm in front of it."""
    motor: Part = Pos(0, 0, 40) * Rot(0, 90, 0) * bought_part("pololu-37d-50")
    motor.label = "motor"
    vars(motor)["metadata"] = {"catalog_id": "pololu-37d-50"}
    foot = designs.part("foot", (10, 60, 70), (-75, 0, 35))
    arm = designs.as_part("arm", Pos(5 + before_mm, 0, 40) * Rot(0, 90, 0) * Cylinder(15, 10))
    return [foot, motor, arm]


HINGE = Joint(label="hinge", kind="revolute", parent="motor", child="arm", anchor_mm=(1, 0, 40), axis=(1, 0, 0))
TURN = Motor(part="motor", joint="hinge", control=Constant(share=0.5))


def test_arm_on_a_motors_shaft_comes_along_the_shaft(designs: Designs) -> None:
    fixed = [bond("foot", "floor"), bond("motor", "foot"), HINGE, TURN]
    judged = designs.judge(*arm_on_shaft(designs), mechanism=fixed)
    assert judged.findings == ()
    assert way_together(judged.assembly, "arm", "motor") == pytest.approx((-1, 0, 0))


def test_plate_around_a_shaft_comes_along_it_before_the_arm(designs: Designs) -> None:
    """By its own shape it could come from above: nothing but the shaft, which is not modelled, is in its hole."""
    plate = designs.as_part("plate", Pos(3.01, 0, 40) * Rot(0, 90, 0) * (Cylinder(15, 6) - Cylinder(5, 6)))
    fixed = [bond("foot", "floor"), bond("motor", "foot"), bond("plate", "motor"), HINGE, TURN]
    steps = designs.judge(*arm_on_shaft(designs, before_mm=7.0), plate, mechanism=fixed).assembly
    assert way_together(steps, "plate", "motor") == pytest.approx((-1, 0, 0))
    assert way_together(steps, "arm", "plate") == pytest.approx((-1, 0, 0))


@pytest.mark.parametrize(
    ("direction", "leaves"),
    [
        ((0.0, 0.0, 1.0), True),
        ((0.0, 0.0, -1.0), True),
        ((-1.0, 0.0, 0.0), True),
        ((1.0, 0.0, 0.0), False),
        ((0.0, 1.0, 0.0), False),
        ((-0.9455, 0.3256, 0.0), True),  # 19 degrees off the line between wheel and rack
        ((-0.9336, 0.3584, 0.0), False),  # 21
        ((-0.7071, 0.0, 0.7071), True),
    ],
)
def test_teeth_of_twenty_degrees_let_go_within_their_flanks(direction: Vector, leaves: bool) -> None:
    assert Mate("wheel", "rack", (0, 0, 1), (-1, 0, 0)).parts_along(direction) is leaves


def test_hub_leaves_its_shaft_along_it_only() -> None:
    hub = Mate("hub", "motor", (0, 0, 1))
    along, across = ((0, 0, 1), (0, 0, -1)), ((1, 0, 0), (0, 0.6, 0.8))
    assert all(map(hub.parts_along, along))
    assert not any(map(hub.parts_along, across))
