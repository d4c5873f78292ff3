"""Physics against closed forms: units, mass and friction; and replicas."""

from math import cos, radians, sin

import numpy as np
import pytest
from contracts.models.benchmark import Payload
from sim_worker.model import ROLLING_M, SMALL_STEP_S, STEP_S, World, compile_scene
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import run_nominal, run_replicas

from tests.sim_worker import scenes

GRAVITY_M_S2 = 9.81


def test_released_ball_falls_freely() -> None:
    readings = run_nominal(compile_scene(scenes.empty_scene(scenes.ball((0, 0, 900)), duration_s=0.5))).readings
    expected_m = 0.9 - GRAVITY_M_S2 * readings.time_s**2 / 2
    np.testing.assert_allclose(readings.position_m[:, 2], expected_m, atol=0.003)
    assert readings.speed_m_s[-1] == pytest.approx(GRAVITY_M_S2 * 0.5, rel=0.001)


def rolling_acceleration_m_s2(tilt_deg: float) -> float:
    readings = run_nominal(compile_scene(scenes.incline_scene(tilt_deg))).readings
    rolling = readings.time_s > 0.25  # it has fallen 5 mm onto the plane and settled
    return float(np.polyfit(readings.time_s[rolling], readings.speed_m_s[rolling], 1)[0])


@pytest.mark.parametrize("tilt_deg", [10.0, 15.0, 25.0])
def test_ball_rolls_down_incline_with_closed_form_acceleration(tilt_deg: float) -> None:
    ideal_m_s2 = 5 / 7 * GRAVITY_M_S2 * sin(radians(tilt_deg))
    assert rolling_acceleration_m_s2(tilt_deg) == pytest.approx(ideal_m_s2, rel=0.03)


def test_rolling_friction_matches_its_coefficient() -> None:
    lever = ROLLING_M / (scenes.BALL_MM / 2000)
    expected_m_s2 = 5 / 7 * GRAVITY_M_S2 * (sin(radians(6.0)) - cos(radians(6.0)) * lever)
    assert rolling_acceleration_m_s2(6.0) == pytest.approx(expected_m_s2, rel=0.005)


def cube_on_plane(tilt_deg: float, plane: float, cube: float, duration_s: float = 1.0) -> World:
    """Return a world with a cube 1 mm above a tilted plane, aligned with it; the frictions are those of both."""
    turn, lift_mm = radians(tilt_deg), 5.0 + 20.0 + 1.0
    payload = Payload(
        shape="cube",
        size_mm=40,
        start_mm=(sin(turn) * lift_mm, 0, 300 + cos(turn) * lift_mm),
        start_quaternion=(cos(turn / 2), 0, sin(turn / 2), 0),
        density_kg_m3=1000,
        friction=cube,
    )
    scene = scenes.incline_scene(tilt_deg, duration_s=duration_s)
    bodies = tuple(body.model_copy(update={"friction": plane}) for body in scene.bodies)
    return compile_scene(scene.model_copy(update={"payload": payload, "bodies": bodies}))


@pytest.mark.parametrize(("plane", "cube"), [(0.3, 0.3), (0.9, 0.1), (0.1, 0.9)])
def test_payload_and_part_have_the_geometric_mean_of_their_frictions(plane: float, cube: float) -> None:
    tilt = radians(22.0)
    ideal_m_s2 = GRAVITY_M_S2 * (sin(tilt) - 0.3 * cos(tilt))
    readings = run_nominal(cube_on_plane(22.0, plane, cube)).readings
    sliding = readings.time_s > 0.3  # it has fallen 1 mm onto the plane and settled
    measured_m_s2 = np.polyfit(readings.time_s[sliding], readings.speed_m_s[sliding], 1)[0]
    assert measured_m_s2 == pytest.approx(ideal_m_s2, rel=0.02)


@pytest.mark.parametrize("tilt_deg", [8.0, 12.0, 15.0, 16.4])
def test_cube_below_its_angle_of_friction_hardly_creeps(tilt_deg: float) -> None:
    readings = run_nominal(cube_on_plane(tilt_deg, 0.3, 0.3, duration_s=3.0)).readings
    later = readings.position_m[readings.time_s > 0.5]
    assert np.linalg.norm(later[-1] - later[0]) * 1000 < 0.25 * 2.5, "the bound of docs/modelling.md, over 2.5 s"


def test_small_payload_has_small_steps() -> None:
    assert compile_scene(scenes.empty_scene(scenes.ball((0, 0, 0), size_mm=39.9))).step_s == SMALL_STEP_S
    assert compile_scene(scenes.empty_scene(scenes.ball((0, 0, 0), size_mm=40))).step_s == STEP_S


def test_payload_passes_through_zones() -> None:
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), goal_zone=scenes.box((-50, -50, -300), (50, 50, -100)))
    readings = run_nominal(compile_scene(scene)).readings
    assert readings.goal_m.min() < 0
    assert readings.speed_m_s[-1] > 3.0


def test_payload_starting_inside_a_part_is_rejected() -> None:
    wall = scenes.block("wall", (0, 0, 0), (50, 50, 50))
    scene = scenes.empty_scene(scenes.ball((30, 0, 0)), bodies=(wall,))
    with pytest.raises(SceneRejectedError, match=r"15\.\d\d mm inside wall") as caught:
        run_nominal(compile_scene(scene))
    assert caught.value.reason == "initial_penetration"


def test_payload_may_start_touching_a_part() -> None:
    shelf = scenes.block("shelf", (0, 0, -25), (100, 100, 50))
    run = run_nominal(compile_scene(scenes.empty_scene(scenes.ball((0, 0, 20)), bodies=(shelf,), duration_s=0.3)))
    assert run.result.ending == "missed_goal"
    assert run.readings.position_m[-1, 2] == pytest.approx(0.020, abs=0.0005)


def test_replicas_in_tight_space_start_outside_the_walls() -> None:
    walls = [scenes.block(f"wall{side}", (side * 22.5, 0, 0), (5, 60, 60), "environment") for side in (-1, 1)]
    walls = [wall.model_copy(update={"label": f"wall_{name}"}) for wall, name in zip(walls, "ab", strict=True)]
    floor = scenes.block("floor", (0, 0, -25), (100, 100, 10), "environment")
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(*walls, floor), duration_s=0.2)
    assert {replica.ending for replica in run_replicas(compile_scene(scene), 16, 1, threads=2)} == {"missed_goal"}


def test_duplicate_label_is_rejected() -> None:
    twins = (scenes.block("twin", (0, 0, -100), (50, 50, 50)), scenes.block("twin", (0, 0, -200), (50, 50, 50)))
    with pytest.raises(SceneRejectedError, match="two bodies are called twin"):
        compile_scene(scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=twins))


def test_box_without_thickness_is_rejected() -> None:
    with pytest.raises(SceneRejectedError) as caught:
        compile_scene(
            scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(scenes.block("sheet", (0, 0, -99), (9, 9, 0)),))
        )
    assert caught.value.reason == "model_does_not_compile"
