"""From a scene of the contracts to a compiled MuJoCo model, in SI."""

from sim_worker.model.contacts import ROLLING_M
from sim_worker.model.time_step import SMALL_STEP_S, STEP_S, TINY_STEP_S
from sim_worker.model.world import World, compile_scene

__all__ = ["ROLLING_M", "SMALL_STEP_S", "STEP_S", "TINY_STEP_S", "World", "compile_scene"]
