"""Simulation of a world without a judge, for tests of its sensor readings."""

import numpy as np
from contracts.models.scene import Scene
from sim_worker.model import World, compile_scene
from sim_worker.mujoco_api import mujoco
from sim_worker.run.readings import Readings


def simulate_world(world: World, seconds: float) -> Readings:
    """Return the readings of a world as designed, whatever happens in it."""
    steps = round(seconds / world.step_s)
    time_s = np.arange(steps, dtype=np.float64) * world.step_s
    data = mujoco.MjData(world.model)
    rows = np.zeros((steps, world.model.nsensordata))
    for step, controls in enumerate(world.controls(time_s)):
        data.ctrl[:] = controls
        mujoco.mj_step(world.model, data)
        rows[step] = data.sensordata
    return Readings(time_s, rows, world.layout)


def simulate_scene(scene: Scene, seconds: float) -> Readings:
    """Return the readings of a compiled scene."""
    return simulate_world(compile_scene(scene), seconds)
