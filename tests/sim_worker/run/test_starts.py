"""Where jitter takes effect: starts and their room, rotation, inertia, and saturation of motors."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.models.scene import Body, Scene
from sim_worker.model import World, compile_scene
from sim_worker.run.jitter import Jitter, no_jitter
from sim_worker.run.readings import Readings
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.simulator import SimulationSettings, Simulator, run_batch, run_replicas

from tests.sim_worker import scenes

FLOOR = scenes.block("floor", (0, 0, -25), (400, 400, 10), "environment")


def first_chunk(world: World, jitter: Jitter) -> Readings:
    ((chunk,),) = ReplicaBatch(world, jitter, threads=1).advance([0])
    return chunk.readings


def between(*walls: Body) -> Scene:
    return scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(FLOOR, *walls), duration_s=0.2)


def wall(origin: str, gap_mm: float) -> Body:
    """Return a wall at the +x side of the ball's start."""
    return scenes.block("wall", (20 + gap_mm + 5, 0, 10), (10, 100, 60), origin)


def displaced(x_mm: float) -> Jitter:
    return replace(no_jitter(), start_m=np.array([[x_mm / 1000, 0.0, 0.0]]))


def test_payload_starts_at_its_displacement_and_yaw() -> None:
    jitter = replace(displaced(4.0), yaw_rad=np.array([0.04]))
    readings = first_chunk(compile_scene(between()), jitter)
    np.testing.assert_allclose(readings.position_m[0], (0.004, 0.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(readings.quaternion[0], (np.cos(0.02), 0.0, 0.0, np.sin(0.02)), atol=1e-6)


def test_displacement_into_the_benchmarks_own_solid_is_halved_and_reported() -> None:
    world = compile_scene(between(wall("environment", 3.0)))
    batch = ReplicaBatch(world, displaced(5.0), threads=1)
    ((chunk,),) = batch.advance([0])
    assert chunk.readings.position_m[0, 0] == pytest.approx(0.0025, abs=1e-6)
    (result,) = run_batch(world, ReplicaBatch(world, displaced(5.0), threads=1))
    assert (result.ending, result.jitter_share) == ("missed_goal", 0.5)
    assert run_batch(world, ReplicaBatch(world, displaced(2.0), threads=1))[0].jitter_share == 1.0


def test_displacement_without_any_room_in_the_benchmark_is_zero() -> None:
    walls = (wall("environment", 0.0), scenes.block("other", (-25, 0, 10), (10, 100, 60), "environment"))
    (result,) = run_batch(
        compile_scene(between(*walls)), ReplicaBatch(compile_scene(between(*walls)), displaced(5.0), 1)
    )
    assert (result.ending, result.jitter_share) == ("missed_goal", 0.0)


def test_displacement_into_the_design_fails_the_replica() -> None:
    world = compile_scene(between(wall("design", 3.0)))
    (result,) = run_batch(world, ReplicaBatch(world, displaced(5.0), threads=1))
    assert (result.ending, result.culprit, result.time_s, result.jitter_share) == ("no_room", "wall", 0.0, 1.0)
    assert "2.00 mm inside wall" in result.cause
    assert result.final_mm == pytest.approx((5.0, 0.0, 0.0))
    assert run_batch(world, ReplicaBatch(world, displaced(2.9), threads=1))[0].ending == "missed_goal"


def test_design_behind_a_solid_of_the_benchmark_does_not_matter() -> None:
    behind = scenes.block("plate", (20 + 3 + 6, 0, 10), (10, 100, 40))
    post = scenes.block("post", (20 + 3 + 6, 0, 10), (12, 20, 60), "environment")
    (result,) = run_batch(
        compile_scene(between(post, behind)), ReplicaBatch(compile_scene(between(post, behind)), displaced(5.0), 1)
    )
    assert (result.ending, result.jitter_share) == ("missed_goal", 0.5)


def test_tight_tube_around_the_start_is_not_robust() -> None:
    """Four plates of the design close round the ball: its nominal run is perfect, its replicas have no room."""
    plates = [
        scenes.block(f"plate_{name}", (x * 22.51, y * 22.51, 10), (5 if x else 40, 5 if y else 40, 60))
        for name, x, y in (("a", 1, 0), ("b", -1, 0), ("c", 0, 1), ("d", 0, -1))
    ]
    goal = scenes.box((-30, -30, -30), (30, 30, 30))
    scene = between(*plates).model_copy(update={"goal_zone": goal, "hold_s": 0.05})
    result = Simulator(1).simulate(scene, SimulationSettings(16, 1)).result
    assert (result.verdict, result.stability) == ("solved", "failed")
    assert result.success_rate < 0.1
    assert {replica.ending for replica in result.replicas} <= {"no_room", "reached_goal"}
    assert "left no room for the payload's start" in result.summary_md


def test_replicas_without_room_do_not_change_the_others() -> None:
    world = compile_scene(between(wall("design", 3.0)))
    ones, none = np.ones(2), np.ones((2, 0))
    start_m = np.array([[0.005, 0.0, 0.0], [0.001, 0.0, 0.0]])
    jitter = Jitter(
        start_m, np.zeros(2), friction_factor=ones, mass_factor=ones, part_mass_factor=none, motor_factor=none
    )
    crowded, free = run_batch(world, ReplicaBatch(world, jitter, threads=1))
    assert (crowded.ending, free.ending) == ("no_room", "missed_goal")
    assert free == run_batch(world, ReplicaBatch(world, displaced(1.0), threads=1))[0]


def spinning(stall_n_m: float, angle_range_deg: tuple[float, float] | None = None) -> World:
    """Return a world with a motor at full voltage that turns a part about its centre of mass."""
    frame = scenes.block("frame", (200, 0, 0), (20, 20, 20))
    rotor = scenes.solid("rotor", (200, 40, 0), (100, 20, 100))
    hinge = scenes.joint("hinge", "revolute", "frame", "rotor", (200, 40, 0), angle_range_deg=angle_range_deg)
    drive = scenes.drive("motor", "hinge", stall_torque_n_m=stall_n_m, thermal_limit_s=9.0)
    return compile_scene(scenes.machine_scene(frame, rotor, joints=(hinge,), drives=(drive,)))


def test_inertia_of_a_part_grows_with_its_mass() -> None:
    world, plain = spinning(0.02), no_jitter(parts=1, motors=1)
    heavy = replace(plain, part_mass_factor=np.full((1, 1), 2.0))
    light_rad_s, heavy_rad_s = (first_chunk(world, each).joint_velocity[1, 0] for each in (plain, heavy))
    assert light_rad_s / heavy_rad_s == pytest.approx(2.0, rel=0.05)


def test_share_of_replicas_is_stated_for_each() -> None:
    assert {each.jitter_share for each in run_replicas(compile_scene(between()), 4, 1, threads=1)} == {1.0}


def test_replica_without_room_is_as_far_from_the_goal_as_its_start() -> None:
    """A flat box, 4 mm off towards a wall of the design; it ends 40 mm before the goal, less half its thickness."""
    payload = scenes.ball((0, 0, 0)).model_copy(update={"shape": "box", "edges_mm": (40.0, 30.0, 16.0)})
    goal = scenes.box((44, -50, -50), (144, 50, 50))
    scene = scenes.empty_scene(payload, bodies=(FLOOR, wall("design", 3.0)), goal_zone=goal, duration_s=0.2)
    (result,) = run_batch(compile_scene(scene), ReplicaBatch(compile_scene(scene), displaced(4.0), threads=1))
    assert (result.ending, result.culprit, result.max_speed_m_s) == ("no_room", "wall", 0.0)
    assert result.final_mm == pytest.approx((4.0, 0.0, 0.0))
    assert (result.goal_distance_mm, result.goal_center_distance_mm) == pytest.approx((40.0, 90.0))
    assert result.closest_goal_mm == pytest.approx(32.0)
    assert result.payload == ""
    inside = scene.model_copy(update={"goal_zone": scenes.box((-50, -50, -50), (144, 50, 50))})
    (result,) = run_batch(compile_scene(inside), ReplicaBatch(compile_scene(inside), displaced(4.0), threads=1))
    assert (result.ending, result.closest_goal_mm) == ("no_room", 0.0)
