"""Settings of a second opinion: step, solver and cone reach the model, and nothing else changes."""

import pytest
from sim_worker.model import DEFAULT_NUMERICS, STEP_S, Numerics, compile_scene, cost
from sim_worker.mujoco_api import mujoco
from sim_worker.rejection import SceneRejectedError
from sim_worker.simulator import SimulationSettings, Simulator

from tests.sim_worker import scenes

FLOOR = scenes.block("floor", (0, 0, -5), (300, 300, 10), "environment")
SECOND = Numerics(refinement=2, solver="cg", cone="pyramidal")


def test_numerics_set_step_solver_and_cone_of_the_model() -> None:
    option = compile_scene(scenes.machine_scene(FLOOR), SECOND).model.opt

    assert option.timestep == STEP_S / 2
    assert option.solver == mujoco.mjtSolver.mjSOL_CG
    assert option.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL


def test_model_without_numerics_has_the_defaults() -> None:
    scene = scenes.machine_scene(FLOOR)

    usual, default = compile_scene(scene), compile_scene(scene, DEFAULT_NUMERICS)

    assert usual.mjcf == default.mjcf
    assert usual.model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    assert usual.model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC


def test_simulator_with_numerics_runs_with_them() -> None:
    record = Simulator(threads=1, numerics=SECOND).simulate(scenes.machine_scene(FLOOR), SimulationSettings(1, 0))

    assert record.world.step_s == STEP_S / 2


def test_finer_steps_do_not_make_a_scene_too_costly(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = scenes.machine_scene(FLOOR)
    world = compile_scene(scene)
    steps, freedom = round(scene.duration_s / world.step_s), int(world.model.nv)
    monkeypatch.setattr(cost, "LEAST_FREEDOM", 0)
    monkeypatch.setattr(cost, "MAX_WORK", freedom * steps)
    compile_scene(scene, Numerics(refinement=2))
    monkeypatch.setattr(cost, "MAX_WORK", freedom * steps - 1)

    with pytest.raises(SceneRejectedError, match="degrees of freedom"):
        compile_scene(scene, Numerics(refinement=2))
