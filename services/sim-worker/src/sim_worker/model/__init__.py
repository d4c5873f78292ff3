"""From a scene of the language to a model of MuJoCo, in SI."""

from sim_worker.model.contacts import ROLLING_M
from sim_worker.model.layers import COLLISION_GROUP, FORBID_GROUP, PARTS_GROUP, ZONES_GROUP
from sim_worker.model.timing import SMALL_STEP_S, STEP_S, TINY_STEP_S
from sim_worker.model.world import World, compile_scene

__all__ = [
    "COLLISION_GROUP",
    "FORBID_GROUP",
    "PARTS_GROUP",
    "ROLLING_M",
    "SMALL_STEP_S",
    "STEP_S",
    "TINY_STEP_S",
    "ZONES_GROUP",
    "World",
    "compile_scene",
]
