"""Worlds of several payloads: how they move together, how they are judged, and what is recorded of each."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from contracts.models.benchmark import Payload, Zone
from contracts.models.scene import Body, Scene
from contracts.models.simulation import ReplicaResult, SimulationResult
from sim_worker.judge.penetration import Clearances, PenetrationMonitor
from sim_worker.media.animated_glb import animated_glb
from sim_worker.media.display_model import pictured
from sim_worker.media.motion import Motion
from sim_worker.model import compile_scene
from sim_worker.rejection import SceneRejectedError
from sim_worker.run.jitter import no_jitter, random_jitter
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.simulator import SimulationSettings, Simulator, run_batch, run_nominal

from tests.sim_worker import scenes
from tests.sim_worker.scene_runs import simulate_scene

FLOOR = scenes.block("floor", (0, 0, -5), (1900, 1900, 10), "environment")
GOAL = scenes.box((-60, -60, 0), (60, 60, 60))
ON_FLOOR = 20.0
"""Height of the centre of a ball that lies on the floor."""
Rule = Literal["all", "any"]


def ball(label: str, x_mm: float, z_mm: float = ON_FLOOR + 1, y_mm: float = 0.0, **changes: object) -> Payload:
    made = scenes.ball((x_mm, y_mm, z_mm))
    return Payload.model_validate(made.model_dump() | {"label": label} | changes)


def world(
    *payloads: Payload, must_arrive: Rule = "all", bodies: tuple[Body, ...] = (FLOOR,), **fields: object
) -> Scene:
    first, *more = payloads
    several = {"more_payloads": tuple(more), "must_arrive": must_arrive, "goal_zone": GOAL, "bodies": bodies}
    return scenes.empty_scene(first, **(several | fields))


def result_of(scene: Scene, replicas: int = 1) -> SimulationResult:
    return Simulator(threads=1).simulate(scene, SimulationSettings(replicas, seed=0)).result


def nominal(scene: Scene) -> ReplicaResult:
    return result_of(scene).nominal


@pytest.mark.parametrize(
    ("places_mm", "all_arrive", "any_arrives"),
    [((-30, 30), True, True), ((-30, 300), False, True), ((300, -30), False, True), ((-300, 300), False, False)],
)
def test_all_or_any_one_must_be_in_the_goal(
    places_mm: tuple[float, float], all_arrive: bool, any_arrives: bool
) -> None:
    payloads = [ball(label, x_mm) for label, x_mm in zip(("red", "blue"), places_mm, strict=True)]
    solved = {rule: result_of(world(*payloads, must_arrive=rule)).verdict == "solved" for rule in ("all", "any")}
    assert solved == {"all": all_arrive, "any": any_arrives}


def test_all_must_be_in_the_goal_at_the_same_time() -> None:
    """One rolls through before the other one comes."""
    early = ball("early", -300, start_velocity_mm_s=(800, 0, 0))
    late = ball("late", 0, y_mm=-600, start_velocity_mm_s=(0, 500, 0))
    found = nominal(world(early, late, hold_s=0.1, duration_s=1.6))
    assert found.ending == "missed_goal"
    assert [each.closest_goal_mm for each in found.payloads] == [0.0, 0.0]
    assert "1 of 2 payloads were in the goal at the end, and all must be at the same time" in found.cause
    assert found.payload == "early"


@pytest.mark.parametrize("rule", ["all", "any"])
def test_lost_payload_fails_the_run_only_if_all_must_arrive(rule: Rule) -> None:
    thrown = ball("thrown", 300, start_velocity_mm_s=(6000, 0, 0))
    found = result_of(world(thrown, ball("kept", 0), must_arrive=rule))
    if rule == "all":
        assert (found.nominal.ending, found.nominal.culprit) == ("left_bounds", "thrown")
        assert found.summary_md.startswith("**FAILED**: `thrown` left the world")
    else:
        assert (found.nominal.ending, found.nominal.payload) == ("reached_goal", "kept")
        thrown_result = found.nominal.payloads[0]
        assert thrown_result.lost == "left_bounds"
        assert thrown_result.lost_s == pytest.approx(0.7 / 6, abs=0.01)
        assert "the payload thrown's centre came to x = " in found.summary_md
    assert [event.subject for event in found.events if event.kind == "left_bounds"] == ["thrown"]


def test_lost_payload_cannot_arrive_any_more() -> None:
    """It touches the forbid zone above the goal, and then lies in the goal."""
    above = Zone(label="lid", box=scenes.box((-60, -60, 90), (60, 60, 110)))
    found = nominal(world(ball("fallen", 0, 150), ball("far", 300), must_arrive="any", forbid_zones=(above,)))
    assert found.ending == "missed_goal"
    assert (found.payload, found.payloads[0].has_arrived) == ("far", False)


@pytest.mark.parametrize("is_swapped", [False, True])
def test_order_of_the_payloads_does_not_matter(is_swapped: bool) -> None:
    payloads = [ball("light", -200, start_velocity_mm_s=(800, 0, 0)), ball("heavy", 200, density_kg_m3=7850)]
    found = nominal(world(*(reversed(payloads) if is_swapped else payloads), duration_s=2.0))
    places = {each.label: each.final_mm for each in found.payloads}
    assert places["light"][0] == pytest.approx(131.6, abs=1.0), "it rebounds from 160 mm"
    assert places["heavy"][0] == pytest.approx(260.8, abs=1.0), "it is pushed"


def test_payloads_collide_by_the_lower_restitution_and_keep_their_momentum() -> None:
    fast = ball("fast", -100, start_velocity_mm_s=(1000, 0, 0), restitution=0.8)
    slow = ball("slow", 0, restitution=0.5)
    readings = run_nominal(compile_scene(world(fast, slow, bodies=(), duration_s=0.6))).readings
    speeds = [view.rows[-1, view.layout.velocity][0] for view in readings.payloads]
    assert sum(speeds) == pytest.approx(1.0, abs=0.005)
    assert speeds[1] - speeds[0] == pytest.approx(0.5, abs=0.05)


def test_each_payload_rebounds_by_its_own_restitution() -> None:
    """With one collision bit for all, both would rebound alike."""
    floor = FLOOR.model_copy(update={"restitution": 0.9})
    payloads = [ball("lively", -200, 220, restitution=0.8), ball("dull", 200, 220, restitution=0.3)]
    readings = simulate_scene(world(*payloads, bodies=(floor,)), 0.6)
    after = readings.time_s > 0.21
    lively_mm, dull_mm = (1000 * float(view.position_m[after, 2].max()) - ON_FLOOR for view in readings.payloads)
    assert lively_mm == pytest.approx(200 * 0.8**2, rel=0.1)
    assert dull_mm < 200 * 0.35**2


def test_time_step_is_that_of_the_smallest_payload() -> None:
    assert compile_scene(world(ball("large", -100), ball("small", 100, size_mm=20))).step_s == 0.0005


def test_payloads_that_overlap_at_the_start_are_refused() -> None:
    with pytest.raises(SceneRejectedError, match=r"the payload red starts 2\.00 mm inside the payload blue"):
        run_nominal(compile_scene(world(ball("red", 0, 100), ball("blue", 38, 100))))


def test_payload_with_the_label_of_a_body_is_refused() -> None:
    with pytest.raises(SceneRejectedError, match="two bodies or payloads are called floor"):
        compile_scene(world(ball("red", 0), ball("floor", 300)))


def test_payloads_pressed_into_each_other_end_the_run() -> None:
    scene = world(ball("red", 0), ball("blue", 200))
    compiled = compile_scene(scene)
    readings = simulate_scene(scene, 0.1)
    (column,) = readings.layout.payload_contacts
    readings.rows[50:, column + 1] = -0.00049
    assert PenetrationMonitor(Clearances.of(compiled)).first(readings) is None
    readings.rows[50:, column + 1] = -0.00051
    found = PenetrationMonitor(Clearances.of(compiled)).first(readings)
    assert found is not None
    assert (found.step, found.culprit) == (61, "blue")
    assert found.cause.startswith("the payload red was 0.51 mm inside the payload blue for more than 10 ms")


@pytest.mark.parametrize("density_kg_m3", [1000, 8000])
def test_heavy_payload_may_rest_on_a_light_one(density_kg_m3: float) -> None:
    """In a tube, the heavy one on top; the lower one gives way to both."""
    walls = [
        scenes.block(f"wall-{x}-{y}", (25.3 * x, 25.3 * y, 100), (10 if x else 60, 10 if y else 60, 200), "environment")
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    light = ball("light", 0, density_kg_m3=1000)
    heavy = ball("heavy", 0.1, 3 * ON_FLOOR + 2, density_kg_m3=density_kg_m3)
    found = nominal(world(light, heavy, bodies=(FLOOR, *walls), goal_zone=scenes.box((500, 500, 0), (560, 560, 60))))
    assert found.ending == "missed_goal"


def test_payloads_of_too_different_masses_are_refused() -> None:
    light, heavy = ball("light", -200, density_kg_m3=800), ball("heavy", 200, density_kg_m3=7850)
    with pytest.raises(SceneRejectedError, match=r"together have 10\.8 times the mass of light, 26\.8 g"):
        compile_scene(world(light, heavy))


def test_each_payload_has_its_own_jitter_and_the_first_that_of_a_single_one() -> None:
    one, three = random_jitter(5, seed=1), random_jitter(5, seed=1, payloads=3)
    assert (one.start_m == three.start_m).all()
    assert len({each.start_m.tobytes() for each in three.payloads}) == 3
    compiled = compile_scene(world(ball("red", -200, 100), ball("blue", 200, 100)))
    batch = ReplicaBatch(compiled, random_jitter(2, seed=1, payloads=2), threads=1)
    ((first, _),) = batch.advance([0, 1])
    starts_mm = [1000 * view.position_m[0] for view in first.readings.payloads]
    for start_mm, nominal_mm, each in zip(
        starts_mm, ((-200, 0, 100), (200, 0, 100)), batch.jitter.payloads, strict=True
    ):
        assert start_mm == pytest.approx(np.array(nominal_mm) + 1000 * each.start_m[0])


def test_displacements_into_each_other_shrink() -> None:
    scene = world(ball("red", 0, 100), ball("blue", 42, 100))
    towards = replace(no_jitter(payloads=2), start_m=np.array([[0.005, 0.0, 0.0]]))
    batch = ReplicaBatch(compile_scene(scene), towards, threads=1)
    assert batch.start_shares == pytest.approx([0.25])
    assert not batch.obstructions


def test_design_in_the_way_of_a_further_payload_is_named_with_it() -> None:
    post = scenes.block("post", (224, 0, 20), (6, 20, 40))
    scene = world(ball("red", -200), ball("blue", 200), bodies=(FLOOR, post))
    jitter = no_jitter(payloads=2)
    moved = replace(jitter.more_payloads[0], start_m=np.array([[0.004, 0.0, 0.0]]))
    compiled = compile_scene(scene)
    (found,) = run_batch(compiled, ReplicaBatch(compiled, replace(jitter, more_payloads=(moved,)), threads=1))
    assert (found.ending, found.culprit, found.payload) == ("no_room", "post", "blue")
    assert "the payload blue would be 3.00 mm inside post" in found.cause


def test_replicas_of_several_payloads_are_judged_alike() -> None:
    found = result_of(world(ball("red", -30), ball("blue", 30)), replicas=4)
    assert (found.success_rate, found.stability) == (1.0, "stable")
    assert all(each.payloads for each in found.replicas)


def test_trajectory_and_model_have_each_payload() -> None:
    turned = ball("blue", 200, 300, start_quaternion=(0.0, 1.0, 0.0, 0.0))
    scene = world(ball("red", -200, 300), turned)
    record = Simulator(threads=1).simulate(scene, SimulationSettings(1, seed=0))
    assert record.trajectory.bodies == ("blue",)
    motion = Motion.of(record.trajectory)
    assert [track.start_m.tolist() for track in motion.payloads] == [[-0.2, 0.0, 0.3], [0.2, 0.0, 0.3]]
    glb = animated_glb(pictured(scene), motion)
    assert b'"blue"' in glb
    assert b'"path of blue"' in glb
