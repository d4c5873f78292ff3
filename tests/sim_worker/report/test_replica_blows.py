"""Blows break parts in replicas, too: each is judged by its own."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.models.benchmark import Payload
from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.judge.criteria import Criteria
from sim_worker.model import compile_scene
from sim_worker.run.jitter import no_jitter
from sim_worker.run.moving_average import window_steps
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.simulator import SimulationSettings, Simulator, run_batch, run_nominal
from sim_worker.structure.peak_stress import PeakSearch
from sim_worker.structure.thin_plates import Plates, ThinPlate
from sim_worker.structure.window_means import RunMeans

from tests.sim_worker.scenes import ball, block, box, empty_scene
from tests.sim_worker.structure.beams import glued, rod

TOP_MM = 150.0


def shelf_under_a_ball(thick_mm: float, admissible_mpa: float) -> Scene:
    """Return a shelf that sticks out of a wall; a steel ball falls 80 mm onto it, and counts as arrived after that."""
    wall = block("wall", (-50, 0, 100), (100, 100, 200), "environment")
    shelf = rod("shelf", (30, 0, TOP_MM - thick_mm / 2), (60, 40, thick_mm))
    assert shelf.strength is not None
    shelf = shelf.model_copy(update={"strength": shelf.strength.model_copy(update={"max_stress_mpa": admissible_mpa})})
    root = glued("root", "shelf", "wall", (0, 0, TOP_MM - thick_mm / 2), (0, 40, thick_mm))
    start_mm = (45.0, 0.0, TOP_MM + 15 + 80)
    ball = Payload(label="payload", shape="ball", size_mm=30, start_mm=start_mm, density_kg_m3=7850.0, friction=0.4)
    goal = box((0, -30, TOP_MM), (70, 30, TOP_MM + 20))
    scene = empty_scene(ball, bodies=(wall, shelf), welds=(root,), goal_zone=goal, duration_s=0.5)
    return scene.model_copy(update={"hold_s": 0.12})


def replica(scene: Scene, mass_factor: float) -> ReplicaResult:
    jitter = replace(no_jitter(), mass_factor=np.array([mass_factor]))
    world = compile_scene(scene)
    return run_batch(world, ReplicaBatch(world, jitter, threads=1))[0]


def test_blow_that_breaks_a_part_fails_its_replica_alone() -> None:
    """Its mean over 10 ms breaks nothing: glue and beams bear that."""
    scene = shelf_under_a_ball(8, admissible_mpa=6.5)

    heavy, light = replica(scene, mass_factor=1.0), replica(scene, mass_factor=0.5)
    assert (heavy.ending, heavy.culprit, light.ending) == ("overloaded", "shelf", "reached_goal")
    assert heavy.cause.startswith(
        "shelf: it was stressed to 14.8 MPa (as a beam; a blow at (45.0, 0.0, 149.6) mm reach"
    )
    assert "make it thicker there" in heavy.cause
    assert heavy.time_s < light.time_s
    assert heavy.final_mm == pytest.approx((45, 0, TOP_MM + 15), abs=2)


@pytest.mark.parametrize(("admissible_mpa", "ending"), [(6.5, "overloaded"), (13.0, "reached_goal")])
def test_part_breaks_at_its_strength_in_a_replica_and_at_its_admissible_stress_without_jitter(
    admissible_mpa: float, ending: str
) -> None:
    """14.8 MPa: the admissible stress contains a safety of 2 for the scatter that replicas are."""
    scene = shelf_under_a_ball(8, admissible_mpa)
    nominal = Simulator(threads=1).simulate(scene, SimulationSettings(replicas=1, seed=0)).result.nominal

    same = replica(scene, mass_factor=1.0)
    assert (nominal.ending, same.ending) == ("overloaded", ending)
    if ending == "overloaded":
        assert (nominal.culprit, nominal.time_s) == (same.culprit, same.time_s)
        assert nominal.final_mm == pytest.approx(same.final_mm)


def test_part_that_bears_little_is_looked_at_where_it_bears_much_more_in_a_replica() -> None:
    """Its blow breaks it: a small share under a like load in the run without jitter says that it does not."""
    scene = shelf_under_a_ball(8, admissible_mpa=6.5)
    world = compile_scene(scene)
    parts, readings = Criteria.of(scene, world.layout).in_replicas().parts, run_nominal(world).readings
    own = PeakSearch(world, parts).nominal(readings)["shelf"]

    def looked_at(share: float, load: float) -> set[str]:
        usual = replace(own, stress_mpa=share * own.limit_mpa, most=tuple(load * each for each in own.most))
        run = RunMeans.of(readings, window_steps(world.step_s))
        return PeakSearch(world, parts, {"shelf": usual}).doubtful(run, [1.0])

    assert looked_at(share=0.1, load=1.0) == set()
    assert looked_at(share=0.1, load=0.3) == {"shelf"}
    assert looked_at(share=0.3, load=1.0) == {"shelf"}


def test_plate_that_may_break_is_not_screened_out() -> None:
    """A lid over a frame bends locally; the bound of its stress needs no span, and is above what the span gives."""
    plate, lid = ThinPlate(2.0, 40.0), rod("lid", (0, 0, 1), (120, 120, 2))
    scene = empty_scene(ball((0, 0, 100)), bodies=(lid,))
    bound = Plates(scene).most_mpa_per_n("lid", np.array([0.0, 0.0, 2.0]), np.array([0.0, 0.0, -1.0]), 0.38)
    assert plate.stress_mpa(1.0, 0.38) < bound < 4 * plate.stress_mpa(1.0, 0.38)
