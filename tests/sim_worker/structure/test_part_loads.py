"""What acts on a part: joints, motors and contacts, measured in the world and given as the part is at the start."""

import numpy as np
import pytest
from contracts.models.geometry import Vector
from contracts.models.scene import Scene
from sim_worker.model import compile_scene
from sim_worker.run.readings import Readings
from sim_worker.structure.part_model import PartModel, part_models
from sim_worker.structure.section_loads import PointLoad
from sim_worker.units import Floats

from tests.sim_worker.scenes import block, drive, joint, machine_scene, solid, weld
from tests.sim_worker.structure.beams import rod

ANCHOR: Vector = (10.0, 20.0, 110.0)
CENTRE: Vector = (60.0, 20.0, 110.0)
QUARTER = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
"""About z: x becomes y, y becomes -x."""
MOVED_MM = (-30.0, 40.0, 200.0)


def machine(
    axis: Vector = (0.0, 0.0, 1.0), kind: str = "revolute", *, is_swapped: bool = False, **motor: object
) -> Scene:
    """Return a frame that stands on the floor, and an arm on a joint, with a motor on the frame, or on the arm."""
    floor = block("floor", (0, 0, -5), (600, 600, 10), "environment")
    frame, arm = rod("frame", (0, 0, 50), (10, 20, 100)), rod("arm", CENTRE, (100, 12, 6))
    housing = solid("motor", (0, -40, 60), (20, 20, 20))
    carrier = str(motor.pop("carrier", "frame"))
    ends = ("arm", "frame") if is_swapped else ("frame", "arm")
    return machine_scene(
        *(floor, frame, arm, housing),
        joints=(joint("hinge", kind, *ends, ANCHOR, axis=axis),),
        welds=(weld("foot", "frame", "floor", (0, 0, 0)), weld("flange", "motor", carrier, (0, -30, 60))),
        drives=(drive("motor", "hinge", **motor),),
        touching=(("arm", "frame"), ("motor", "frame"), ("motor", "arm")),
    )


def at_rest(scene: Scene) -> Readings:
    """Return one row of readings in which nothing acts and nothing has moved."""
    world = compile_scene(scene)
    layout = world.layout
    rows = np.zeros((1, world.model.nsensordata))
    bodies = {body.label: body for body in scene.bodies}
    for label, place, turn in zip(layout.moving, layout.moving_positions, layout.moving_quaternions, strict=True):
        mass = bodies[label].mass
        assert mass is not None
        rows[0, place : place + 3] = np.array(mass.center_mm) / 1000
        rows[0, turn] = 1.0
    return Readings(np.zeros(1), rows, layout)


def moved(readings: Readings) -> Readings:
    """Return the readings with the arm turned by a quarter, elsewhere."""
    column = readings.layout.moving.index("arm")
    place, turn = readings.layout.moving_positions[column], readings.layout.moving_quaternions[column]
    readings.rows[0, place : place + 3] = np.array(MOVED_MM) / 1000
    readings.rows[0, turn : turn + 4] = QUARTER
    return readings


def part(scene: Scene, readings: Readings, label: str) -> PartModel:
    return {each.label: each for each in part_models(scene, readings.layout)}[label]


def joint_load(
    scene: Scene, readings: Readings, label: str, force: Vector, moment_n_m: Vector, *, torque_n_m: float = 0.0
) -> PointLoad:
    """Return the load of the joint on a part, for what is measured at the joint."""
    layout = readings.layout
    for column, values in ((layout.joint_forces[0], force), (layout.joint_moments[0], moment_n_m)):
        readings.rows[0, column : column + 3] = values
    readings.rows[0, layout.drive_torques[0]] = torque_n_m
    (load,) = part(scene, readings, label).member.loads(readings)
    return load


def assert_load(load: PointLoad, point_mm: Floats | Vector, force: Floats | Vector, moment: Floats | Vector) -> None:
    np.testing.assert_allclose(load.points_mm[0], point_mm, atol=1e-6)
    np.testing.assert_allclose(load.forces[0], force, atol=1e-9)
    np.testing.assert_allclose(load.moments[0], moment, atol=1e-6)


SHORTEST_TURNS: list[tuple[Vector, Vector]] = [
    ((0, 0, 1), (1, 2, 3)),
    ((0, 0, -1), (1, -2, -3)),
    ((1, 0, 0), (3, 2, -1)),
    ((-1, 0, 0), (-3, 2, 1)),
    ((0, 1, 0), (1, 3, -2)),
    ((0, -1, 0), (1, -3, 2)),
    ((0.6, 0.0, 0.8), (0.8 + 1.8, 2, 2.4 - 0.6)),
]
"""A joint's axis, and (1, 2, 3) in the frame whose z is the axis, seen in the world."""


@pytest.mark.parametrize(("axis", "seen"), SHORTEST_TURNS)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_joint_acts_at_its_anchor_along_its_own_axes(axis: Vector, seen: Vector, is_swapped: bool) -> None:
    """On the arm as it is measured, on the frame the opposite."""
    for label, sign in (("arm", 1.0), ("frame", -1.0)):
        scene = machine(axis, is_swapped=is_swapped)
        load = joint_load(scene, at_rest(scene), label, (1, 2, 3), (0.1, 0.2, 0.3))
        assert_load(load, ANCHOR, sign * np.array(seen), sign * 100 * np.array(seen))


def test_joint_acts_on_a_part_that_has_moved_as_it_did_at_the_start() -> None:
    """It turns with the arm; the frame, which stays, feels it turned and where the arm is now."""
    scene = machine((1, 0, 0))
    on_arm = joint_load(scene, moved(at_rest(scene)), "arm", (1, 2, 3), (0.1, 0.2, 0.3))
    assert_load(on_arm, ANCHOR, (3, 2, -1), (300, 200, -100))
    on_frame = joint_load(scene, moved(at_rest(scene)), "frame", (1, 2, 3), (0.1, 0.2, 0.3))
    arm_mm = np.subtract(ANCHOR, CENTRE)
    place = np.add(MOVED_MM, (-arm_mm[1], arm_mm[0], arm_mm[2]))
    assert_load(on_frame, place, (2, -3, 1), (200, -300, 100))


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize(("carrier", "label"), [("frame", "frame"), ("arm", "arm"), ("frame", "arm"), ("arm", "frame")])
def test_torque_of_a_motor_acts_on_its_housing_and_not_on_what_carries_it(
    is_swapped: bool, carrier: str, label: str
) -> None:
    """Of 0.3 N m about the axis, 0.2 are the motor's. On the joint's child it acts forwards."""
    scene = machine(is_swapped=is_swapped, carrier=carrier)
    sign = 1.0 if label == "arm" else -1.0
    motor_n_mm = (-200.0 if is_swapped else 200.0) if carrier == label else 0.0
    load = joint_load(scene, at_rest(scene), label, (1, 2, 3), (0.1, 0.2, 0.3), torque_n_m=0.2)
    assert_load(load, ANCHOR, sign * np.array((1, 2, 3)), sign * np.array((100, 200, 300 - motor_n_mm)))


def test_thrust_of_a_pinion_acts_on_its_motor() -> None:
    """0.2 N m on a pinion of 10 mm: 20 N along the slide."""
    scene = machine(kind="linear", pinion_radius_mm=10.0)
    load = joint_load(scene, at_rest(scene), "frame", (1, 2, 30), (0.1, 0.2, 0.3), torque_n_m=0.2)
    assert_load(load, ANCHOR, (-1, -2, -10), (-100, -200, -300))
    load = joint_load(scene, at_rest(scene), "arm", (1, 2, 30), (0.1, 0.2, 0.3), torque_n_m=0.2)
    assert_load(load, ANCHOR, (1, 2, 30), (100, 200, 300))


def test_motor_of_another_joint_changes_nothing() -> None:
    scene = machine()
    tip = solid("tip", (160, 20, 110), (20, 20, 20))
    wrist = joint("wrist", "revolute", "arm", "tip", (150, 20, 110))
    driven = scene.drives[0].model_copy(update={"joint": "wrist"})
    changed = scene.model_copy(
        update={"bodies": (*scene.bodies, tip), "joints": (*scene.joints, wrist), "drives": (driven,)}
    )
    readings = at_rest(changed)
    readings.rows[0, readings.layout.drive_torques[0]] = 0.2
    column = readings.layout.joint_moments[0]
    readings.rows[0, column : column + 3] = (0.1, 0.2, 0.3)
    (load,) = part(changed, readings, "frame").member.loads(readings)
    assert_load(load, ANCHOR, (0, 0, 0), (-100, -200, -300))


def test_contact_acts_backwards_on_the_part_and_turns_with_it() -> None:
    """The part presses with a force at a centre; it feels the opposite, there."""
    scene = machine()
    for readings, turns in ((at_rest(scene), False), (moved(at_rest(scene)), True)):
        first = readings.layout.contact_loads["arm"]
        centre_mm = np.add(MOVED_MM if turns else CENTRE, (4.0, -7.0, 2.0))
        readings.rows[0, first : first + 9] = (1, 2, 3, 0.1, 0.2, 0.3, *(centre_mm / 1000))
        loads = part(scene, readings, "arm").member.loads(readings)
        assert len(loads) == 2
        offset, force = ((-7.0, -4.0, 2.0), (-2.0, 1.0, -3.0)) if turns else ((4.0, -7.0, 2.0), (-1.0, -2.0, -3.0))
        assert_load(loads[1], np.add(CENTRE, offset), force, 100 * np.array(force))
        assert len(part(scene, readings, "frame").member.loads(readings)) == 1, "no contact"
        readings.rows[0, first : first + 3] = 0.0
        assert len(part(scene, readings, "arm").member.loads(readings)) == 2, "a moment alone is a load, too"
        readings.rows[0, first + 3 : first + 6] = 0.0
        assert len(part(scene, readings, "arm").member.loads(readings)) == 1


def test_only_parts_with_a_strength_are_judged() -> None:
    scene = machine()
    assert [each.label for each in part_models(scene, at_rest(scene).layout)] == ["frame", "arm"]
    plain = machine_scene(solid("block", (0, 0, 50), (20, 20, 20)))
    assert part_models(plain, at_rest(plain).layout) == ()
