"""From a scene of the contracts to a compiled MuJoCo model, in SI."""

from sim_worker.model.contacts import ROLLING_M
from sim_worker.model.numerics import DEFAULT_NUMERICS, SMALL_STEP_S, STEP_S, TINY_STEP_S, Numerics
from sim_worker.model.world import World, compile_scene

__all__ = [
    "DEFAULT_NUMERICS",
    "ROLLING_M",
    "SMALL_STEP_S",
    "STEP_S",
    "TINY_STEP_S",
    "Numerics",
    "World",
    "compile_scene",
]
