"""The parts of several replicas are judged together, with the result of each alone."""

from dataclasses import replace

from sim_worker.judge.criteria import Criteria
from sim_worker.model import compile_scene
from sim_worker.run.moving_average import window_steps
from sim_worker.run.readings import Readings
from sim_worker.simulator import run_nominal
from sim_worker.structure.monitor import PartMonitor

from tests.sim_worker.structure.beams import loaded_strip


def test_replicas_judged_together_fail_as_each_alone() -> None:
    """A strip with a weight on its end, weak enough to break; the other replica bears a hundredth of the load."""
    world = compile_scene(loaded_strip())
    loaded = run_nominal(world).readings
    calm = Readings(loaded.time_s, loaded.rows / 100, loaded.layout)
    (part,) = Criteria.of(world.scene, world.layout).parts
    weak = (replace(part, strength=part.strength.model_copy(update={"max_stress_mpa": 0.5})),)
    steps = window_steps(world.step_s)
    together = PartMonitor(weak, steps).first_failures({3: calm, 5: loaded, 8: loaded[: 3 * steps]})
    alone = PartMonitor(weak, steps).first_failures({5: loaded})
    assert set(together) == {5, 8}
    assert together[5] == together[8] == alone[5]
    assert alone[5][1] == "strip"
