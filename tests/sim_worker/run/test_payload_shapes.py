"""Physics of payloads of every shape, with their start, velocity and restitution."""

from math import sqrt

import numpy as np
import pytest
from contracts.models.benchmark import Payload, PayloadShape
from contracts.models.geometry import turned_by
from sim_worker.model import compile_scene
from sim_worker.payload_shape import PayloadOutline
from sim_worker.run.readings import Readings
from sim_worker.simulator import NominalRun, run_nominal

from tests.contracts.models.payloads import MEASURES, payload
from tests.sim_worker import scenes


def run_on_floor(moved: Payload, duration_s: float = 2.0, **changes: object) -> NominalRun:
    floor = scenes.block("floor", (0, 0, -5), (1900, 1900, 10), "environment")
    scene = scenes.empty_scene(moved, bodies=(floor,), duration_s=duration_s, **changes)
    return run_nominal(compile_scene(scene))


def heights_mm(readings: Readings) -> np.ndarray:
    return readings.position_m[:, 2] * 1000


@pytest.mark.parametrize("shape", MEASURES)
def test_payload_rests_on_the_floor_by_its_own_shape(shape: PayloadShape) -> None:
    made = payload(shape)
    fallen = run_on_floor(payload(shape, start_mm=(0, 0, made.extents_mm[2] / 2 + 5)))
    assert fallen.result.ending == "missed_goal"
    assert fallen.result.final_mm == pytest.approx((0, 0, made.extents_mm[2] / 2), abs=0.5)


@pytest.mark.parametrize("shape", ["cylinder", "capsule", "box", "solid"])
def test_payload_that_starts_on_its_side_lies_there(shape: PayloadShape) -> None:
    lying = payload(shape, start_quaternion=turned_by((-90, 0, 0)))
    fallen = run_on_floor(lying.model_copy(update={"start_mm": (0, 0, lying.box.size_mm[2] / 2 + 2)}))
    assert heights_mm(fallen.readings)[-1] == pytest.approx(lying.extents_mm[1] / 2, abs=0.5)


@pytest.mark.parametrize("speed_mm_s", [120, 200, 400])
def test_cylinder_that_rolls_over_an_edge_falls_off_it(speed_mm_s: float) -> None:
    table = scenes.block("table", (0, 0, 60), (200, 200, 120), "environment")
    velocity = (speed_mm_s, 0, 0)
    start = {"start_mm": (40, 0, 140.1), "start_quaternion": turned_by((90, 0, 0)), "start_velocity_mm_s": velocity}
    scene = scenes.empty_scene(payload("cylinder", **start), bodies=(table,), duration_s=1.5)
    run = run_nominal(compile_scene(scene))
    assert run.result.ending in ("missed_goal", "left_bounds"), run.result.cause
    assert heights_mm(run.readings).max() < 140.4


@pytest.mark.parametrize(("shape", "share"), [("ball", 2 / 5), ("cube", 1 / 6)])
def test_mass_and_inertia_are_those_of_the_shape(shape: PayloadShape, share: float) -> None:
    model = compile_scene(scenes.empty_scene(payload(shape))).model
    half_m, body = 0.02, model.body("payload")
    expected = share * body.mass[0] * (half_m**2 if shape == "ball" else (2 * half_m) ** 2)
    assert body.inertia == pytest.approx([expected] * 3, rel=1e-6)


def test_solid_weighs_what_its_hull_holds() -> None:
    model = compile_scene(scenes.empty_scene(payload("solid"))).model
    assert model.body("payload").mass[0] == pytest.approx(40 * 30 * 24 / 2 * 1410e-9, rel=1e-5)


def test_thrown_payload_flies_as_far_as_a_parabola() -> None:
    thrown = payload("ball", start_mm=(0, 0, 320), start_velocity_mm_s=(800, 0, 0))
    run = run_on_floor(thrown, duration_s=0.2)
    flown_s = float(run.readings.time_s[-1])
    assert run.readings.speed_m_s[0] == pytest.approx(0.8)
    assert run.result.final_mm[0] == pytest.approx(800 * flown_s, rel=1e-3)


def test_energy_of_a_throw_is_not_spurious() -> None:
    up = payload("ball", start_mm=(0, 0, 20.1), start_velocity_mm_s=(0, 0, 2000))
    run = run_on_floor(up, duration_s=1.5)
    assert run.result.ending == "missed_goal"
    assert heights_mm(run.readings).max() == pytest.approx(20.1 + 2000**2 / 2 / 9810, rel=0.01)


def test_restitution_of_the_payload_decides_how_high_it_rebounds() -> None:
    floor = scenes.block("floor", (0, 0, -5), (1900, 1900, 10), "environment").model_copy(update={"restitution": 0.9})

    def rebound_mm(restitution: float | None) -> float:
        dropped = payload("ball", start_mm=(0, 0, 220), restitution=restitution)
        run = run_nominal(compile_scene(scenes.empty_scene(dropped, bodies=(floor,), duration_s=1.0)))
        heights = heights_mm(run.readings) - 20
        first_contact = int(np.argmax(heights < 0.1))
        return float(heights[first_contact:].max())

    for restitution in (0.3, 0.7):
        assert sqrt(rebound_mm(restitution) / 200) == pytest.approx(restitution, abs=0.06)
    assert rebound_mm(None) == pytest.approx(rebound_mm(0.4))


def test_reach_of_a_turned_payload_is_that_of_the_box_around_it() -> None:
    for shape in MEASURES:
        turned = payload(shape, start_quaternion=turned_by((20, 30, 40)))
        low_m, high_m = PayloadOutline.of(turned).reach_m(np.array([turned.start_quaternion]))
        assert low_m[0] * 1000 == pytest.approx(turned.box.min_mm)
        assert high_m[0] * 1000 == pytest.approx(turned.box.max_mm)


def test_long_payload_is_inside_the_goal_only_with_both_ends() -> None:
    lying = payload("capsule", start_quaternion=turned_by((0, 90, 0)), start_mm=(0, 0, 20.2))
    for length_mm, ending in ((70, "reached_goal"), (50, "missed_goal")):
        goal = scenes.box((-length_mm / 2, -40, -1), (length_mm / 2, 40, 60))
        assert run_on_floor(lying, goal_zone=goal, goal_rule="inside", hold_s=0.2).result.ending == ending
