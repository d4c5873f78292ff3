"""Whole runs of small worlds: how they end, and that it is not chance."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.models.benchmark import Zone
from contracts.models.mechanism import Constant, Positions
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.model import World, compile_scene
from sim_worker.rejection import SceneRejectedError
from sim_worker.run import replica_batch
from sim_worker.run.jitter import Jitter, nominal
from sim_worker.run.penetration import tolerances_m
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.run.runner import run_nominal, run_replicas
from sim_worker.simulator import SimulationSettings, Simulator

from tests.sim_worker import machines, scenes


def ended(scene: Scene) -> ReplicaResult:
    return run_nominal(compile_scene(scene)).result


@pytest.mark.parametrize(("gap_mm", "ending"), [(0.2, "missed_goal"), (-0.2, "touched_forbid")])
def test_touching_a_forbid_box_even_slightly_fails_the_run(gap_mm: float, ending: str) -> None:
    beside = scenes.box((20 + gap_mm, -50, -300), (60, 50, -100))
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), forbid_zones=(Zone(label="lava", box=beside),), duration_s=0.4)
    assert ended(scene).ending == ending


def test_an_empty_design_misses() -> None:
    chute = scenes.chute_scene()
    empty = chute.model_copy(update={"bodies": tuple(body for body in chute.bodies if body.origin == "environment")})
    assert ended(chute).ending == "reached_goal"
    assert ended(empty).ending in {"missed_goal", "left_bounds"}


def test_a_servo_sweeps_the_payload_into_the_goal() -> None:
    result = Simulator(2).run(machines.sweeper(), SimulationSettings(replicas=1, seed=0)).result
    assert result.verdict == "solved"
    (motor,) = result.motors
    assert 0.05 < motor.peak_torque_n_m < 0.5
    kinds = [event.kind for event in result.events]
    assert kinds.index("entered_goal") > kinds.index("contact")
    assert {load.label for load in result.loads} == {"screws", "hinge"}


def test_an_arm_that_swings_into_a_forbid_zone_is_the_culprit() -> None:
    lava = Zone(label="lava", box=scenes.box((60, 120, 45), (120, 180, 60)))
    result = ended(machines.sweeper(forbid_zones=(lava,), goal_zone=scenes.box((800, 800, 0), (900, 900, 9))))
    assert (result.ending, result.touched, result.culprit) == ("touched_forbid", "lava", "arm")


def test_a_motor_that_holds_against_a_stop_overheats() -> None:
    stalled = machines.servo(mode="voltage", control=Constant(share=0.5), thermal_limit_s=0.5)
    far = machines.cube((-300, -300, 20))
    result = ended(machines.sweeper(stalled, payload=far, duration_s=3.0))
    assert (result.ending, result.culprit) == ("overloaded", "motor")
    assert 0.5 < result.time_s < 1.5


def test_a_weak_screw_is_overloaded_by_the_motor_s_torque() -> None:
    scene = machines.sweeper(machines.servo(control=Positions(times_s=(0.2, 0.3), targets=(0.0, 60.0))))
    weak = scene.welds[0].model_copy(update={"max_moment_n_m": 0.3})
    result = ended(scene.model_copy(update={"welds": (weak, *scene.welds[1:])}))
    assert (result.ending, result.culprit) == ("overloaded", "screws")
    assert "it holds 0.3 N m" in result.cause


def test_a_world_that_has_come_to_rest_is_not_simulated_to_the_end() -> None:
    floor = scenes.block("floor", (0, 0, -25), (100, 100, 10), "environment")
    cube = scenes.ball((0, 0, 5)).model_copy(update={"shape": "cube"})
    result = ended(scenes.empty_scene(cube, bodies=(floor,), duration_s=60.0))
    assert result.ending == "missed_goal"
    assert 1.0 < result.time_s < 2.5
    assert "came to rest" in result.cause


def test_a_motor_that_starts_late_is_waited_for() -> None:
    late = machines.servo(control=Positions(times_s=(4.0, 5.5), targets=(0.0, 60.0)))
    assert ended(machines.sweeper(late, duration_s=8.0)).ending == "reached_goal"


def test_a_simulator_that_gains_energy_is_blamed_itself() -> None:
    floor = scenes.block("floor", (0, 0, -105), (400, 400, 10), "environment")
    world = compile_scene(scenes.empty_scene(scenes.ball((0, 0, 300)), bodies=(floor,), duration_s=4.0))
    assert run_nominal(world).result.ending == "missed_goal"
    world.model.opt.timestep = 0.002
    world.model.geom_solref[:] = (0.005, 0.1)  # far too stiff for such a step
    result = run_nominal(replace(world, step_s=0.002)).result
    assert result.ending == "numerical"
    assert "fault of the simulator" in result.cause


def test_two_parts_that_start_inside_each_other_are_refused() -> None:
    sunk = machines.solid("sunk", (0, 200, 18), (40, 40, 40))
    scene = machines.sweeper()
    with pytest.raises(SceneRejectedError, match=r"starts 2\.\d\d mm inside") as caught:
        run_nominal(compile_scene(scene.model_copy(update={"bodies": (*scene.bodies, sunk)})))
    assert caught.value.reason == "initial_penetration"
    assert "sunk (design)" in caught.value.detail
    assert "table (environment)" in caught.value.detail


def test_a_part_of_measured_geometry_may_stand_in_another_by_as_much_as_it_stands_out() -> None:
    exact = machines.solid("exact", (0, 0, 0), (9, 9, 9))
    measured = exact.model_copy(update={"protrusion_mm": 0.3})
    np.testing.assert_allclose(tolerances_m((exact, measured)), (1e-4, 3e-4))


def test_replicas_vary_friction_masses_and_motors() -> None:
    scene = machines.sweeper(machines.servo(mode="voltage", control=Constant(share=0.3)))
    world = compile_scene(scene)
    plain = nominal(parts=1, motors=1)
    weak = replace(plain, motor_factor=np.full((1, 1), 0.5))
    heavy = replace(plain, part_mass_factor=np.full((1, 1), 3.0))
    rough = replace(plain, friction_factor=np.full(1, 3.0))
    turned = [_arm_after_a_moment(world, jitter) for jitter in (plain, weak, heavy, rough)]
    assert len(set(turned)) == 4
    assert turned[1] < 0.7 * turned[0]


def _arm_after_a_moment(world: World, jitter: Jitter) -> float:
    (piece,) = ReplicaBatch(world, jitter, threads=1).advance([0])
    return float(piece.readings.joint_position[-1, 0])


def test_many_replicas_take_turns_without_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    world = compile_scene(machines.sweeper())
    together = run_replicas(world, 5, seed=3, threads=1)
    monkeypatch.setattr(replica_batch, "MOST_NUMBERS", 2 * 250 * world.model.nsensordata)
    assert run_replicas(world, 5, seed=3, threads=1) == together


def test_replicas_of_a_machine_do_not_depend_on_threads_but_on_the_seed() -> None:
    world = compile_scene(machines.sweeper())
    alone = run_replicas(world, 5, seed=3, threads=1)
    assert run_replicas(world, 5, seed=3, threads=2) == alone
    assert run_replicas(world, 5, seed=4, threads=1) != alone
    assert len({replica.final_mm for replica in alone}) == 5
