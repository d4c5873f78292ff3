"""Solids that stay solid: parts of a joint with the environment and with each other, and the payload."""

import numpy as np
import pytest
from contracts.models.benchmark import Payload
from contracts.models.geometry import Vector
from contracts.models.mechanism import Coupling, Positions
from contracts.models.scene import Body, CylinderGeom, LoadedJoint, Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.judge.penetration import MESH_M
from sim_worker.model import compile_scene
from sim_worker.rejection import SceneRejectedError
from sim_worker.run.clearance import ClearanceModel
from sim_worker.simulator import NominalRun, run_nominal

from tests.sim_worker import machines, scenes


def run(scene: Scene) -> NominalRun:
    return run_nominal(compile_scene(scene))


def result_of(scene: Scene) -> ReplicaResult:
    return run(scene).result


def pusher(wall_origin: str) -> Scene:
    """Return a plate behind a wall of 12 mm that a strong motor pushes towards a cube on the other side."""
    table = scenes.block("table", (0, 0, -10), (900, 900, 20), "environment")
    wall = scenes.block("wall", (-40, 0, 50), (12, 200, 100), wall_origin)
    plate = scenes.solid("plate", (-70, 0, 25), (10, 40, 40))
    motor = scenes.solid("motor", (-300, 0, 20), (30, 30, 39))
    slide = scenes.joint("slide", "linear", "wall", "plate", (-70, 0, 25), axis=(1, 0, 0), travel_range_mm=(-1, 200))
    control = Positions(times_s=(0.2, 2.0), targets=(0.0, 150.0))
    drive = scenes.drive("motor", "slide", mode="position", control=control, pinion_radius_mm=10.0, thermal_limit_s=9.0)
    return scenes.empty_scene(
        machines.cube((-10, 0, 20)),
        bodies=(table, wall, plate, motor),
        joints=(slide,),
        drives=(drive,),
        touching=(("plate", "wall"), ("motor", "plate"), ("motor", "wall")),
        goal_zone=scenes.box((60, -50, 5), (200, 50, 60)),
    )


def test_part_does_not_pass_through_the_solid_that_carries_its_joint() -> None:
    stopped = run(pusher("environment"))
    assert stopped.result.ending != "reached_goal"
    front_mm = stopped.readings.moving_position_m[:, 0, 0].max() * 1000 + 5
    assert front_mm == pytest.approx(-46.0, abs=2.0), "the wall begins at x = -46"


def test_part_that_passes_through_its_partner_of_the_design_fails() -> None:
    result = result_of(pusher("design"))
    assert (result.ending, result.culprit) == ("penetrated", "plate")
    assert "plate moved" in result.cause
    assert "into wall at" in result.cause


def gate(angle_deg: float) -> Scene:
    """Return the sweeper with a pillar on its post, at an angle that the arm reaches at 60 degrees."""
    sweeper = machines.sweeper()
    turn = np.radians(angle_deg)
    pillar = machines.solid("pillar", (90 * np.cos(turn), 90 * np.sin(turn), 45), (8, 8, 90)).geoms
    bodies = [
        body.model_copy(update={"geoms": (*body.geoms, *pillar)}) if body.label == "post" else body
        for body in sweeper.bodies
    ]
    return sweeper.model_copy(update={"bodies": tuple(bodies)})


def test_arm_must_not_swing_through_the_part_that_carries_it() -> None:
    swings = result_of(gate(40.0))
    assert (swings.ending, swings.culprit) == ("penetrated", "arm")
    assert "into post" in swings.cause
    clear = result_of(gate(110.0))
    assert (clear.ending, clear.aftermath) == ("reached_goal", "stayed")


def bars() -> Scene:
    """Return two coupled bars on a frame, 100 mm apart, whose ends meet half-way: each reaches 70 mm from its axle."""
    frame = scenes.solid("frame", (0, 0, 0), (200, 20, 10))
    table = scenes.block("table", (0, 0, -15), (300, 300, 20), "environment")
    first = scenes.solid("first", (-50, 0, 12), (8, 140, 6))
    second = scenes.solid("second", (50, 0, 12), (140, 8, 6))
    joints = [
        scenes.joint(label, "revolute", "frame", label, (x, 0, 12), axis=(0, 0, 1))
        for label, x in (("first", -50), ("second", 50))
    ]
    control = Positions(times_s=(0.2, 2.0), targets=(0.0, 90.0))
    drive = scenes.drive("motor", "first", mode="position", control=control, thermal_limit_s=9.0)
    return scenes.machine_scene(
        table,
        frame,
        first,
        second,
        scenes.solid("motor", (-50, 0, 40), (20, 20, 20)),
        joints=tuple(joints),
        drives=(drive,),
        welds=(scenes.weld("feet", "table", "frame", (0, 0, -5)), scenes.weld("flange", "frame", "motor", (0, 0, 0))),
        couplings=(Coupling(kind="gear", first="first", second="second", ratio=1.0),),
        touching=(
            ("frame", "first"),
            ("frame", "second"),
            ("first", "second"),
            ("first", "motor"),
            ("frame", "motor"),
            ("motor", "second"),
        ),
    )


def test_coupled_parts_overlap_no_more_than_teeth_do() -> None:
    result = result_of(bars())
    assert (result.ending, result.culprit) == ("penetrated", "first")
    assert "into second" in result.cause
    depth_mm = float(result.cause.split(" moved ")[1].split(" mm")[0])
    assert MESH_M * 1000 < depth_mm < MESH_M * 1000 + 2.5, "found within a stride"


def slot(gap_mm: float, force_n: float, ram_kg_m3: float = 1000.0) -> Scene:
    """Return a ball of 40 mm (47 g) between two plates of the environment, pushed through their gap by a ram."""
    plates = [
        scenes.block(f"plate_{name}", (0, side * (gap_mm / 2 + 20), 50), (12, 40, 100), "environment")
        for name, side in (("a", -1), ("b", 1))
    ]
    floor = scenes.block("floor", (0, 0, -10), (600, 300, 20), "environment")
    ram = scenes.solid("ram", (-70, 0, 20.2), (10, 30, 39), ram_kg_m3)
    motor = scenes.solid("motor", (-280, 0, 16), (30, 30, 30))
    slide = scenes.joint("slide", "linear", "motor", "ram", (-70, 0, 20), axis=(1, 0, 0), travel_range_mm=(-1, 200))
    control = Positions(times_s=(0.2, 2.0), targets=(0.0, 150.0))
    drive = scenes.drive(
        "motor", "slide", mode="position", control=control, pinion_radius_mm=10.0, stall_torque_n_m=force_n / 100,
        thermal_limit_s=9.0, continuous_torque_n_m=force_n / 100,
    )  # fmt: skip
    ball: Payload = scenes.ball((-40, 0, 20))
    return scenes.empty_scene(
        ball,
        bodies=(*plates, floor, ram, motor),
        joints=(slide,),
        drives=(drive,),
        welds=(scenes.weld("foot", "floor", "motor", (-280, 0, 0)),),
        touching=(("motor", "ram"),),
        goal_zone=scenes.box((40, -50, 5), (200, 50, 60)),
        hold_s=0.2,
    )


@pytest.mark.parametrize("ram_kg_m3", [5000.0, 1000.0, 100.0])
def test_ball_is_not_pressed_through_a_slot_narrower_than_itself(ram_kg_m3: float) -> None:
    """By rams that are heavier than the ball, a quarter, and a fortieth of it."""
    result = result_of(slot(39.0, 200.0, ram_kg_m3))
    assert result.ending == "penetrated"
    assert result.culprit in {"plate_a", "plate_b", "ram"}
    assert "the payload was" in result.cause


def test_ball_passes_a_slot_wider_than_itself() -> None:
    assert result_of(slot(41.0, 200.0)).ending == "reached_goal"


def test_hinge_anchored_on_the_environment_turns_with_clearance() -> None:
    def flap(gap_mm: float) -> ReplicaResult:
        wall = scenes.block("wall", (-50, 0, 0), (100, 100, 100), "environment")
        leaf = scenes.solid("leaf", (50 + gap_mm, 0, 0), (100, 50, 10))
        hinge = scenes.joint("hinge", "revolute", "wall", "leaf", (gap_mm + 2, 0, 0))
        return result_of(scenes.machine_scene(wall, leaf, joints=(hinge,), touching=(("leaf", "wall"),)))

    assert flap(6.0).ending == "missed_goal"


def test_part_inside_the_solid_that_carries_its_joint_is_rejected() -> None:
    wall = scenes.block("wall", (-50, 0, 0), (100, 100, 100), "environment")
    leaf = scenes.solid("leaf", (45, 0, 0), (100, 50, 10))
    hinge: LoadedJoint = scenes.joint("hinge", "revolute", "wall", "leaf", (0, 0, 0))
    with pytest.raises(SceneRejectedError, match=r"leaf \(design\)"):
        run(scenes.machine_scene(wall, leaf, joints=(hinge,), touching=(("leaf", "wall"),)))


def loose(label: str, place: Vector) -> Body:
    return scenes.solid(label, place, (20, 20, 20))


def test_clearance_model_follows_every_kind_of_joint() -> None:
    """A wheel (hinge), a slider, a piston (cylindrical), an eye (ball) and a loose part, as in the world itself."""
    frame = scenes.block("frame", (0, 0, -100), (400, 400, 20), "environment")
    parts = [
        loose(label, (80.0 * index, 0, 0)) for index, label in enumerate(("wheel", "slider", "piston", "eye", "loose"))
    ]
    kinds = {"wheel": "revolute", "slider": "linear", "piston": "cylindrical", "eye": "ball"}
    joints = [
        scenes.joint(
            f"j-{part.label}", kinds[part.label], "frame", part.label, (80.0 * index + 5, 0, 3), axis=(1, 0, 0)
        )
        for index, part in enumerate(parts[:4])
    ]
    world = compile_scene(scenes.machine_scene(frame, *parts, joints=tuple(joints)))
    readings = run_nominal(world).readings
    model = ClearanceModel(world)
    for step in (0, 40, len(readings.time_s) - 1):
        model.overlaps(readings.rows[step])
        for column, label in enumerate(readings.layout.moving):
            place = model.position_m(label)
            np.testing.assert_allclose(place, readings.moving_position_m[step, column], atol=1e-9)


def pegged(edge_mm: float, is_round: bool) -> Scene:
    """Return a handle whose peg of 20 mm a motor turns by 40 degrees in a socket of four blocks around it."""
    reach = edge_mm / 2 + 10
    sides = [((reach, 0), (20, 60)), ((-reach, 0), (20, 60)), ((0, reach), (edge_mm, 20)), ((0, -reach), (edge_mm, 20))]
    blocks = [scenes.block("side", (x, y, 10), (length, width, 20)) for (x, y), (length, width) in sides]
    socket = scenes.solid("socket", (0, 0, 10), (80, 80, 20))
    socket = socket.model_copy(update={"geoms": tuple(geom for each in blocks for geom in each.geoms)})
    peg = scenes.solid("peg", (0, 0, 22), (14, 14, 40))
    if is_round:
        pin = CylinderGeom(center_mm=(0, 0, 22), quaternion=(1, 0, 0, 0), radius_mm=10, length_mm=40)
        peg = peg.model_copy(update={"geoms": (pin,)})
    table = scenes.block("table", (0, 0, -10), (300, 300, 20), "environment")
    motor = scenes.solid("motor", (0, 0, 60), (20, 20, 20))
    control = Positions(times_s=(0.2, 1.0), targets=(0.0, 40.0))
    hinge = scenes.joint("hinge", "revolute", "socket", "peg", (0, 0, 10), axis=(0, 0, 1))
    return scenes.machine_scene(
        table,
        socket,
        peg,
        motor,
        joints=(hinge,),
        drives=(scenes.drive("motor", "hinge", mode="position", control=control, thermal_limit_s=9.0),),
        welds=(
            scenes.weld("foot", "table", "socket", (0, 0, 0), None),
            scenes.weld("flange", "socket", "motor", (0, 0, 20), None),
        ),
        touching=(("peg", "socket"), ("motor", "peg"), ("motor", "socket")),
        duration_s=1.5,
    )


def test_square_peg_does_not_turn_in_a_square_socket() -> None:
    result = result_of(pegged(14.4, is_round=False))
    assert (result.ending, result.culprit) == ("penetrated", "peg")
    assert result_of(pegged(20.4, is_round=False)).ending == "missed_goal"
    assert result_of(pegged(20.2, is_round=True)).ending == "missed_goal"
