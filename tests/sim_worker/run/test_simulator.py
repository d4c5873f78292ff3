"""Whole simulations of small scenes: endings, rejections, and reproducible replicas."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from contracts.models.benchmark import Bound, Zone
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.model import World, compile_scene
from sim_worker.model.numerics import Numerics
from sim_worker.rejection import SceneRejectedError
from sim_worker.run import replica_batch
from sim_worker.run.jitter import no_jitter, random_jitter
from sim_worker.run.penetration import tolerances_m
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.simulator import SimulationSettings, Simulator, run_batch, run_nominal, run_replicas

from tests.sim_worker import machines, scenes


def ending_of(scene: Scene) -> ReplicaResult:
    return run_nominal(compile_scene(scene)).result


@pytest.mark.parametrize(("gap_mm", "ending"), [(0.2, "missed_goal"), (-0.2, "touched_forbid")])
def test_slight_touch_of_forbid_zone_ends_the_run(gap_mm: float, ending: str) -> None:
    lava = scenes.box((20 + gap_mm, -50, -300), (60, 50, -100))
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), forbid_zones=(Zone(label="lava", box=lava),), duration_s=0.4)
    assert ending_of(scene).ending == ending


def test_empty_design_misses() -> None:
    chute = scenes.chute_scene()
    empty = chute.model_copy(update={"bodies": tuple(body for body in chute.bodies if body.origin == "environment")})
    assert ending_of(chute).ending == "reached_goal"
    assert ending_of(empty).ending in {"missed_goal", "left_bounds"}


def test_servo_sweeps_payload_into_goal() -> None:
    result = Simulator(2).simulate(machines.sweeper(), SimulationSettings(replicas=1, seed=0)).result
    assert result.verdict == "solved"
    (motor,) = result.motors
    assert 0.05 < motor.peak_torque_n_m < 0.5
    kinds = [event.kind for event in result.events]
    assert kinds.index("entered_goal") > kinds.index("contact")
    assert {load.label for load in result.loads} == {"screws", "hinge"}


def test_simulator_that_gains_energy_is_numerical() -> None:
    floor = scenes.block("floor", (0, 0, -105), (400, 400, 10), "environment")
    world = compile_scene(scenes.empty_scene(scenes.ball((0, 0, 300)), bodies=(floor,), duration_s=4.0))
    assert run_nominal(world).result.ending == "missed_goal"
    world.model.opt.timestep = 0.002
    world.model.geom_solref[:] = (0.005, 0.1)  # far too stiff for such a step
    result = run_nominal(replace(world, step_s=0.002)).result
    assert result.ending == "numerical"


def test_overlapping_parts_are_rejected_with_both_labels() -> None:
    sunk = machines.solid("sunk", (0, 200, 18), (40, 40, 40))
    scene = machines.sweeper()
    with pytest.raises(SceneRejectedError, match=r"starts 2\.\d\d mm inside") as caught:
        run_nominal(compile_scene(scene.model_copy(update={"bodies": (*scene.bodies, sunk)})))
    assert caught.value.reason == "initial_penetration"
    assert "sunk (design)" in caught.value.detail
    assert "table (environment)" in caught.value.detail


def test_overlap_tolerance_includes_protrusion() -> None:
    exact = machines.solid("exact", (0, 0, 0), (9, 9, 9))
    measured = exact.model_copy(update={"protrusion_mm": 0.3})
    np.testing.assert_allclose(tolerances_m((exact, measured)), (1e-4, 3e-4))


def test_replicas_in_several_rollouts_give_equal_results(monkeypatch: pytest.MonkeyPatch) -> None:
    world = compile_scene(machines.sweeper())
    together = run_replicas(world, 5, seed=3, threads=1)
    monkeypatch.setattr(replica_batch, "MAX_RECORDED_NUMBERS", 2 * 250 * world.model.nsensordata)
    assert run_replicas(world, 5, seed=3, threads=1) == together


def test_machine_replicas_depend_on_seed_not_threads() -> None:
    world = compile_scene(machines.sweeper())
    alone = run_replicas(world, 5, seed=3, threads=1)
    assert run_replicas(world, 5, seed=3, threads=2) == alone
    assert run_replicas(world, 5, seed=4, threads=1) != alone
    assert len({replica.final_mm for replica in alone}) == 5


def test_simulating_in_pieces_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    world = compile_scene(scenes.loose_scene(3, duration_s=0.5))
    whole = run_nominal(world).readings.rows, run_replicas(world, 5, seed=3, threads=2)
    monkeypatch.setattr(replica_batch, "MAX_PIECE_WORK", 7 * 24 * 5)  # seven steps of five replicas
    assert np.array_equal(run_nominal(world).readings.rows, whole[0])
    assert run_replicas(world, 5, seed=3, threads=2) == whole[1]


def _chunk_with_a_stopped_replica(world: World) -> list[replica_batch.Chunk]:
    """Return the first chunk of three replicas; the second has an impossible speed and stops at once."""
    batch = ReplicaBatch(world, random_jitter(3, seed=3), threads=2)
    batch._batch.bind("qvel")[1, 0] = 1e12  # pyright: ignore[reportPrivateUsage]
    return [chunk for chunks in batch.advance([0, 1, 2]) for chunk in chunks]


def test_replica_that_stops_in_a_piece_is_not_simulated_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    world = compile_scene(scenes.chute_scene())
    whole = _chunk_with_a_stopped_replica(world)
    monkeypatch.setattr(replica_batch, "MAX_PIECE_WORK", 7 * 6 * 3)
    pieces = _chunk_with_a_stopped_replica(world)
    assert [chunk.warnings for chunk in pieces] == [chunk.warnings for chunk in whole]
    assert [bool(chunk.warnings) for chunk in whole] == [False, True, False]
    assert all(np.array_equal(one.readings.rows, other.readings.rows) for one, other in zip(pieces, whole, strict=True))


def test_prepared_scene_gives_the_results_of_a_new_one() -> None:
    used = Simulator(threads=2)
    used.simulate(machines.sweeper(), SimulationSettings(replicas=1, seed=0))
    used.simulate(scenes.chute_scene(), SimulationSettings(replicas=1, seed=0))
    again = used.simulate(machines.sweeper(), SimulationSettings(replicas=3, seed=5))
    new = Simulator(threads=2).simulate(machines.sweeper(), SimulationSettings(replicas=3, seed=5))
    assert again.result == new.result


def test_scene_is_compiled_once_while_it_is_among_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def count(scene: Scene, numerics: Numerics) -> World:
        compiled.append(scene.model_dump_json())
        return compile_scene(scene, numerics)

    monkeypatch.setattr("sim_worker.simulator.compile_scene", count)
    simulator, balls = Simulator(threads=1), [scenes.ball((0, 0, 100 + 10 * height)) for height in range(6)]
    for number in (0, 0, 1, 2, 3, 0, 4, 5, 0, 1):
        simulator.simulate(scenes.empty_scene(balls[number], duration_s=0.1), SimulationSettings(1, 0))
    assert [compiled.count(each) for each in dict.fromkeys(compiled)] == [1, 2, 1, 1, 1, 1]


def test_warnings_of_the_simulator_are_not_written_into_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    world = compile_scene(scenes.empty_scene(scenes.ball((0, 0, 900)), duration_s=0.5))
    batch = ReplicaBatch(world, no_jitter(0, 0), threads=1)
    batch._batch.bind("qvel")[:] = np.nan  # pyright: ignore[reportPrivateUsage]
    ((chunk,),) = batch.advance([0])
    assert chunk.is_diverged
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("binds", "ending"), [("parts", "missed_goal"), ("payload", "touched_forbid")])
def test_forbid_zone_binds_the_payload_only_if_it_says_so(binds: Bound, ending: str) -> None:
    lava = Zone(label="lava", box=scenes.box((-50, -50, -400), (50, 50, -100)), binds=binds)
    scene = scenes.empty_scene(scenes.ball((0, 0, 0)), forbid_zones=(lava,), duration_s=0.4)
    assert ending_of(scene).ending == ending


@pytest.mark.parametrize(("binds", "ending"), [("payload", "missed_goal"), ("parts", "touched_forbid")])
def test_forbid_zone_binds_parts_only_if_it_says_so(binds: Bound, ending: str) -> None:
    lava = Zone(label="lava", box=scenes.box((60, 120, 45), (120, 180, 60)), binds=binds)
    result = ending_of(machines.sweeper(forbid_zones=(lava,), goal_zone=scenes.box((800, 800, 0), (900, 900, 9))))
    assert result.ending == ending


def test_jitter_of_the_benchmark_reaches_the_replicas() -> None:
    floor = scenes.block("floor", (0, 0, -5), (400, 400, 10), "environment")
    scene = scenes.empty_scene(scenes.ball((0, 0, 20)), bodies=(floor,), duration_s=0.2, replica_jitter_mm=0.0)
    replicas = run_replicas(compile_scene(scene), 4, seed=1, threads=1)
    assert all(abs(each.final_mm[0]) < 0.01 and abs(each.final_mm[1]) < 0.01 for each in replicas)


def test_replicas_without_aftermath_have_the_same_endings() -> None:
    world = compile_scene(scenes.chute_scene())
    watched, ended = (
        run_batch(world, ReplicaBatch(world, random_jitter(5, seed=3), threads=1), has_aftermath=has_aftermath)
        for has_aftermath in (True, False)
    )
    assert "reached_goal" in {each.ending for each in ended}
    assert {each.aftermath for each in watched} != {each.aftermath for each in ended} == {"unknown"}
    forgotten = {"aftermath": "unknown", "aftermath_cause": ""}
    assert tuple(each.model_copy(update=forgotten) for each in watched) == ended


def test_replicas_are_watched_after_success_unless_that_is_not_wanted() -> None:
    floor = scenes.block("floor", (0, 0, -25), (200, 200, 10), "environment")
    goal = scenes.box((-90, -90, -30), (90, 90, 90))
    scene = scenes.empty_scene(machines.cube((0, 0, 1)), bodies=(floor,), goal_zone=goal, hold_s=0.1)
    assert {each.aftermath for each in run_replicas(compile_scene(scene), 2, seed=1, threads=1)} == {"stayed"}
    for wanted, found in ((True, "stayed"), (False, "unknown")):
        settings = SimulationSettings(replicas=2, seed=1, has_aftermath=wanted)
        result = Simulator(threads=1).simulate(scene, settings).result
        assert {each.aftermath for each in result.replicas} == {found}
        assert result.nominal.aftermath == "stayed"
    single = Simulator(threads=1).simulate(scene, SimulationSettings(replicas=1, seed=1)).result
    assert (single.replicas, single.stability, single.verdict) == ((), "untested", "solved")


def test_world_that_is_not_finite_from_the_start_has_one_row() -> None:
    world = compile_scene(scenes.empty_scene(scenes.ball((0, 0, 0))))
    world.model.opt.gravity[:] = np.nan
    run = run_nominal(world)
    assert run.result.ending == "diverged"
    assert len(run.readings.time_s) == 1
